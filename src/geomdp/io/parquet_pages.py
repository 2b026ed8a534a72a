"""What the pages of a parquet file claim, each in its own header: memory is taken by that.

The end of a file says how large its columns are too, and may lie: a page of three hundred bytes can
hold a gigabyte.
"""

from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

#: Bytes up to which Arrow looks for the end of a header.
LONGEST_HEADER = 1 << 24
#: Fields of a header: bytes of its page in memory and in the file, and what kinds of pages say of
#: themselves, of which the first field is how many values they hold.
_UNPACKED, _PACKED, _KINDS = 2, 3, (5, 7, 8)
#: Bytes of values that are skipped: truth values lie in their kind, then single bytes and doubles.
_LENGTHS = {1: 0, 2: 0, 3: 1, 7: 8}


def claimed_by_pages(path: Path, start: int, size: int) -> tuple[int, int]:
    """Return how many bytes and how many values the pages of a column claim.

    Parameters
    ----------
    path
        The file.
    start, size
        Where the column begins, and its bytes in the file.

    Raises
    ------
    IndexError
        If the file ends before.

    Examples
    --------
    >>> import tempfile
    >>> import pyarrow
    >>> from pyarrow import parquet
    >>> path = Path(tempfile.mkdtemp()) / "a.parquet"
    >>> parquet.write_table(pyarrow.table({"x": [0.5, 1.5, 0.5]}), path)
    >>> found = parquet.ParquetFile(path).metadata.row_group(0).column(0)
    >>> claimed_by_pages(path, found.dictionary_page_offset, found.total_compressed_size)[1]
    5
    """
    held = values = 0
    with path.open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as data:
        place, end = start, start + size
        while place < end:
            header = Header(data, place)
            found = header.struct()
            held += found.get((_UNPACKED,), 0)
            values += sum(found.get((kind, 1), 0) for kind in _KINDS)
            place = header.place + max(0, found.get((_PACKED,), 0))
    return held, values


class Header:
    """One header, in Thrift's compact protocol, of which whole numbers are kept."""

    def __init__(self, data: mmap, place: int) -> None:
        self.data, self.place, self.end = data, place, place + LONGEST_HEADER

    def struct(self) -> dict[tuple[int, ...], int]:
        """Read all fields; whole numbers by the numbers of their field and of those around it."""
        found: dict[tuple[int, ...], int] = {}
        field = 0
        while head := self._byte():
            field = field + (head >> 4) if head >> 4 else self._whole()
            value = self._value(head & 15)
            if isinstance(value, dict):
                found |= {(field, *inner): number for inner, number in value.items()}
            elif value is not None:
                found[field,] = value
        return found

    def _value(self, kind: int) -> Any:
        """Read a value: a number, the numbers of a struct, or nothing that is kept."""
        if kind in (4, 5, 6):
            return self._whole()
        if kind == 12:
            return self.struct()
        if kind in (9, 10):
            self._list()
            return None
        length = self._plain() if kind == 8 else _LENGTHS[kind]
        self.place += length
        return None

    def _list(self) -> None:
        head = self._byte()
        count, kind = head >> 4, head & 15
        for _ in range(count if count < 15 else self._plain()):
            self._value(3 if kind in (1, 2) else kind)

    def _byte(self) -> int:
        if not 0 <= self.place < self.end:
            raise IndexError("a header of a page does not end")
        self.place += 1
        return self.data[self.place - 1]

    def _plain(self) -> int:
        """Read a whole number of any length, seven bits a byte."""
        value = shift = 0
        while (byte := self._byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _whole(self) -> int:
        """Read a whole number with a sign, which is its last bit."""
        value = self._plain()
        return (value >> 1) ^ -(value & 1)
