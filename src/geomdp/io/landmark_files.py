"""Landmarks in tps files, and in text tables with one landmark a row."""

from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.io.csv_files import column, numbers, text_table, write_csv
from geomdp.io.tables import Choices, Raw, Texts, chosen, damaged

#: Columns of a table with one landmark a row.
LONG_COLUMNS = ("specimen", "landmark", "x", "y")
#: Landmarks of a specimen, and the other entries of its block (id, image, scale) by name.
Specimen: TypeAlias = tuple[list[list[float]], dict[str, str]]


def read_tps(path: Path, choices: Choices) -> Raw:
    """Read ``LM=`` blocks; ``id``, ``image`` and ``scale`` are its columns.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.tps"
    >>> write_tps(path, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> raw = read_tps(path, Choices(keep=("id",)))
    >>> raw.values.shape, raw.columns["id"].tolist()
    ((1, 3, 2), ['release'])
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        specimens = list(_specimens(lines))
    except (OSError, ValueError) as error:
        raise damaged(path, "tps", error) from error
    if not specimens:
        raise InvalidRecordError(f"{path.name} has no LM= block, so no landmarks.")
    sizes = {len(points) for points, _ in specimens}
    if len(sizes) > 1:
        raise InvalidRecordError(_mixed(path.name, sizes))
    names = sorted({key for _, entries in specimens for key in entries})
    chosen(names, choices, path.name)
    labels = {
        name: np.array([entries.get(name, "") for _, entries in specimens], dtype=str)
        for name in choices.keep
    }
    return Raw("tps", np.array([points for points, _ in specimens]), columns=labels)


def write_tps(path: Path, landmarks: NDArray[np.float64]) -> None:
    """Write one configuration with all its digits.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.tps"
    >>> write_tps(path, np.zeros((2, 2)))
    >>> path.read_text().split()
    ['LM=2', '0.0', '0.0', '0.0', '0.0', 'ID=release']
    """
    rows = "\n".join(f"{float(x)!r} {float(y)!r}" for x, y in landmarks)
    path.write_text(f"LM={len(landmarks)}\n{rows}\nID=release\n", encoding="utf-8")


def is_long(path: Path) -> bool:
    """Tell whether a text table has one landmark a row: columns specimen, landmark, x, y.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> write_long(path, np.zeros((3, 2)))
    >>> is_long(path)
    True
    """
    names, _ = text_table(path)
    return set(LONG_COLUMNS) <= set(names)


def read_long(path: Path, choices: Choices) -> Raw:
    """Read a table with one landmark a row; landmarks are ordered by their number.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> write_long(path, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    >>> read_long(path, Choices()).values.shape
    (1, 3, 2)
    """
    names, rows = text_table(path)
    chosen(names, choices, path.name)
    table = numbers(names, rows, LONG_COLUMNS[1:], path.name)
    _, first, owner = np.unique(
        column(names, rows, LONG_COLUMNS[0]), return_index=True, return_inverse=True
    )
    counts = np.bincount(owner)
    if np.ptp(counts):
        raise InvalidRecordError(_mixed(path.name, set(counts.tolist())))
    by_specimen = table[np.lexsort((table[:, 0], owner))].reshape(len(counts), -1, 3)
    if np.ptp(by_specimen[:, :, 0], axis=0).any() or np.any(np.diff(by_specimen[0, :, 0]) == 0):
        raise InvalidRecordError(
            f"{path.name}: every specimen needs the same landmarks, each once."
        )
    kept = {
        name: _one_each(column(names, rows, name), owner, first, name, path.name)
        for name in choices.keep
    }
    order = np.argsort(first)  # specimens as the file lists them
    labels = {name: texts[order] for name, texts in kept.items()}
    return Raw("landmarks", by_specimen[order][:, :, 1:], columns=labels)


def write_long(path: Path, landmarks: NDArray[np.float64]) -> None:
    """Write one configuration with one landmark a row.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "value.csv"
    >>> write_long(path, np.zeros((1, 2)))
    >>> path.read_text().split()
    ['specimen,landmark,x,y', 'release,1,0.0,0.0']
    """
    rows = [("release", i + 1, float(x), float(y)) for i, (x, y) in enumerate(landmarks)]
    write_csv(path, LONG_COLUMNS, rows)


def _specimens(lines: list[str]) -> Iterator[Specimen]:
    """Yield the blocks of a tps file; curves and comments are not landmarks and are passed over."""
    points: list[list[float]] | None = None
    entries: dict[str, str] = {}
    due = 0
    for line in lines:
        key, equals, value = line.strip().partition("=")
        if equals and key.upper() == "LM":
            if points is not None:
                yield points, entries
            points, entries, due = [], {}, int(value)
        elif due and points is not None:
            x, y = line.split()
            points.append([float(x), float(y)])
            due -= 1
            continue
        elif equals:
            entries[key.strip().lower()] = value.strip()
    if due:
        raise ValueError(f"{due} landmarks of the last specimen are missing")
    if points is not None:
        yield points, entries


def _one_each(
    texts: Texts, owner: NDArray[np.intp], first: NDArray[np.intp], name: str, file: str
) -> Texts:
    if np.any(texts[first][owner] != texts):
        raise InvalidRecordError(f"{file}: a specimen has several entries in column {name!r}.")
    return texts[first]


def _mixed(file: str, sizes: set[int]) -> str:
    return (
        f"{file} mixes specimens of {min(sizes)} and {max(sizes)} landmarks; resample outlines to "
        "a public number of points."
    )
