"""Public names of what a record consists of: parts, regions, features, landmarks, channels.

Names are words of the curator that a plan carries and a board reads. They calibrate nothing, and
they are never taken from the records: a header might hold what nobody meant to publish.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.serial import Document
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic

#: Longer names are sentences.
LONGEST = 64
#: What the coordinates of a landmark are called.
COORDINATES = "xyz"
#: Names that are said one by one.
MOST_SAID = 12


class Names(tuple[str, ...]):
    """Names, and which landmarks pictures join: pairs of their places, counted from 0.

    Examples
    --------
    >>> names = Names(["eye", "nose", "chin"], links=[(0, 1), (1, 2)])
    >>> names[1], names.links
    ('nose', ((0, 1), (1, 2)))
    """

    links: tuple[tuple[int, int], ...]

    def __new__(cls, names: Iterable[str] = (), links: Iterable[Sequence[int]] = ()) -> Self:
        """Make a tuple of names that knows its links."""
        made = super().__new__(cls, names)
        made.links = tuple((pair[0], pair[1]) for pair in links)
        return made


def links_of(names: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Return the links that come with names; none where nobody declared any."""
    return getattr(names, "links", ())


def named_count(statistic: Statistic) -> int:
    """Return how many names a record has: one for each entry of its first axis, or each factor.

    These are the shares of a composition, the coordinates of a vector, the rows of a matrix, the
    landmarks of a shape, the channels of a curve, the factors of a product.

    Examples
    --------
    >>> import geomdp as dp
    >>> spaces = dp.Sphere(2), dp.Correlation(5), dp.PlanarShapes(50)
    >>> [named_count(dp.Summary(space, 0.1)) for space in spaces]
    [3, 5, 50]
    """
    space = statistic.record_space
    factors = () if space is None else space.factors
    return len(factors) or _shape(statistic).shape[0]


def checked_names(names: Any, statistic: Statistic) -> tuple[str, ...]:
    """Return names as a plan carries them, or refuse what does not name each thing once."""
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise GeomdpError("Names must be a list of texts, one for each thing that they name.")
    links = _checked_links(links_of(names), statistic)
    plain = Names((name.strip() for name in names), links)
    if not plain:
        return plain
    bad = next((name for name in plain if not _is_name(name)), None)
    if bad is not None:
        raise GeomdpError(
            f"{bad[:LONGEST]!r} is no name: it must begin with a letter or a digit and have at "
            f"most {LONGEST} printable characters."
        )
    twice = next((name for name in plain if plain.count(name) > 1), None)
    if twice is not None:
        raise GeomdpError(f"The name {twice!r} is given twice; names tell things apart.")
    count = named_count(statistic)
    if len(plain) != count:
        raise GeomdpError(f"A record has {count} things to name, but there are {len(plain)} names.")
    return plain


def _checked_links(links: Any, statistic: Statistic) -> tuple[tuple[int, int], ...]:
    """Return links of landmarks that there are, or refuse them."""
    if not links:
        return ()
    shape = _shape(statistic)
    if not (shape.landmarks or shape.complex):
        raise GeomdpError("Links join landmarks, of which these records have none.")
    count = shape.shape[0]
    for pair in links:
        whole = all(isinstance(end, int) and 0 <= end < count for end in pair)
        if not whole or pair[0] == pair[1]:
            raise GeomdpError(
                f"A link joins two landmarks from 1 to {count}, not "
                f"{' and '.join(str(end + 1) for end in pair)}."
            )
    return tuple(links)


def names_to_json(names: Sequence[str]) -> Document:
    """Return the entries of a plan's document; nothing where there are no names and no links."""
    links = [[a + 1, b + 1] for a, b in links_of(names)]
    return {**({"names": list(names)} if names else {}), **({"links": links} if links else {})}


def names_from_json(document: Document) -> Names:
    """Inverse of :func:`names_to_json`."""
    return Names(document.get("names", ()), [(a - 1, b - 1) for a, b in document.get("links", ())])


def said(names: Sequence[str]) -> str:
    """Return names as part of a sentence: the first ones, and how many more."""
    first = ", ".join(names[:MOST_SAID])
    rest = len(names) - MOST_SAID
    return f"{first} and {rest} others" if rest > 0 else first


def column_names(
    statistic: Statistic, names: Sequence[str], size: int, triangle: Triangle
) -> tuple[str, ...]:
    """Return names of the columns in which a record is written as a row of ``size`` numbers.

    There are none where the numbers are others than the record's: angles, or the matrix of a
    rotation.

    Examples
    --------
    >>> import geomdp as dp
    >>> column_names(dp.Summary(dp.SPD(2), 0.1), ["a", "b"], 3, "lower")
    ('a:a', 'b:a', 'b:b')
    >>> column_names(dp.Summary(dp.PlanarShapes(3), 0.1), ["eye", "nose", "chin"], 6, "lower")[:3]
    ('eye.x', 'eye.y', 'nose.x')
    """
    shape = _shape(statistic)
    if not shape.symmetric and size != shape.size:
        return ()
    every = np.array(_entries(statistic, names), dtype=object)
    places = shape.pack(np.arange(every.size, dtype=float).reshape(shape.shape), size, triangle)
    return tuple(every[places.astype(int)])


def _entries(statistic: Statistic, names: Sequence[str]) -> list[str]:
    """Name every number of a record, row by row."""
    space, shape = statistic.record_space, _shape(statistic)
    if space is not None and space.factors:
        sizes = [factor.record_shape.size for factor in space.factors]
        pairs = zip(names, sizes, strict=True)
        return [f"{name}.{j + 1}" for name, size in pairs for j in range(size)]
    if len(shape.shape) == 1:
        return list(names)
    if shape.symmetric:
        return [f"{a}:{b}" for a in names for b in names]
    inner = shape.size // shape.shape[0]
    few = shape.landmarks or shape.complex
    marks = COORDINATES[:inner] if few else [str(j + 1) for j in range(inner)]
    return [f"{name}.{mark}" for name in names for mark in marks]


def _shape(statistic: Statistic) -> Any:
    space = statistic.record_space
    return statistic.record_shape if space is None else space.record_shape


def _is_name(name: str) -> bool:
    return 0 < len(name) <= LONGEST and name[0].isalnum() and name.isprintable()
