"""Flat landmarks: whether in pairs or in blocks is read off the header, or asked for."""

import re
from collections.abc import Sequence

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.tables import Layout
from geomdp.spaces.record_shape import Triangle
from geomdp.typing import Array

#: An axis and the number of a landmark, in either order, behind a name that all columns share.
_NAMED = re.compile(r"(.*?)(?:([xy])[\W_]*(\d+)|(\d+)[\W_]*([xy]))", re.IGNORECASE)


def in_pairs(
    values: Array, names: Sequence[str], layout: Layout | None, file: str
) -> tuple[Array, tuple[str, ...]]:
    """Return rows of flat landmarks as x, y pairs, and the names in that order.

    Raises
    ------
    InvalidRecordError
        If neither the names nor the caller tell the order: it is asked for, never guessed.

    Examples
    --------
    >>> rows, names = in_pairs(np.array([[1, 2, 3, 4]]), ("x0", "x1", "y0", "y1"), None, "a.csv")
    >>> rows.tolist(), names
    ([[1, 3, 2, 4]], ('x0', 'y0', 'x1', 'y1'))
    >>> in_pairs(np.zeros((1, 4)), ("a", "b", "c", "d"), None, "a.csv")
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv holds 4 numbers a record, and nothing tells ...
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

    Examples
    --------
    >>> order_of(["lm1_x", "lm1_y", "lm2_x", "lm2_y"]), order_of(["X1", "X2", "Y1", "Y2"])
    ([0, 1, 2, 3], [0, 2, 1, 3])
    >>> order_of(["x1", "x2", "y1", "y3"]) is None
    True
    """
    places: dict[int, dict[str, int]] = {}
    stems = set()
    for place, name in enumerate(names):
        found = _NAMED.fullmatch(name.strip())
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


def triangle_of(names: Sequence[str]) -> Triangle | None:
    """Return the order of the components of a 3 x 3 matrix that names of columns spell out.

    Examples
    --------
    >>> triangle_of(["Dxx", "Dxy", "Dxz", "Dyy", "Dyz", "Dzz"]), triangle_of(["a", "b"])
    ('upper', None)
    """
    ends = [frozenset(name.strip().lower()[-2:]) for name in names]
    for letters in ("xyz", "123"):
        for order, rows in _ORDERS.items():
            if ends == [frozenset((letters[i], letters[j])) for i, j in rows]:
                return order
    return None


_ORDERS: dict[Triangle, tuple[tuple[int, int], ...]] = {
    "lower": ((0, 0), (1, 0), (1, 1), (2, 0), (2, 1), (2, 2)),
    "upper": ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)),
}


def require_triangle(names: Sequence[str], chosen: Triangle, file: str) -> None:
    """Refuse an order of components that the names of the columns contradict."""
    spelt = triangle_of(names)
    if spelt not in (None, chosen):
        raise InvalidRecordError(
            f"The columns of {file} are named {', '.join(names)}, which is not the order "
            f"{chosen!r}; write --triangle {spelt}."
        )


def _stated(width: int, layout: Layout) -> list[int]:
    if layout == "pairs":
        return list(range(width))
    half = np.arange(width // 2)
    return np.stack([half, half + width // 2], axis=1).reshape(-1).tolist()
