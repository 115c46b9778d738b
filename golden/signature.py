# SPDX-License-Identifier: Apache-2.0
"""What a self-test feeds to a unit, and what it makes of the results: an address sequence and a signature.

The addresses come from a linear feedback shift register of 16 bits that moves on by 8 bits a time,

    s[n + 16] = s[n + 12] ^ s[n + 3] ^ s[n + 1] ^ s[n],      address t = s[8t .. 8t + 7], the first in the lowest bit.

Its state is the address and the one that follows. The period, 65535, and 8 have no common factor, so in one period the state
takes every value but 0: every word of a memory of 256 follows every word exactly once, only word 0 never follows itself.

The signature is the CRC-32 of IEEE 802.3 (2022), clause 3.2.9, over the results' bytes.
"""

import zlib

import numpy as np

__all__ = ["ADDRESS_BITS", "PERIOD", "START", "STATE_BITS", "TAPS", "addresses", "signature"]

ADDRESS_BITS = 8
STATE_BITS = 2 * ADDRESS_BITS
TAPS = (0, 1, 3, 12)
"""Of x^16 + x^12 + x^3 + x + 1, which is primitive."""
START = 1
"""The first state."""
PERIOD = (1 << STATE_BITS) - 1


def addresses(n: int) -> np.ndarray:
    """The first ``n`` addresses, 0 to `PERIOD`.

    Returns
    -------
    uint8 array of shape ``(n,)``
    """
    bits = np.zeros(PERIOD + STATE_BITS, np.uint8)
    bits[:STATE_BITS] = [START >> n & 1 for n in range(STATE_BITS)]
    step = STATE_BITS - max(TAPS)  # so many bits are known at once
    for first in range(0, PERIOD, step):
        new = bits[first + STATE_BITS : first + STATE_BITS + step]
        for tap in TAPS:
            new ^= bits[first + tap : first + tap + len(new)]
    places = (ADDRESS_BITS * np.arange(n)[:, None] + np.arange(ADDRESS_BITS)) % PERIOD
    return np.packbits(bits[places], axis=1, bitorder="little").reshape(n)


def signature(results: np.ndarray) -> int:
    """The CRC-32 of results, 32 bits.

    Parameters
    ----------
    results : uint8 array of shape ``(n, size)``
        A result per row, bit 0 in the lowest bit of the first byte, as few bytes as hold it.
    """
    return zlib.crc32(np.ascontiguousarray(results, np.uint8).tobytes())
