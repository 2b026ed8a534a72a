"""One way in for all formats: a path and a statistic, and records come out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import and_more, column, gap_notes
from geomdp.io.csv_files import open_table, text_table
from geomdp.io.formats import FORMATS, PATH, Format, entity_of
from geomdp.io.options import HEADER_ROW, MASK, RECORDS, SHEET
from geomdp.io.shapes import as_records, in_pairs, require_order, triangle_told
from geomdp.io.tables import Choices, Raw, Texts, shown
from geomdp.runtime.limits import is_large, too_large
from geomdp.sources.cluster import require_dask
from geomdp.sources.dask_source import DaskSource
from geomdp.sources.files import Files, dask_array
from geomdp.spaces.record_shape import Triangle
from geomdp.spaces.rows import real_number
from geomdp.statistics.base import Statistic
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Loaded:
    """The records of a file, with what was kept beside them.

    Attributes
    ----------
    points
        As the plan takes them, not yet checked: raw records where it has a reading, unless
        ``read`` says that they are read already; for a summary the one point.
    columns
        Labels and persons, by the name of their column.
    format, names, size
        Format of the file, names of its columns of numbers, and how many numbers a record took:
        what is needed to write the value the same way.
    notes
        Sentences for the curator only.
    read
        Whether the reading is done, file by file.
    grid
        Public places of the voxels, for a format that has them.
    triangle
        Order of the components, where a symmetric matrix was written as its triangle.
    """

    points: Any
    columns: Mapping[str, Texts]
    format: Format
    names: tuple[str, ...]
    size: int
    notes: tuple[str, ...] = ()
    read: bool = False
    grid: Any = None
    triangle: Triangle = "lower"


def read_records(path: str | Path, statistic: Statistic, choices: Choices | None = None) -> Loaded:
    r"""Read the records of a statistic from a file or folder.

    Parameters
    ----------
    path
        npy, npz, csv, parquet, NIfTI or tps file, a folder of images or meshes, or what another
        package adds to :data:`geomdp.io.FORMATS`.
    statistic
        What the records are for: its space says how a row of numbers becomes a record.
    choices
        Columns, mask and order of components, where the file needs them.

    Raises
    ------
    InvalidRecordError
        One sentence: what is wrong with the file, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "tensors.csv"
    >>> _ = file.write_text("xx,yx,yy\n1,0.5,2\n2,0,1\n")
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> read_records(file, mean).points.shape
    (2, 2, 2)
    """
    path, choices = Path(path), choices or Choices()
    if not path.exists():
        raise InvalidRecordError(f"There is no file or folder {str(path)!r}; check the path.")
    try:
        chosen = format_of(path, choices, statistic)
        if statistic.needs_n and is_large(path) and chosen.streams(path):
            loaded, files, _ = open_parts(chosen, path, choices, statistic)
            return replace(loaded, points=files)
        _require_order(chosen, choices, statistic)
        beside, asked = _asked(chosen, choices)
        raw = chosen.read(path, asked, statistic)
        return shaped(with_labels(raw, beside, choices), chosen, path, choices, statistic)
    except MemoryError:
        raise too_large(path) from None


def open_parts(
    chosen: Format, path: Path, choices: Choices, statistic: Statistic
) -> tuple[Loaded, Files, bool]:
    """Open records that are read part by part, here or elsewhere; names and labels are read now.

    Returns what is common to all records, with one in place of them; how parts of them are read;
    and whether that takes so long that what came out is kept.

    Raises ``InvalidRecordError`` if the format is read as a whole only, or the file does not fit
    the statistic.
    """
    _require_order(chosen, choices, statistic)
    beside, asked = _asked(chosen, choices)
    parts = chosen.parts(path, asked, statistic) if statistic.needs_n else None
    if parts is None:
        raise InvalidRecordError(_readable(chosen))
    raw = with_labels(parts.example, beside, choices)
    # One record tells how all are written.
    loaded = shaped(replace(raw, values=raw.values[:1]), chosen, path, choices, statistic)
    loaded = replace(loaded, points=np.asarray(loaded.points[:1]))
    convert = partial(_part, parts.read, chosen, path, replace(choices, keep=()), statistic)
    paths = (str(path),) if choices.mask is None else (str(path), str(choices.mask))
    files = Files(parts.sizes, convert, loaded.points.shape[1:], paths)
    return loaded, files, parts.slow


def _asked(chosen: Format, choices: Choices) -> tuple[tuple[str, ...], Choices]:
    """Return which columns the table of labels has, and what the file is asked for."""
    beside, inside = asked_of_table(choices)
    folder = (PATH,) if beside and chosen.of_folders else ()
    return beside, replace(choices, keep=(*inside, *folder))


def _require_order(chosen: Format, choices: Choices, statistic: Statistic) -> None:
    """Ask for the order of a triangle where every file counts: none of them may tell it."""
    shape = choices.raw_shape(statistic.record_shape)
    if chosen.of_folders and choices.keep_unparsable and choices.triangle is None:
        require_order(shape)


def _part(
    read: Callable[[int], Raw],
    chosen: Format,
    path: Path,
    choices: Choices,
    statistic: Statistic,
    number: int,
) -> Array:
    """Read one part, and bring it into the shape of records."""
    return np.asarray(shaped(read(number), chosen, path, choices, statistic).points[:])


def _readable(chosen: Format) -> str:
    able = [name for name, form in FORMATS.items() if type(form).parts is not Format.parts]
    this = next(name for name, form in FORMATS.items() if form is chosen)
    what = f"with {this}" if this not in able else "for a single point"
    return (
        f"--scheduler goes with {', '.join(able)} that all workers reach, not {what}; leave it "
        "out, or write many records as parquet."
    )


def shaped(raw: Raw, chosen: Format, path: Path, choices: Choices, statistic: Statistic) -> Loaded:
    """Bring what a format read into the shape of records."""
    values, notes = _as_numbers(raw, path.name) if choices.keep_unparsable else (raw.values, ())
    shape = choices.raw_shape(statistic.record_shape)
    if raw.read:
        shape = statistic.record_shape
    if not statistic.needs_n and shape.accepts(values.shape, np.iscomplexobj(values)):
        values = values[None]  # the one point by itself
    names = raw.names
    if shape.complex and values.ndim == 2 and values.shape[1] == shape.size:
        values, names = in_pairs(values, names, choices.layout, path.name)
    if shape.symmetric:
        order = choices.triangle or raw.triangle
        order = triangle_told(values, names, shape, order, path.name) or order
        choices = replace(choices, triangle=order)
    points = as_records(values, shape, choices.order, path.name)
    if not statistic.needs_n:
        if len(points) != 1:
            raise InvalidRecordError(
                f"{path.name} holds {len(points)} points where one is needed; give a file with "
                "that point alone."
            )
        points = points[:][0]
    size = values[0].size
    notes = raw.notes + notes
    return Loaded(
        points, raw.columns, chosen, names, size, notes, raw.read, raw.grid, choices.order
    )


def _as_numbers(raw: Raw, file: str) -> tuple[Array, tuple[str, ...]]:
    """Return an array of texts as numbers, NaN where a text is none."""
    if raw.values.dtype.kind not in "SU":
        return raw.values, ()
    cells = [real_number(text) for text in raw.values.reshape(-1)]
    values = np.array(cells, dtype=np.float64).reshape(raw.values.shape)
    return values, gap_notes(values, file)


def format_of(path: Path, choices: Choices, statistic: Statistic) -> Format:
    """Return the format of a file or folder, or say which ones there are."""
    found = [name for name, form in FORMATS.items() if form.recognises(path, choices, statistic)]
    if not found or (path.is_dir() and len(found) > 1):
        raise InvalidRecordError(_unknown(path, found))
    chosen = FORMATS[found[0]]
    for option in (MASK, SHEET, HEADER_ROW, RECORDS):
        if getattr(choices, option.key) not in (None, "rows") and option not in chosen.options:
            takers = [name for name, form in FORMATS.items() if option in form.options]
            raise InvalidRecordError(
                f"{option.name} goes with {', '.join(takers)}, not with {path.name}; leave it out."
            )
    return chosen


def _unknown(path: Path, found: list[str]) -> str:
    folders = [name for name, form in FORMATS.items() if form.of_folders]
    if path.is_dir():
        what = f"both {' and '.join(found)}" if found else f"neither {' nor '.join(folders)}"
        return f"The folder {path.name} holds {what}; give a folder of one kind."
    endings = [end for name in FORMATS if name not in folders for end in FORMATS[name].endings]
    return (
        f"{path.name} has an ending that is not known; convert it to one of "
        f"{', '.join(dict.fromkeys(endings))}, or give a folder of {' or '.join(folders)}."
    )


#: Column of the table that names a file, where records come one file each.
FILE = "file"
#: Column that names a subject, in the table that BIDS has of them.
PARTICIPANT = "participant_id"
#: Place of the empty row behind all others, for a file that no row names.
NO_LINE = -1


def asked_of_table(choices: Choices) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which of the kept columns the table has, and which the records must have."""
    if choices.labels is None:
        return (), choices.keep
    if not choices.labels.is_file():
        raise InvalidRecordError(f"There is no table {str(choices.labels)!r}; check the path.")
    names = open_table(choices.labels, _for_table(choices, choices.keep)).names
    inside = tuple(name for name in choices.keep if name in names)
    return inside, tuple(name for name in choices.keep if name not in inside)


def _for_table(choices: Choices, names: tuple[str, ...]) -> Choices:
    """Return how the table is read: its rows are apart from each other where records are."""
    return Choices(
        columns=names,
        keep=names,
        keep_unparsable=choices.keep_unparsable,
        persons=choices.persons,
    )


def with_labels(raw: Raw, inside: tuple[str, ...], choices: Choices) -> Raw:
    """Add the columns of the table: by the name of the file, or else in the order of the rows."""
    if not inside or choices.labels is None:
        return raw
    names, rows = text_table(choices.labels, _for_table(choices, inside))
    found = {name: column(names, rows, name) for name in inside}
    table, notes = choices.labels.name, raw.notes
    named_by = next((name for name in (FILE, PARTICIPANT) if name in names), None)
    if named_by == FILE or (named_by is not None and PATH in raw.columns):
        lines = _lines(column(names, rows, named_by), raw, table, _FILES_BY[named_by])
        alone = [path for path, line in lines.items() if line == NO_LINE]
        told = [f"{table} has no row for the file {shown(path)}" for path in alone]
        if told and not choices.keep_unparsable:
            raise InvalidRecordError(f"{told[0]}{and_more(len(told))}; add it, by its name.")
        notes = (*notes, *told)
        places = np.array([lines[path] for path in raw.columns[PATH].tolist()], dtype=np.intp)
    elif len(rows) != len(raw.values):
        raise InvalidRecordError(
            f"{table} has {len(rows)} rows where there are {len(raw.values)} records; give one row "
            "a record, in their order, or a column 'file' for a folder."
        )
    else:
        places = np.arange(len(rows))
    kept = {name: np.append(texts, "")[places] for name, texts in found.items()}
    return replace(raw, columns={**raw.columns, **kept}, notes=notes)


def _names_of(path: str) -> set[str]:
    """Return the names by which a table may mean a file: its path, name or stem."""
    return {path, Path(path).name, Path(path).name.partition(".")[0]}


def _subject_of(path: str) -> set[str]:
    """Return the subject whose file it is, as BIDS names files; none where it names nobody."""
    return {entity_of(path, "sub")} - {""}


#: By what a row of a table means a file, by the column that says so.
_FILES_BY = {FILE: _names_of, PARTICIPANT: _subject_of}


def _lines(
    files: Texts, raw: Raw, table: str, names_of: Callable[[str], set[str]]
) -> dict[str, int]:
    """Return the table's row of each file.

    Two rows for a file are refused, whatever they say: one of them would speak for the record of
    another, and which one nobody knows.
    """
    if PATH not in raw.columns:
        raise InvalidRecordError(
            f"{table} names files, but the records come in one; give one row a record instead."
        )
    known: dict[str, list[int]] = {}
    for row, name in enumerate(files.tolist()):
        known.setdefault(name, []).append(row)
    lines = {}
    for path in dict.fromkeys(raw.columns[PATH].tolist()):
        rows = [row for name in names_of(path) for row in known.get(name, ())]
        if len(rows) > 1:
            raise InvalidRecordError(
                f"{table} has {len(rows)} rows for the file {shown(path)}; leave one of them."
            )
        lines[path] = rows[0] if rows else NO_LINE
    return lines


def read_elsewhere(
    path: str | Path, statistic: Statistic, choices: Choices | None = None
) -> Loaded:
    """Open the records of a statistic for the workers of a cluster, which read them.

    Here are read the names and labels alone; see :func:`geomdp.io.read_records`.

    Raises
    ------
    InvalidRecordError
        If the format is read as a whole only, or the file does not fit the statistic.

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> import geomdp as dp
    >>> file = Path(tempfile.mkdtemp()) / "tensors.npy"
    >>> np.save(file, np.tile([1.0, 0.5, 2.0], (7, 1)))
    >>> mean = dp.FrechetMean(dp.Ball(dp.SPD(2), center=np.eye(2), radius=2.0))
    >>> loaded = read_elsewhere(file, mean)
    >>> type(loaded.points).__name__, len(loaded.points), loaded.points[:1].tolist()
    ('DaskSource', 7, [[[1.0, 0.5], [0.5, 2.0]]])
    """
    path, choices = Path(path), choices or Choices()
    if not path.exists():
        raise InvalidRecordError(f"There is no file or folder {str(path)!r}; check the path.")
    require_dask()
    _require_no_disk(choices)
    path = path.resolve()  # workers stand elsewhere
    if choices.mask is not None:
        choices = replace(choices, mask=choices.mask.resolve())
    chosen = format_of(path, choices, statistic)
    loaded, files, slow = open_parts(chosen, path, choices, statistic)
    array = dask_array(files, files.shape, loaded.points.dtype)
    return replace(loaded, points=DaskSource(array, kept=slow))


def _require_no_disk(choices: Choices) -> None:
    if choices.cache is not None or choices.workers is not None:
        raise InvalidRecordError(
            "Workers of a cluster write no record to a disk and are as many as were started; leave "
            "out --cache and --workers, or --scheduler."
        )
