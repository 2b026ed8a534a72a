"""Records in parquet files (needs pyarrow, extra ``io``)."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.io.arrow_columns import Column, kind_of, pyarrow_or_refuse, texts_of
from geomdp.io.cells import and_more, gap_notes
from geomdp.io.formats import FORMATS, FileParts, Format, Value, alike
from geomdp.io.tables import Choices, Raw, chosen, shown
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.sources.files import OPENERS, Files
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic


@dataclass(frozen=True, eq=False)
class Rows:
    """How the rows of a file become records: by its schema and the plan, each row by itself.

    ``path``, ``choices``: the file, and how it is read. ``shape``: of a raw record: of symmetric
    matrices a list may hold all numbers, or the triangle's. ``gaps``: whether a null is no mistake:
    the statistic fills it.
    """

    path: Path
    choices: Choices
    shape: RecordShape
    gaps: bool = False

    def raw(self, group: int | None = None, rows: int | None = None) -> Raw:
        """Return the records of a row group, or of the whole file, which must have so many rows."""
        table = self.opened(lambda file: self._read(file, group, rows))
        wanted = chosen(table.column_names, self.choices, self.path.name)
        with read_as(self.path, "parquet"):
            labels = {name: texts_of(table[name], self.path) for name in self.choices.keep}
            columns = [Column.of(table[name], self.shape, self.choices.order) for name in wanted]
        if not self.choices.keep_unparsable:
            self._require_numbers(wanted, columns)
        numbers = [one.numbers for one in columns]
        values = numbers[0] if numbers[0].ndim > 1 else np.stack(numbers, axis=1)
        silent = self.gaps or not self.choices.keep_unparsable
        notes = () if silent else gap_notes(values, self.path.name)
        return Raw(values, tuple(wanted), labels, notes)

    def only_row(self) -> NDArray[np.float64]:
        """Return the numbers of a file of one row, however many it has."""
        table = self.opened(lambda file: self._read(file, None, 1))
        return np.hstack([np.asarray(one[0].as_py(), dtype=float) for one in table.columns])

    def _require_numbers(self, names: Sequence[str], columns: Sequence[Column]) -> None:
        for name, one in zip(names, columns, strict=True):
            bad = one.bad(self.gaps).tolist()
            if bad:
                place = f"{self.path.name}, row {bad[0] + 1}, column {shown(name)}"
                raise InvalidRecordError(
                    f"{place}: {one.complaint(bad[0])}{and_more(len(bad))}; correct it, or choose "
                    "the columns of numbers with --column."
                )

    def wanted(self, schema: Any) -> tuple[str, ...]:
        """Return the columns of numbers, or the one of lists: what the schema says, no row."""
        names = chosen(schema.names, self.choices, self.path.name)
        kinds = [kind_of(schema.field(name).type) for name in names]
        for name, kind in zip(names, kinds, strict=True):
            if kind == "other":
                raise InvalidRecordError(
                    f"{self.path.name}, column {shown(name)} holds {schema.field(name).type}, no "
                    "numbers; choose the columns of numbers with --column."
                )
        if not names or ("list" in kinds and len(kinds) > 1):
            raise InvalidRecordError(
                f"{self.path.name} has several columns of lists, or of lists and numbers, or none; "
                "choose one, or columns of numbers, with --column."
            )
        return tuple(names)

    def width(self, schema: Any) -> tuple[int, ...]:
        """Return the shape in which the values of a record come."""
        names = self.wanted(schema)
        return Column.shape_of([schema.field(name).type for name in names], self.shape)

    def opened(self, take: Callable[[Any], Any]) -> Any:
        """Take something of a file, texts as places in a list of all different ones."""
        _, parquet = pyarrow_or_refuse()
        with read_as(self.path, "parquet"):
            with parquet.ParquetFile(self.path) as file:
                schema = file.schema_arrow
            texts = [field.name for field in schema if kind_of(field.type) == "text"]
            with parquet.ParquetFile(self.path, read_dictionary=texts) as file:
                return take(file)

    def _read(self, file: Any, group: int | None, rows: int | None) -> Any:
        """Read the columns that are asked for, and no others, if what they claim is plausible."""
        found = file.metadata.num_rows
        if rows is not None and found != rows:
            raise MachinesError(f"{self.path.name} has {found} rows there, not {rows}")
        names = list(dict.fromkeys((*self.choices.keep, *self.wanted(file.schema_arrow))))
        groups = list(range(file.metadata.num_row_groups)) if group is None else [group]
        require_plausible(self.path, _claimed(self.path, file, groups, names))
        table = file.read_row_groups(groups, columns=names)
        return table.select(names)


def _claimed(path: Path, file: Any, groups: list[int], names: Sequence[str]) -> int:
    """Return how many bytes columns take in memory, by what a file and its pages say of them."""
    meta, total = file.metadata, 0
    begins = tuple(f"{name}." for name in names)  # a list is stored as a path below its name
    for group in groups:
        part = meta.row_group(group)
        for place in range(part.num_columns):
            column = part.column(place)
            if f"{column.path_in_schema}.".startswith(begins):
                begin, coded = column.data_page_offset, column.dictionary_page_offset or 0
                start = coded if 0 < coded < begin else begin  # as Arrow has it
                held, values = claimed_by_pages(path, start, column.total_compressed_size)
                values = max(values, column.num_values, part.num_rows)
                total += max(held, column.total_uncompressed_size, 8 * values)
    return total


def write_parquet(path: Path, names: tuple[str, ...], row: NDArray[np.float64]) -> None:
    """Write one row of numbers."""
    arrow, parquet = pyarrow_or_refuse()
    columns = [row] if len(names) == 1 and row.size > 1 else row.reshape(-1, 1)
    listed = [[column.tolist()] if column.size > 1 else column.tolist() for column in columns]
    parquet.write_table(arrow.table(dict(zip(names, listed, strict=True))), path)


def _row_group(rows: Rows, groups: tuple[int, ...], count: int, number: int) -> Raw:
    """Read one row group: on a worker."""
    return rows.raw(groups[number], count)


def row_groups(path: Path, shape: tuple[int, ...]) -> Files:
    """Open a file of records alone, without a plan: numbers, or lists of as many as a record has.

    What is missing, and a list of another length, is NaN in its own row.
    """
    rows = Rows(path, Choices(keep_unparsable=True), RecordShape(shape))

    def take(file: Any) -> dict[int, int]:
        held = [kind_of(file.schema_arrow.field(n).type) for n in rows.wanted(file.schema_arrow)]
        if "text" in held or ("list" in held and not shape):
            raise InvalidRecordError(
                f"{path.name} holds columns that are no numbers, or lists; write one with the "
                "columns of the records alone, or say the shape of a record."
            )
        groups = range(file.metadata.num_row_groups)
        return {group: file.metadata.row_group(group).num_rows for group in groups}

    sizes = {group: size for group, size in rows.opened(take).items() if size}
    count = sum(sizes.values())
    return Files(tuple(sizes.values()), partial(_numbers, rows, tuple(sizes), count))


def _numbers(rows: Rows, groups: tuple[int, ...], count: int, number: int) -> NDArray[np.float64]:
    return _row_group(rows, groups, count, number).values


class Parquet(Format):
    """Columns of numbers, or one of lists; a value is a table of one row."""

    endings = (".parquet",)
    value_file = "value.parquet"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return _rows(path, choices, statistic).raw()

    def parts(self, path: Path, choices: Choices, statistic: Statistic) -> FileParts:
        """Row groups; the labels are read here."""
        rows = _rows(path, choices, statistic)

        def take(file: Any) -> tuple[dict[int, int], tuple[str, ...], tuple[int, ...], Any]:
            groups = range(file.metadata.num_row_groups)
            sizes = {group: file.metadata.row_group(group).num_rows for group in groups}
            require_plausible(path, _claimed(path, file, list(groups), choices.keep))
            schema = file.schema_arrow
            return sizes, rows.wanted(schema), rows.width(schema), file.read(list(choices.keep))

        found, wanted, width, kept = rows.opened(take)
        sizes = {group: size for group, size in found.items() if size}
        count = sum(sizes.values())
        if not count:
            raise InvalidRecordError(f"{path.name} holds no records.")
        labels = {name: texts_of(kept[name], path) for name in choices.keep}
        example = Raw(alike(count, np.zeros(width)), wanted, labels)
        alone = replace(rows, choices=replace(choices, keep=(), columns=wanted))
        return FileParts(
            tuple(sizes.values()), partial(_row_group, alone, tuple(sizes), count), example
        )

    def streams(self, path: Path) -> bool:  # noqa: D102
        return True

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_parquet(file, value.names, value.row)

    def read_back(self, file: Path, statistic: Statistic) -> NDArray[np.float64]:
        """Read the numbers of the only row, which a reading may write as more or fewer."""
        return _rows(file, Choices(), statistic).only_row()


def _rows(path: Path, choices: Choices, statistic: Statistic) -> Rows:
    shape = choices.raw_shape(statistic.record_shape)
    return Rows(path, choices, shape, statistic.fills_gaps)


#: Bytes up to which Arrow looks for the end of a header.
LONGEST_HEADER = 1 << 24
#: Fields of a header: bytes of its page in memory and in the file, and what kinds of pages say of
#: themselves, of which the first field is how many values they hold.
_UNPACKED, _PACKED, _KINDS = 2, 3, (5, 7, 8)
#: Bytes of values that are skipped: truth values lie in their kind, then single bytes and doubles.
_LENGTHS = {1: 0, 2: 0, 3: 1, 7: 8}


def claimed_by_pages(path: Path, start: int, size: int) -> tuple[int, int]:
    """Return how many bytes and how many values the pages of a column claim, each in its header.

    The end of a file says how large its columns are too, and may lie: a page of three hundred bytes
    can hold a gigabyte. Memory is taken by what is said here.

    Raises ``IndexError`` if the file ends before.
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


FORMATS.register("parquet", Parquet())
OPENERS.register(".parquet", row_groups)
