# SPDX-License-Identifier: Apache-2.0
"""Arrays to the bits of a port and back.

A payload crosses as one row of bytes, bit 0 of the layout in bit 0 of byte 0, as long as the model's own variable: 1, 2, 4 or
8 bytes, or a multiple of 4 above 64 bits. In NumPy

- a scalar of up to 64 bits is the narrowest integer that holds it;
- a wider one is a row of 64-bit limbs, the lowest first, in two's complement if it is signed (`to_limbs`, `from_limbs`);
- an array adds a dimension, and a struct is a structured dtype.
"""

import math
from collections.abc import Iterable, Iterator

import numpy as np

from hdl.manifest import Array, Layout, Scalar, Struct

__all__ = ["differences", "dtype_of", "from_limbs", "pack", "storage_bytes", "to_limbs", "unpack"]


def storage_bytes(width: int) -> int:
    """Bytes of the variable that Verilator makes for a port of so many bits."""
    return next((size for size in (1, 2, 4, 8) if width <= 8 * size), 4 * -(-width // 32))


def dtype_of(layout: Layout) -> np.dtype:
    """The NumPy type of one payload."""
    match layout:
        case Scalar(width, signed):
            if width > 64:
                return np.dtype((np.uint64, (-(-width // 64),)))
            return np.dtype(f"{'i' if signed else 'u'}{storage_bytes(width)}")
        case Array(element, length):
            return np.dtype((dtype_of(element), (length,)))
        case Struct(fields):
            return np.dtype([(name, dtype_of(field)) for name, field in fields])


def to_limbs(values: Iterable[int], width: int) -> np.ndarray:
    """Python integers as a field of more than 64 bits: uint64 array of shape ``(n, ceil(width / 64))``, lowest limb first.

    Raises
    ------
    OverflowError
        If a value, or its two's complement, needs more than ``width`` bits.
    """
    rows = []
    for value in values:
        if not -(1 << width - 1) <= value < 1 << width:
            raise OverflowError(f"{value} does not fit {width} bits")
        rows.append([(value >> shift) & (1 << 64) - 1 for shift in range(0, width, 64)])
    return np.array(rows, np.uint64).reshape(-1, -(-width // 64))


def from_limbs(limbs: np.ndarray, width: int, *, signed: bool = False) -> list[int]:
    """The inverse of `to_limbs`."""
    values = [sum(int(limb) << 64 * n for n, limb in enumerate(row)) & (1 << width) - 1 for row in limbs]
    return [value - (1 << width) if signed and value >> width - 1 else value for value in values]


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
    values = np.asarray(values)
    rows = np.zeros((len(values), storage_bytes(layout.width)), np.uint8)
    bits = None  # of the fields that are not whole bytes, a byte each
    for offset, scalar, field in _fields(layout, values, 0, "the payload"):
        _check(scalar, *field)
        data = field[0].reshape(len(values), _count(scalar, field[0]), _limbs(scalar))
        if _is_bytes(scalar, offset):
            size = scalar.width // 8
            as_bytes = np.ascontiguousarray(data.astype(_little(scalar, data), copy=False)).view(np.uint8)
            rows[:, offset // 8 : offset // 8 + data.shape[1] * size] = as_bytes.reshape(len(values), data.shape[1] * size)
        else:
            if bits is None:
                bits = np.zeros((len(values), rows.shape[1] * 8), np.uint8)
            wide = np.ascontiguousarray(data.astype("<i8" if scalar.signed and scalar.width <= 64 else "<u8", copy=False))
            as_bytes = wide.view(np.uint8).reshape(len(values), data.shape[1], 8 * _limbs(scalar))
            spread = np.unpackbits(as_bytes, axis=2, bitorder="little")
            end = offset + data.shape[1] * scalar.width
            bits[:, offset:end] = spread[:, :, : scalar.width].reshape(len(values), end - offset)
    return rows if bits is None else rows | np.packbits(bits, axis=1, bitorder="little")


def unpack(layout: Layout, rows: np.ndarray) -> np.ndarray:
    """Payloads from bytes; the inverse of `pack`, with `dtype_of` the layout."""
    dtype = dtype_of(layout)
    base, dimensions = (dtype.base, dtype.shape) if dtype.subdtype else (dtype, ())
    values = np.zeros((len(rows), *dimensions), base)
    bits = None
    for offset, scalar, (field, _) in _fields(layout, values, 0, "the payload"):
        count = _count(scalar, field)
        if _is_bytes(scalar, offset):
            data = np.ascontiguousarray(rows[:, offset // 8 : offset // 8 + count * scalar.width // 8])
            field[...] = data.view(field.dtype.newbyteorder("<")).reshape(field.shape)
        else:
            if bits is None:
                bits = np.unpackbits(rows, axis=1, bitorder="little")
            spread = bits[:, offset : offset + count * scalar.width].reshape(len(rows), count, scalar.width)
            padded = np.zeros((len(rows), count, 64 * _limbs(scalar)), np.uint8)
            padded[:, :, : scalar.width] = spread
            if scalar.signed:
                padded[:, :, scalar.width :] = spread[:, :, -1:]
            wide = np.packbits(padded, axis=2, bitorder="little").view("<i8" if scalar.signed else "<u8")
            field[...] = wide.reshape(field.shape)
    return values


def differences(expected: np.ndarray, actual: np.ndarray) -> np.ndarray:
    """Which items of two arrays of shape ``(n,)`` with the same fields differ in value, whatever their integer types."""
    if expected.dtype.names:
        return np.logical_or.reduce([differences(expected[name], actual[name]) for name in expected.dtype.names])
    unequal = expected != actual
    return unequal.any(axis=tuple(range(1, unequal.ndim)))


def _limbs(scalar) -> int:
    return -(-scalar.width // 64)


def _count(scalar, field) -> int:
    """Scalars per item."""
    return math.prod(field.shape[1:]) // (_limbs(scalar) if scalar.width > 64 else 1)


def _is_bytes(scalar, offset) -> bool:
    """Whether elements are whole bytes as they lie in memory, so that they can be copied instead of taken apart."""
    return offset % 8 == 0 and (scalar.width in (8, 16, 32) or scalar.width % 64 == 0)


def _little(scalar, data):
    return "<u8" if scalar.width > 64 else np.dtype(f"<{'i' if scalar.signed else 'u'}{scalar.width // 8}")


def _fields(layout, values, offset, where) -> Iterator[tuple[int, Scalar, tuple[np.ndarray, str]]]:
    """Bit offset, scalar, and values with their name, of every scalar or array of scalars in the layout."""
    match layout:
        case Scalar():
            yield offset, layout, (_shaped(layout, values, (), where), where)
        case Array(Scalar() as element, length):
            yield offset, element, (_shaped(element, values, (length,), where), where)
        case Array(element, length):
            if values.ndim < 2 or values.shape[1] != length:
                raise ValueError(f"{where} must have {length} elements, not the shape {values.shape[1:]}")
            for n in range(length):
                yield from _fields(element, values[:, n], offset + n * element.width, f"{where}[{n}]")
        case Struct(fields):
            if values.dtype.names is None or set(values.dtype.names) != {name for name, _ in fields}:
                raise TypeError(f"{where} must have the fields {', '.join(name for name, _ in fields)}, not {values.dtype}")
            for name, field in fields:
                yield from _fields(field, values[name], offset, name)
                offset += field.width


def _shaped(scalar, values, shape, where):
    expected = (*shape, _limbs(scalar)) if scalar.width > 64 else shape
    if values.shape[1:] != expected:
        if not expected:
            raise ValueError(f"{where} must be one value per item, not of shape {values.shape[1:]}")
        raise ValueError(f"{where} must be of shape {expected} per item, not {values.shape[1:]}")
    return values


def _check(scalar, values, where):
    if values.dtype.kind not in "iub":
        raise TypeError(f"{where} must hold integers, not {values.dtype}")
    if not values.size:
        return
    if scalar.width > 64:
        values, width = values[..., -1], scalar.width % 64 or 64  # only the highest limb can hold too much
        if scalar.signed:
            values = values.view(np.int64) if values.dtype == np.uint64 else values
    else:
        width = scalar.width
    low, high = (-(1 << width - 1), (1 << width - 1) - 1) if scalar.signed else (0, (1 << width) - 1)
    if int(values.min()) < low or int(values.max()) > high:
        item, *element = (int(n) for n in np.argwhere((values < low) | (values > high))[0])
        place = "".join(f"[{n}]" for n in element)
        of = "the highest limb of " if scalar.width > 64 else ""
        raise ValueError(f"{of}{where}{place} of item {item} is {values[item, *element]}, which does not fit {low} to {high}")
