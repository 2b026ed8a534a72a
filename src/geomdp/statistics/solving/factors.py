"""Products of spaces, factor by factor: the mean of a product is the product of the means.

Each factor has its own signs of curvature, and so a proved road to its mean, also where the product
has both (docs/theory/tolerance.md, "Products").
"""

from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol, runtime_checkable

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array


@runtime_checkable
class Factored(Protocol):
    """A space whose points are points of several, and whose squared distances are weighted sums."""

    @property
    def factors(self) -> tuple[Space, ...]:
        """The spaces of the parts."""

    @property
    def weights(self) -> tuple[float, ...]:
        """What a squared distance counts in each."""

    def split(self, x: Array) -> list[Array]:
        """Return points of the factors."""

    def join(self, *parts: Any) -> Array:
        """Inverse of :meth:`split`."""


@dataclass(frozen=True, eq=False)
class Factor:
    """One factor of a product: the ball that the parts of records lie in.

    Attributes
    ----------
    space
        The product.
    number
        Which factor it is.
    ball
        Holds the parts of all points of the product's ball.
    root
        Root of its weight: what a length there counts in the product.
    """

    space: Factored
    number: int
    ball: Ball
    root: float

    def part(self, encoded: Encoded) -> Encoded:
        """Return this factor's part of records, wherever they lie."""
        return encoded.mapped(partial(_part, self.space, self.number))


def factors_of(ball: Ball) -> tuple[Factor, ...]:
    """Return the factors of a ball on a product; none where its space is no product.

    >>> import geomdp as dp
    >>> space = dp.Product(dp.Sphere(2), dp.Euclidean(1), weights=(1.0, 0.25))
    >>> [factor.ball.radius for factor in factors_of(dp.Ball(space, [0, 0, 1, 0], 0.5))]
    [0.5000000000000001, 1.0000000000000002]
    """
    space = ball.space
    if not isinstance(space, Factored):
        return ()
    roots = np.sqrt(np.asarray(space.weights)).tolist()
    centers = space.split(np.asarray(ball.center))
    # Rounded up, so that no part of a record lies outside.
    balls = (
        Ball(factor, center, float(np.nextafter(ball.radius / root, np.inf)), wide=True)
        for factor, center, root in zip(space.factors, centers, roots, strict=True)
    )
    parts = enumerate(zip(balls, roots, strict=True))
    return tuple(Factor(space, number, part, root) for number, (part, root) in parts)


def _part(space: Factored, number: int, rows: Array) -> Array:
    return np.ascontiguousarray(space.split(rows)[number])
