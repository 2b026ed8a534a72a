"""From rows of numbers to records of a statistic."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.tables import Layout
from geomdp.runtime.limits import require_plain_file
from geomdp.runtime.npy_format import read_array
from geomdp.spaces.record_shape import RecordShape, Triangle
from geomdp.typing import Array


def as_records(values: Array, shape: RecordShape, triangle: Triangle, file: str) -> Any:
    """Return records (n, *shape), or say how the numbers should be arranged."""
    if values.dtype.kind not in "biufc":
        raise InvalidRecordError(f"{file} holds {_kind(values)} where numbers are needed.")
    if values.ndim < 2 or not len(values):
        raise InvalidRecordError(
            f"{file} holds an array of shape {values.shape}; records lie along its first axis."
        )
    one, is_complex = values.shape[1:], np.iscomplexobj(values)
    if is_complex and not shape.complex:
        raise InvalidRecordError(f"{file} holds complex numbers where real ones are needed.")
    if not shape.accepts(one, is_complex):
        raise InvalidRecordError(_misfit(file, one, shape))
    if is_complex or one == shape.shape:
        return values  # in its own type, which says how bright a pixel is
    if isinstance(values, np.memmap):
        return Unpacked(values, shape, triangle)
    return _unpacked(values, shape, triangle)


def in_full(rows: Array, shape: RecordShape, triangle: Triangle) -> Array:
    """Return rows of any length that a record may have as rows of all its numbers."""
    if rows.shape[1] == shape.size:
        return rows
    return shape.unpack(rows, triangle).reshape(len(rows), shape.size)


def sizes_in_words(shape: RecordShape) -> str:
    """Say how many numbers a record may have."""
    return " or ".join(map(str, dict.fromkeys(shape.flat_sizes)))


def _kind(values: Array) -> str:
    return "texts" if values.dtype.kind in "SU" else f"{values.dtype} entries"


def _unpacked(values: Array, shape: RecordShape, triangle: Triangle) -> Array:
    return shape.unpack(np.asarray(values, dtype=np.float64), triangle)


@dataclass(frozen=True, eq=False)
class Unpacked:
    """Rows of a memory-map, brought into the shape of records when they are asked for."""

    values: Array
    shape_of_record: RecordShape
    triangle: Triangle

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, rows: Any) -> Array:
        return _unpacked(self.values[rows], self.shape_of_record, self.triangle)


def _misfit(file: str, one: tuple[int, ...], shape: RecordShape) -> str:
    if len(one) != 1:
        return f"{file} holds records of shape {one} where {shape.shape} is needed."
    needed = f"{shape.size}"
    if shape.symmetric:
        needed += f" (or the {shape.triangle_size} of a triangle)"
    if file.startswith("--"):  # typed, not read
        return f"{file} has {one[0]} numbers where a point of the space has {needed}."
    return (
        f"{file} holds {one[0]} numbers a record where {needed} are needed; choose the columns "
        "with --column, and mind the size of the space."
    )


def read_matrix(file: str | Path) -> Array:
    """Read a square symmetric matrix, or say why it is none."""
    path = Path(file)
    require_plain_file(path)
    try:
        if path.suffix == ".npy":
            with path.open("rb") as stream:
                matrix = np.asarray(read_array(stream, path.stat().st_size), dtype=float)
        else:
            matrix = np.loadtxt(path, delimiter=",", ndmin=2, dtype=float)
    except OSError as error:
        raise GeomdpError(f"{str(path)!r} cannot be read: {error.strerror}.") from error
    except (ValueError, TypeError, EOFError) as error:
        raise GeomdpError(
            f"{path.name} is no matrix of numbers: a csv file without a head, or an npy file."
        ) from error
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
        raise GeomdpError(f"{path.name} is no square matrix: its shape is {matrix.shape}.")
    if not np.all(np.isfinite(matrix)) or not np.allclose(matrix, matrix.T, rtol=1e-6):
        raise GeomdpError(f"{path.name} is no covariance: it is not symmetric, or not finite.")
    return matrix


#: An axis and the number of a landmark, in either order, behind a name that all columns share.
_NAMED = re.compile(r"(.*?)(?:([xy])[\W_]*(\d+)|(\d+)[\W_]*([xy]))", re.IGNORECASE)
#: A unit behind a name: ``x1 [mm]``, ``Dxx (mm2/s)``.
_UNIT = re.compile(r"\s*(?:\[[^\[\]]*\]|\([^()]*\))\s*$")


def in_pairs(
    values: Array, names: Sequence[str], layout: Layout | None, file: str
) -> tuple[Array, tuple[str, ...]]:
    """Return rows of flat landmarks as x, y pairs, and the names in that order.

    Raises ``InvalidRecordError`` if neither the names nor the caller tell the order: it is asked
    for, never guessed.
    """
    order = order_of(names) if layout is None else _stated(values.shape[1], layout)
    if order is None:
        raise InvalidRecordError(
            f"{file} holds {values.shape[1]} numbers a record, and nothing tells whether they are "
            "pairs (x1, y1, x2, y2) or blocks (x1, x2, y1, y2); write --layout pairs or --layout "
            "blocks, or name the columns x1, y1 and so on."
        )
    named = tuple(names[place] for place in order) if len(names) == len(order) else tuple(names)
    return values[:, order], named


def order_of(names: Sequence[str]) -> list[int] | None:
    """Return the places of x1, y1, x2, y2 among named columns; None where names do not tell.

    Landmarks keep the order in which they appear first.
    """
    places: dict[int, dict[str, int]] = {}
    stems = set()
    for place, name in enumerate(names):
        found = _NAMED.fullmatch(without_unit(name))
        if found is None:
            return None
        stem, axis, number = found[1], found[2] or found[5], found[3] or found[4]
        stems.add(stem)
        landmark = places.setdefault(int(number), {})
        if axis.lower() in landmark:
            return None
        landmark[axis.lower()] = place
    if len(stems) > 1 or any(set(landmark) != {"x", "y"} for landmark in places.values()):
        return None
    return [landmark[axis] for landmark in places.values() for axis in "xy"] or None


def without_unit(name: str) -> str:
    """Return the name of a column without a unit in brackets."""
    return _UNIT.sub("", name).strip() or name.strip()


def triangle_of(names: Sequence[str]) -> Triangle | None:
    """Return the order of the components of a 3 x 3 matrix that names of columns spell out."""
    ends = [frozenset(without_unit(name).lower()[-2:]) for name in names]
    for letters in ("xyz", "123"):
        for order, rows in _ORDERS.items():
            if ends == [frozenset((letters[i], letters[j])) for i, j in rows]:
                return order
    return None


_ORDERS: dict[Triangle, tuple[tuple[int, int], ...]] = {
    "lower": ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)),
    "upper": ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)),
}


def triangle_told(
    values: Array, names: Sequence[str], shape: RecordShape, chosen: Triangle | None, file: str
) -> Triangle | None:
    """Return the order of components that was chosen, or that the names of the columns tell.

    Raises ``InvalidRecordError`` if names contradict what was chosen, or nothing tells and it
    matters: nobody guesses.
    """
    spelt = triangle_of(names)
    if chosen is not None and spelt not in (None, chosen):
        raise InvalidRecordError(
            f"The columns of {file} are named {', '.join(names)}, which is not the order "
            f"{chosen!r}; write --triangle {spelt}."
        )
    told = chosen or spelt
    if told is None and values.ndim == 2 and orders_differ(shape, values.shape[1]):
        raise InvalidRecordError(
            f"{file} holds {values.shape[1]} numbers a record, a triangle of a symmetric matrix, "
            "and nothing tells in which order; write --triangle lower (xx, yx, yy, zx, ...) or "
            f"--triangle upper (xx, xy, xz, yy, ...), or all {shape.size} numbers in the file."
        )
    return told


def require_order(shape: RecordShape) -> None:
    """Refuse to read records, each of which must count, without an order of their triangles."""
    if shape.symmetric and any(orders_differ(shape, size) for size in shape.flat_sizes):
        raise InvalidRecordError(
            "Where every record must count, none of them may tell how triangles of symmetric "
            "matrices are written; write --triangle lower (xx, yx, yy, zx, ...) or --triangle "
            "upper (xx, xy, xz, yy, ...)."
        )


def orders_differ(shape: RecordShape, size: int) -> bool:
    """Tell whether so many numbers are a triangle that reads otherwise in the other order."""
    if not shape.symmetric or size == shape.size or not shape.accepts((size,), False):
        return False
    places = np.arange(float(size))[None]
    return not np.array_equal(shape.unpack(places, "lower"), shape.unpack(places, "upper"))


def _stated(width: int, layout: Layout) -> list[int]:
    if layout == "pairs":
        return list(range(width))
    half = np.arange(width // 2)
    return np.stack([half, half + width // 2], axis=1).reshape(-1).tolist()
