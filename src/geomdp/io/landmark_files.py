"""Landmarks in tps files, and in text tables with one landmark a row."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import column, is_number, numbers
from geomdp.io.csv_files import TABLE_ENDINGS, open_table, text_table, write_csv
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.options import HEADER_ROW, SHEET
from geomdp.io.sheet_rows import SHEET_ENDINGS
from geomdp.io.tables import Choices, Raw, Texts, chosen, shown
from geomdp.io.text_rows import read_text
from geomdp.runtime.limits import read_as
from geomdp.spaces.rows import real_number
from geomdp.statistics.base import Statistic

#: Columns of a table with one landmark a row; landmarks in space have the last one.
LONG_COLUMNS = ("specimen", "landmark", "x", "y", "z")
#: Beginning of a block of landmarks, by the number of their coordinates.
BLOCKS = {"LM": 2, "LM3": 3}
#: Entries that one block may have several times.
_REPEATED = {"points", "comment", "variables"}
#: Digits of a number of landmarks, at most.
_DIGITS = 18
_KINDS = {2: "in the plane (LM=)", 3: "in 3D (LM3=)"}
#: Landmarks of a specimen, and the other entries of its block (id, image, scale) by name.
Specimen: TypeAlias = tuple[list[list[float]], dict[str, str]]


def read_tps(
    path: Path, choices: Choices, landmarks: int | None = None, dimensions: int = 2
) -> Raw:
    """Read ``LM=`` and ``LM3=`` blocks; ``id``, ``image`` and ``scale`` are its columns.

    Blocks of the other kind than the plan's are skipped, with a note. With ``keep_unparsable`` each
    is a record, and one without the public number of landmarks, or with landmarks of other than the
    public number of dimensions, is one of NaN.
    """
    keep = choices.keep_unparsable
    with read_as(path, "tps"):
        lines = read_text(path, replace=keep).removesuffix("\n").split("\n")
        specimens = list(_specimens(lines, dimensions, keep, bool(choices.keep)))
    others = 0 if keep else sum(_block(line) not in (None, dimensions) for line in lines)
    if not specimens:
        raise InvalidRecordError(_no_landmarks(path.name, others, dimensions))
    notes: tuple[str, ...] = ()
    if others:
        notes = (f"{path.name}: {others} specimens {_KINDS[5 - dimensions]} are skipped",)
    if keep and landmarks is not None:
        specimens, more = _of_one_size(specimens, landmarks, dimensions, path.name)
        notes += more
    sizes = {len(points) for points, _ in specimens}
    if len(sizes) > 1:
        raise InvalidRecordError(_mixed(path.name, sizes))
    names = sorted({key for _, entries in specimens for key in entries})
    chosen(names, choices, path.name)
    labels = {
        name: np.array([entries.get(name, "") for _, entries in specimens], dtype=str)
        for name in choices.keep
    }
    return Raw(np.array([points for points, _ in specimens]), columns=labels, notes=notes)


def write_tps(path: Path, landmarks: NDArray[np.float64]) -> None:
    """Write one configuration with all its digits."""
    rows = "\n".join(" ".join(map(repr, point)) for point in landmarks.tolist())
    block = "LM" if landmarks.shape[1] == 2 else "LM3"
    path.write_text(f"{block}={len(landmarks)}\n{rows}\nID=release\n", encoding="utf-8")


def is_long(path: Path, choices: Choices, dimensions: int = 2) -> bool:
    """Tell whether a text table has one landmark a row: specimen, landmark, x, y (and z)."""
    return set(long_columns(dimensions)) <= set(open_table(path, choices).names)


def long_columns(dimensions: int) -> tuple[str, ...]:
    """Return the columns of a table with one landmark a row."""
    return LONG_COLUMNS[: 2 + dimensions]


def read_long(
    path: Path, choices: Choices, landmarks: int | None = None, dimensions: int = 2
) -> Raw:
    """Read a table with one landmark a row; landmarks are ordered by their number.

    With ``keep_unparsable`` a specimen that has not the public number of landmarks, each once, is a
    record of NaN.
    """
    keep = choices.keep_unparsable
    # A specimen has many lines, which nobody counts: they are like records of persons.
    names, rows = text_table(path, replace(choices, persons=LONG_COLUMNS[:1]))
    chosen(names, choices, path.name)
    table, notes = numbers(names, rows, long_columns(dimensions)[1:], path.name, keep)
    _, first, owner = np.unique(
        column(names, rows, LONG_COLUMNS[0]), return_index=True, return_inverse=True
    )
    if keep and landmarks is not None:
        configurations = _each_alone(table, owner, landmarks)
    else:
        configurations = _all_alike(table, owner, path.name)
    texts_of = {name: column(names, rows, name) for name in choices.keep}
    if keep:
        kept = {name: _agreed(texts, owner) for name, texts in texts_of.items()}
    else:
        kept = {n: _one_each(texts, owner, first, n, path.name) for n, texts in texts_of.items()}
    order = np.argsort(first)  # specimens as the file lists them
    labels = {name: texts[order] for name, texts in kept.items()}
    return Raw(configurations[order], columns=labels, notes=notes)


def write_long(path: Path, landmarks: NDArray[np.float64]) -> None:
    """Write one configuration with one landmark a row."""
    rows = [("release", i + 1, *point) for i, point in enumerate(landmarks.tolist())]
    write_csv(path, long_columns(landmarks.shape[1]), rows)


def by_specimen(
    table: NDArray[np.float64], specimens: Texts, kept: dict[str, Texts], landmarks: int
) -> tuple[NDArray[np.float64], dict[str, Texts]]:
    """Return configurations as specimens come, each by itself, and what is kept of each.

    NaN for one that has not the public number of landmarks, each once, and no text where rows of a
    specimen say different things.
    """
    _, first, owner = np.unique(specimens, return_index=True, return_inverse=True)
    order = np.argsort(first)
    agreed = {name: _agreed(texts, owner)[order] for name, texts in kept.items()}
    return _each_alone(table, owner, landmarks)[order], agreed


def _all_alike(
    table: NDArray[np.float64], owner: NDArray[np.intp], file: str
) -> NDArray[np.float64]:
    """Return configurations (n, k, m), or refuse specimens that differ in their landmarks."""
    counts = np.bincount(owner)
    if np.ptp(counts):
        raise InvalidRecordError(_mixed(file, set(counts.tolist())))
    by_specimen = table[np.lexsort((table[:, 0], owner))].reshape(len(counts), -1, table.shape[1])
    order = by_specimen[:, :, 0]
    if np.any(order != order[0]) or np.any(np.diff(order[0]) == 0):
        raise InvalidRecordError(f"{file}: every specimen needs the same landmarks, each once.")
    return by_specimen[:, :, 1:]


def _each_alone(
    table: NDArray[np.float64], owner: NDArray[np.intp], landmarks: int
) -> NDArray[np.float64]:
    """Return configurations (n, k, m), NaN for each specimen without k numbered landmarks."""
    count = int(owner.max()) + 1
    configurations = np.full((count, landmarks, table.shape[1] - 1), np.nan)
    ordered = np.lexsort((table[:, 0], owner))
    ends = np.cumsum(np.bincount(owner))
    for i, rows in enumerate(np.split(table[ordered], ends[:-1])):
        if len(rows) == landmarks and np.all(np.diff(rows[:, 0]) > 0):
            configurations[i] = rows[:, 1:]
    return configurations


def _of_one_size(
    specimens: list[Specimen], landmarks: int, dimensions: int, file: str
) -> tuple[list[Specimen], tuple[str, ...]]:
    notes, alike = [], []
    for i, (points, entries) in enumerate(specimens):
        whole = len(points) == landmarks
        if not whole or np.isnan(points).any():
            each = "two" if dimensions == 2 else "three"
            notes.append(
                f"{file}, specimen {i + 1}: not {landmarks} landmarks, each {each} numbers"
            )
        alike.append((points if whole else [[np.nan] * dimensions] * landmarks, entries))
    return alike, tuple(notes)


def _specimens(
    lines: list[str], dimensions: int, keep_unparsable: bool = False, named: bool = False
) -> Iterator[Specimen]:
    """Yield the blocks of a tps file; curves and comments are not landmarks and are passed over.

    A second entry of a name tells that two specimens are in one block. It has no landmarks then;
    where specimens are ``named`` by an entry it is refused, since one would get another's name.
    """
    points: list[list[float]] | None = None
    entries: dict[str, str] = {}
    due = 0
    for line in lines:
        key, equals, value = line.strip().partition("=")
        block = _block(line)
        if block == dimensions:
            if due:
                _require_kept(keep_unparsable, f"{due} landmarks before {shown(line)} are missing")
            if points is not None:
                yield points, entries
            points, entries, due = [], {}, _count(value, keep_unparsable)
        elif block is not None:  # another kind of record: it and its entries
            if points is not None:
                yield points, entries
            points, entries, due = [] if keep_unparsable else None, {}, 0
        elif due and points is not None:
            points.append(_landmark(line, dimensions, keep_unparsable))
            due -= 1
        elif equals and points is not None:
            name = key.strip().lower()
            if name in entries and name not in _REPEATED:
                _require_kept(keep_unparsable and not named, _two_in_one(name))
                points = []
            entries[name] = value.strip()
    if due:
        _require_kept(keep_unparsable, f"{due} landmarks of the last specimen are missing")
    if points is not None:
        yield points, entries


def _block(line: str) -> int | None:
    """Return how many coordinates the landmarks have that a line announces; else None."""
    key, equals, _ = line.strip().partition("=")
    return BLOCKS.get(key.strip().upper()) if equals else None


def _two_in_one(name: str) -> str:
    return f"a second {shown(name.upper())} in one block: a heading LM= is missing or misspelt"


def _no_landmarks(file: str, others: int, dimensions: int) -> str:
    if others:
        here, there = _KINDS[dimensions], _KINDS[5 - dimensions]
        return (
            f"{file} has {others} specimens {there}, which this plan skips, and none {here}; plan "
            "on a space of shapes of that kind."
        )
    return f"{file} has no LM= block, so no landmarks."


def _count(text: str, keep_unparsable: bool) -> int:
    digits = text.strip()
    count = int(digits) if digits.isdecimal() and len(digits) <= _DIGITS else -1
    if count < 0:
        _require_kept(keep_unparsable, f"LM={shown(text)} is no number of landmarks")
    return max(count, 0)


def _landmark(line: str, dimensions: int, keep_unparsable: bool) -> list[float]:
    cells = line.split()
    whole = len(cells) == dimensions
    if keep_unparsable:
        return [real_number(cell) for cell in cells] if whole else [np.nan] * dimensions
    if not whole:
        raise ValueError(
            f"the line {shown(line)} has {len(cells)} numbers where a landmark has {dimensions}"
        )
    wrong = next((cell for cell in cells if not is_number(cell)), None)
    if wrong is not None:
        raise ValueError(f"{shown(wrong)} is not a number")
    return [float(cell) for cell in cells]


def _require_kept(keep_unparsable: bool, reason: str) -> None:
    if not keep_unparsable:
        raise ValueError(reason)


def _one_each(
    texts: Texts, owner: NDArray[np.intp], first: NDArray[np.intp], name: str, file: str
) -> Texts:
    if np.any(texts[first][owner] != texts):
        raise InvalidRecordError(f"{file}: a specimen has several entries in column {name!r}.")
    return texts[first]


def _agreed(texts: Texts, owner: NDArray[np.intp]) -> Texts:
    """Return the one text of each specimen; none where its lines have none, or several."""
    found: list[set[str]] = [set() for _ in range(int(owner.max()) + 1)]
    for place, text in zip(owner.tolist(), texts.tolist(), strict=True):
        found[place] |= {text} - {""}
    return np.array([one.pop() if len(one) == 1 else "" for one in found], dtype=str)


def _mixed(file: str, sizes: set[int]) -> str:
    return (
        f"{file} mixes specimens of {min(sizes)} and {max(sizes)} landmarks; resample outlines to "
        "a public number of points."
    )


class Tps(Format):
    """Blocks of landmarks."""

    endings = (".tps",)
    value_file = "value.tps"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_tps(path, choices, *_configuration(statistic))

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_tps(file, value.real)


def _configuration(statistic: Statistic) -> tuple[int, ...]:
    """Return how many landmarks in how many dimensions; nothing where records are no landmarks."""
    shape = statistic.record_shape
    return shape.shape if shape.landmarks else ()


class Landmarks(Format):
    """A table with one landmark a row; it comes before other tables."""

    endings = (*TABLE_ENDINGS, *SHEET_ENDINGS)
    value_file = "value.csv"
    options = (SHEET, HEADER_ROW)

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether a statistic of shapes meets a table with the columns of landmarks."""
        table, shape = super().recognises(path, choices, statistic), statistic.record_shape
        return table and shape.landmarks and is_long(path, choices, shape.shape[1])

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_long(path, choices, *_configuration(statistic))

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_long(file, value.real)


FORMATS.register("tps", Tps())
FORMATS.register("landmarks", Landmarks())
