"""Hostile records for any statistic: of its space, or arrays of numbers like its template.

Covariates are hostile too, where the statistic needs them.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.curves.clipped_curves import ClippedCurves
from geomdp.curves.grids import RingGrid
from geomdp.sources.records import Records
from geomdp.spaces.ball import Ball
from geomdp.spaces.record_shape import RecordShape
from geomdp.statistics.base import Statistic
from geomdp.statistics.cover_radius import CoverRadius
from geomdp.statistics.linear import LinearStatistic
from geomdp.testing import hostile_records
from geomdp.typing import Array

#: Numbers at the edges of what a double can hold, and no numbers.
EDGES = np.array([0.0, -0.0, 5e-324, 1e-300, 1e-154, 1.0, 1e17, 1e154, 1e300, np.inf, np.nan])


#: What a covariate may be sent as.
CELLS = (0, -1.0, 1e300, -1e300, 5e-324, np.inf, -np.inf, np.nan, None, "", "f", "m", "<x>", "7")


def hostile(statistic: Statistic, count: int, rng: np.random.Generator) -> Any:
    """Return hostile records (count, ...) for a statistic; ``Records`` where it has covariates."""
    names = statistic.covariate_names
    points = _hostile_points(statistic, count, rng)
    if not names:
        return points
    cells = np.array(CELLS, dtype=object)
    sent = {name: rng.choice(cells, size=count) for name in names}
    if isinstance(statistic, LinearStatistic):
        # Half of them with declared values: a record is invalid as a whole else.
        likely = statistic.records_at(rng.standard_normal((count, statistic.vector_dim)))
        keep = rng.random(count) < 0.5
        sent = {name: np.where(keep, likely.covariates[name], sent[name]) for name in names}
    return Records(points, covariates=sent)


def _hostile_points(statistic: Statistic, count: int, rng: np.random.Generator) -> Array:
    ball = getattr(statistic, "ball", None)
    if isinstance(statistic, CoverRadius):
        ball = Ball(statistic.space, statistic.center, statistic.top, wide=True)
    space = statistic.record_space
    if isinstance(statistic, LinearStatistic) and ball is None and space is not None:
        ball = Ball.whole(space)  # only means by an embedding have a space and no ball
    template = np.asarray(statistic.public_record)
    if ball is not None and template.ndim > ball.center.ndim:
        return _hostile_maps(ball, template.shape, count, rng)
    if ball is not None:
        return hostile_records(ball.space, ball, count, rng)
    shape = (count, *template.shape)
    each = (count, *(1,) * template.ndim)
    sizes = 10.0 ** rng.uniform(-300, 300, size=each)
    with np.errstate(all="ignore"):
        kinds = [
            template + sizes * rng.standard_normal(shape),
            template * sizes,
            np.where(rng.random(shape) < 0.05, rng.choice(EDGES, size=shape), template),
            rng.choice(EDGES[:-2], size=shape) * rng.choice([-1.0, 1.0], size=shape),
            (template + rng.standard_normal(shape)).astype(np.float32).astype(float),
        ]
    return np.stack(kinds)[rng.integers(len(kinds), size=count), np.arange(count)]


def _hostile_maps(
    ball: Ball, shape: tuple[int, ...], count: int, rng: np.random.Generator
) -> Array:
    """Return maps of hostile points, half of them of valid ones: a map is invalid as a whole."""
    points = count * int(np.prod(shape)) // ball.center.size
    any_maps, valid_maps = (
        hostile_records(ball.space, ball, points, rng, valid=valid).reshape(count, *shape)
        for valid in (False, True)
    )
    chosen = rng.integers(0, 2, size=(count, *(1,) * len(shape))) == 1
    return np.where(chosen, any_maps, valid_maps)


# --- one hostile record among public ones, in everything that a curator may hand in


#: What is no record of any statistic, and what may look like one.
OBJECTS: tuple[Any, ...] = (
    None,
    "n/a",
    "north",
    b"\xff",
    {"a": 1.0},
    {1.0, 2.0},
    1j,
    10**400,
    object(),
    [],
    [[1.0, 2.0], [3.0]],
    ([], []),
    ([10**400] * 5, [1.0] * 5),
    (["a"] * 5, [1.0] * 5),
    np.datetime64("2020-01-01", "ns"),
    np.ones((2, 3, 4)),
)
#: What may stand in one entry of a record.
ENTRIES: tuple[Any, ...] = (None, "n/a", "north", "1.5", True, 1j, 10**400, [1.0], float("nan"))


def odd_records(record: Array) -> Iterator[Any]:
    """Give objects in place of a record, records of another length, and one odd entry in it."""
    yield from OBJECTS
    yield np.ravel(record)[:-1]
    yield np.append(record, 1.0)
    for entry in ENTRIES:
        spoiled = np.array(record, dtype=object)
        spoiled[(0,) * spoiled.ndim] = entry
        yield spoiled


def held(statistic: Statistic, others: Array, record: Any) -> Iterator[Any]:
    """Give the other records, with one more as the last, in every container that can hold them."""
    records = [*others, record]
    yield records
    objects = np.empty(len(records), dtype=object)
    for row, one in enumerate(records):
        objects[row] = one
    yield objects
    if isinstance(record, np.ndarray) and record.shape == others.shape[1:]:
        yield np.concatenate([others.astype(object), record.astype(object)[None]])
        yield from _frames(others, record)
        yield from _with_times(statistic, records)


def _frames(others: Array, record: Any) -> Iterator[Any]:
    """Give frames of rows of numbers, where there is pandas."""
    if others.ndim != 2 or find_spec("pandas") is None:
        return
    from pandas import DataFrame

    with suppress(OverflowError):  # older pandas holds no integers beyond floats
        yield DataFrame([*others.tolist(), list(record)])


def _with_times(statistic: Statistic, records: list[Any]) -> Iterator[Any]:
    """Give curves with times of their own: those of the grid, and some that are none."""
    curves = getattr(statistic, "functions", statistic)
    if not isinstance(curves, ClippedCurves) or isinstance(curves.grid, RingGrid):
        return
    assert curves.grid is not None
    grid, (*others, last) = curves.grid.points, records
    timed = [(grid, one) for one in others]
    for times in (grid, grid[::-1], grid[:-1], 0 * grid, grid + 1e300, grid + np.nan, None):
        yield [*others, (times, last)]
        if curves.resampling in ("linear", "pchip"):  # which leave a curve on the grid as it is
            yield [*timed, (times, last)]


# --- in files ---------------------------------------------------------------------------------


def written(folder: Path, statistic: Statistic, others: Array, record: Any) -> Iterator[Path]:
    """Write the other records, with one more as the last, to every file that can hold them."""
    shape = statistic.record_shape
    if isinstance(record, np.ndarray) and record.dtype != object:
        with suppress(ValueError):  # of another shape
            np.save(folder / "records.npy", np.concatenate([others, record[None]]))
            yield folder / "records.npy"
    rows = [shape.pack(one, shape.size, "lower").tolist() for one in others]
    rows.append(_cells(shape, record))
    yield _csv(folder / "records.csv", rows)
    if find_spec("pyarrow") is None:
        return
    from pyarrow import parquet

    for name, table in _tables(shape, others, rows, record):
        parquet.write_table(table, folder / f"{name}.parquet")
        yield folder / f"{name}.parquet"


def _cells(shape: RecordShape, record: Any) -> list[Any]:
    """Return what stands in the row of a record, complex numbers as pairs."""
    cells = record.ravel().tolist() if isinstance(record, np.ndarray) else record
    cells = list(cells) if isinstance(cells, list | tuple) else [cells]
    if not shape.complex or len(cells) >= shape.size:
        return cells
    pairs = ((c.real, c.imag) if isinstance(c, complex) else (c, c) for c in cells)
    return [cell for pair in pairs for cell in pair]


def _csv(path: Path, rows: Sequence[list[Any]]) -> Path:
    head = [f"c{place}" for place in range(len(rows[0]))]
    lines = [",".join(map(str, row)) or "n/a" for row in (head, *rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def _tables(
    shape: RecordShape, others: Array, rows: Sequence[list[Any]], record: Any
) -> Iterator[tuple[str, Any]]:
    """Give tables of lists in every length that a record may have, of matrices, and of columns."""
    import pyarrow

    lists = pyarrow.list_(pyarrow.float64())
    sizes = [shape.flat_sizes[row % len(shape.flat_sizes)] for row in range(len(others))]
    packed = [shape.pack(o, n, "lower").tolist() for o, n in zip(others, sizes, strict=True)]
    last = None if record is None else rows[-1]
    with suppress(TypeError, ValueError, OverflowError):  # what no list of numbers can hold
        points = pyarrow.array([*packed, last], lists)
        yield "lists", pyarrow.table({"points": points})
    if len(shape.shape) == 2:
        with suppress(TypeError, ValueError, OverflowError):
            last = shape.as_real(record).tolist() if isinstance(record, np.ndarray) else record
            nested = [*(shape.as_real(one).tolist() for one in others), last]
            yield "matrices", pyarrow.table({"points": pyarrow.array(nested, pyarrow.list_(lists))})
    if {len(row) for row in rows} == {shape.size}:  # readings may be any number
        columns = {f"c{i}": _column(cells) for i, cells in enumerate(zip(*rows, strict=True))}
        yield "columns", pyarrow.table(columns)


def _column(cells: Sequence[Any]) -> Any:
    """Return a column of numbers, or of texts where one is none: then it is so for all."""
    import pyarrow

    try:
        return pyarrow.array(cells, pyarrow.float64())
    except (TypeError, ValueError, OverflowError):
        return pyarrow.array([None if cell is None else str(cell) for cell in cells])
