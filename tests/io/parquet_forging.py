"""Parquet files taken apart and put together again, with headers that say something else.

Headers and the end of a file are structs in Thrift's compact protocol: here a dictionary from the
number of a field to its kind and value.
"""

from collections.abc import Callable
from typing import Any

TRUTHS, BYTE, WHOLE, DOUBLE, BYTES, LISTS, STRUCT = (1, 2), 3, (4, 5, 6), 7, 8, (9, 10), 12
#: Fields of a header.
KIND, UNPACKED, PACKED, DATA_PAGE, DICTIONARY_PAGE = 1, 2, 3, 5, 7
#: Kind of page that holds a dictionary.
DICTIONARY = 2
#: Fields of a column at the end of the file.
VALUES, ALL_UNPACKED, ALL_PACKED, DATA_OFFSET, DICTIONARY_OFFSET = 5, 6, 7, 9, 11

Struct = dict[int, list[Any]]


def forged(
    data: bytes,
    page: Callable[[Struct, bytes], bytes] = lambda header, body: body,
    column: Callable[[Struct], None] = lambda meta: None,
) -> bytes:
    """Write a file again.

    Parameters
    ----------
    data
        The file.
    page
        Changes a header, and gives what its page holds.
    column
        Changes what the end of the file says of a column.
    """
    length = int.from_bytes(data[-8:-4], "little")
    foot, out = decoded(data, len(data) - 8 - length)[0], b"PAR1"
    for group in foot[4][1][1]:
        for one in group[1][1][1]:
            meta = one[3][1]
            coded = DICTIONARY_OFFSET in meta
            place = meta[DICTIONARY_OFFSET if coded else DATA_OFFSET][1]
            end, begins = place + meta[ALL_PACKED][1], []
            while place < end:
                header, at = decoded(data, place)
                place = at + header[PACKED][1]
                body = page(header, data[at:place])
                header[PACKED][1] = len(body)
                begins.append(len(out))
                out += encoded(header) + body
            if coded:
                meta[DICTIONARY_OFFSET][1] = begins[0]
            meta[DATA_OFFSET][1] = begins[1 if coded else 0]
            meta[ALL_PACKED][1] = len(out) - begins[0]
            column(meta)
    tail = encoded(foot)
    return out + tail + len(tail).to_bytes(4, "little") + b"PAR1"


def decoded(data: bytes, place: int, kind: int = STRUCT) -> tuple[Any, int]:
    """Return a value, and where it ends."""
    if kind in TRUTHS:
        return kind == 1, place
    if kind in WHOLE:
        number, place = _plain(data, place)
        return (number >> 1) ^ -(number & 1), place
    if kind in (BYTE, DOUBLE):
        end = place + (1 if kind == BYTE else 8)
        return data[place:end], end
    if kind == BYTES:
        length, place = _plain(data, place)
        return data[place : place + length], place + length
    if kind in LISTS:
        count, inner = data[place] >> 4, data[place] & 15
        count, place = _plain(data, place + 1) if count == 15 else (count, place + 1)
        found = []
        for _ in range(count):
            value, place = decoded(data, place, BYTE if inner in TRUTHS else inner)
            found.append(value)
        return [inner, found], place
    struct: Struct = {}
    field = 0
    while head := data[place]:
        place += 1
        if head >> 4:
            field += head >> 4
        else:
            field, place = decoded(data, place, WHOLE[0])
        value, place = decoded(data, place, head & 15)
        struct[field] = [head & 15, value]
    return struct, place + 1


def encoded(value: Any, kind: int = STRUCT) -> bytes:
    """Return the bytes of a value."""
    if kind in TRUTHS:
        return b""
    if kind in WHOLE:
        return _plainly((value << 1) ^ (value >> 63))
    if kind in (BYTE, DOUBLE):
        return value
    if kind == BYTES:
        return _plainly(len(value)) + value
    if kind in LISTS:
        inner, items = value
        head = bytes([0xF0 | inner]) + _plainly(len(items))
        return head + b"".join(encoded(one, BYTE if inner in TRUTHS else inner) for one in items)
    parts = (
        bytes([k]) + encoded(field, WHOLE[0]) + encoded(v, k) for field, (k, v) in value.items()
    )
    return b"".join(parts) + b"\0"


def _plain(data: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while data[place] > 127:
        value |= (data[place] & 127) << shift
        place, shift = place + 1, shift + 7
    return value | data[place] << shift, place + 1


def _plainly(value: int) -> bytes:
    low = bytes([value & 127 | (128 if value > 127 else 0)])
    return low + _plainly(value >> 7) if value > 127 else low
