# SPDX-License-Identifier: Apache-2.0
"""Arrays to the bits of a port and back.

A payload crosses as one row of bytes, bit 0 of the layout in bit 0 of byte 0, as long as the model's own variable: 1, 2, 4 or
8 bytes, or a multiple of 4 above 64 bits. A scalar is the narrowest NumPy integer that holds it, an array adds a dimension,
a struct is a structured dtype.
"""

import numpy as np

from hdl.manifest import Array, Layout, Scalar, Struct

__all__ = ["differences", "dtype_of", "pack", "storage_bytes", "unpack"]


def storage_bytes(width: int) -> int:
    """Bytes of the variable that Verilator makes for a port of so many bits."""
    return next((size for size in (1, 2, 4, 8) if width <= 8 * size), 4 * -(-width // 32))


def dtype_of(layout: Layout) -> np.dtype:
    """The NumPy type of one payload.

    Raises
    ------
    ValueError
        If a scalar is wider than 64 bits.
    """
    match layout:
        case Scalar(width, signed):
            if width > 64:
                raise ValueError(f"a field of {width} bits has no NumPy type; 64 is the widest")
            return np.dtype(f"{'i' if signed else 'u'}{storage_bytes(width)}")
        case Array(element, length):
            return np.dtype((dtype_of(element), (length,)))
        case Struct(fields):
            return np.dtype([(name, dtype_of(field)) for name, field in fields])


def pack(layout: Layout, values: np.ndarray) -> np.ndarray:
    """Payloads as bytes.

    Parameters
    ----------
    values : array of shape ``(n,)`` of `dtype_of` the layout, or of any integer types with the same fields and dimensions

    Returns
    -------
    C-contiguous uint8 array of shape ``(n, storage_bytes(layout.width))``

    Raises
    ------
    TypeError
        If fields are missing or are no integers.
    ValueError
        If dimensions differ, or a value does not fit its field.
    """
    n_words = -(-layout.width // 64)
    words = np.zeros((len(values), n_words), np.uint64)
    for offset, scalar, leaf in _leaves(layout, np.asarray(values), 0, "the payload"):
        bits = leaf.astype(np.int64 if scalar.signed else np.uint64, copy=False).view(np.uint64)
        if scalar.signed:
            bits = bits & np.uint64((1 << scalar.width) - 1)
        word, shift = divmod(offset, 64)
        words[:, word] |= bits << np.uint64(shift)
        if shift + scalar.width > 64:
            words[:, word + 1] |= bits >> np.uint64(64 - shift)
    return np.ascontiguousarray(words.view(np.uint8)[:, : storage_bytes(layout.width)])


def unpack(layout: Layout, rows: np.ndarray) -> np.ndarray:
    """Payloads from bytes; the inverse of `pack`, with `dtype_of` the layout."""
    padded = np.zeros((len(rows), -(-layout.width // 64) * 8), np.uint8)
    padded[:, : rows.shape[1]] = rows
    words = padded.view(np.uint64)
    dtype = dtype_of(layout)
    base, dimensions = (dtype.base, dtype.shape) if dtype.subdtype else (dtype, ())
    values = np.zeros((len(rows), *dimensions), base)
    for offset, scalar, leaf in _leaves(layout, values, 0, "the payload", check=False):
        word, shift = divmod(offset, 64)
        bits = words[:, word] >> np.uint64(shift)
        if shift + scalar.width > 64:
            bits = bits | words[:, word + 1] << np.uint64(64 - shift)
        unused = np.uint64(64 - scalar.width)
        bits = bits << unused
        leaf[...] = bits.view(np.int64) >> unused.astype(np.int64) if scalar.signed else bits >> unused
    return values


def differences(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Which items of two arrays of shape ``(n,)`` with the same fields differ in value, whatever their integer types."""
    if expected.dtype.names:
        return np.logical_or.reduce([differences(expected[name], actual[name]) for name in expected.dtype.names])
    unequal = expected != actual
    return unequal.any(axis=tuple(range(1, unequal.ndim)))


def _leaves(layout, values, offset, where, *, check=True):
    """Bit offset, scalar and view of the values of every scalar in the layout."""
    match layout:
        case Scalar():
            if check:
                _check(layout, values, where)
            yield offset, layout, values
        case Array(element, length):
            if values.ndim < 2 or values.shape[1] != length:
                raise ValueError(f"{where} must have {length} elements, not the shape {values.shape[1:]}")
            for n in range(length):
                yield from _leaves(element, values[:, n], offset + n * element.width, f"{where}[{n}]", check=check)
        case Struct(fields):
            if values.dtype.names is None or set(values.dtype.names) != {name for name, _ in fields}:
                raise TypeError(f"{where} must have the fields {', '.join(name for name, _ in fields)}, not {values.dtype}")
            for name, field in fields:
                yield from _leaves(field, values[name], offset, name, check=check)
                offset += field.width


def _check(scalar, values, where):
    if values.ndim != 1:
        raise ValueError(f"{where} must be one value per item, not of shape {values.shape[1:]}")
    if values.dtype.kind not in "iub":
        raise TypeError(f"{where} must hold integers, not {values.dtype}")
    low, high = (-(1 << scalar.width - 1), (1 << scalar.width - 1) - 1) if scalar.signed else (0, (1 << scalar.width) - 1)
    if len(values) and (int(values.min()) < low or int(values.max()) > high):
        item = int(np.flatnonzero((values < low) | (values > high))[0])
        raise ValueError(f"{where} of item {item} is {values[item]}, which does not fit {low} to {high}")
