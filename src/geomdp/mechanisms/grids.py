"""The public grid that values are rounded to, and the way to it and back.

A value is rounded to multiples of public steps in public coordinates, and then made a point of its
space in floats (docs/theory/exact-release.md, docs/theory/lattice-gaussian.md).
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from geomdp.noise.entropy import Entropy
from geomdp.noise.rejection import Law, draw_floats, draw_rounded
from geomdp.spaces.base import Space
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: The public grid is this many binary digits finer than the noise.
GRID_DIGITS = 30


@dataclass(frozen=True, eq=False)
class Grid:
    """Public coordinates (D,) of a value and back, and the steps (D,) of the grid.

    ``scaled`` charts have a number more than the space has dimensions, and points divide by the
    length of the coordinates: spheres and shapes.
    """

    coordinates: Callable[[Array], Array]
    point: Callable[[Array], Array]
    steps: Array
    scaled: bool = False


def chart_grid(space: Space, exponent: int) -> Grid:
    """Return the grid of what :func:`sample` rounds: in the public chart of a space."""
    size = np.asarray(space.coordinates(space.origin(np.zeros(space.dim)))).size
    return Grid(
        lambda value: np.asarray(space.coordinates(value[None]))[0],
        lambda coordinates: np.asarray(space.point(coordinates[None]))[0],
        np.full(size, 2.0**exponent),
        scaled=size > space.dim,
    )


def linear_grid(linear: LinearStatistic, scale: float) -> Grid:
    """Return the grid of noise added to coordinates."""
    steps = np.ldexp(1.0, lattice_exponents(spreads_of(linear, scale)))
    return Grid(linear.to_coordinates, lambda at: np.asarray(linear.decode(at)), steps)


def lattice_exponents(spreads: Array) -> Array:
    """Binary exponents of the steps to which coordinates with these spreads are rounded."""
    return np.asarray(np.frexp(spreads)[1] - 1 - GRID_DIGITS)


def spreads_of(statistic: LinearStatistic, scale: float) -> Array:
    """Return the standard deviation of the noise on each coordinate, rounded up."""
    product = scale * np.asarray(statistic.noise_profile)
    exact = np.all(np.asarray(statistic.noise_profile) == 1.0)
    return product if exact else np.nextafter(product, np.inf)


def sample(law: Law, space: Space, exponent: int, entropy: Entropy, size: int) -> Array:
    """Draw points: rounded to the public grid with proof, or in floats if never published."""
    if not entropy.exact:
        return draw_floats(law, entropy, size)
    rounded = [draw_rounded(law, space.coordinates, exponent, entropy) for _ in range(size)]
    # From here on only public integers are touched: post-processing.
    return space.point(grid_floats(np.array(rounded), exponent))


def grid_floats(integers: Array, exponent: int) -> Array:
    """Multiples of ``2**exponent`` as floats, infinite where they are too large; never raises."""

    def nearest(integer: int) -> float:
        # The conversion itself fails beyond 2^1024, though the product may be a float.
        shift = max(0, integer.bit_length() - 1000)
        return float(np.ldexp(float(integer >> shift), shift + exponent))

    with np.errstate(over="ignore"):
        return np.asarray(np.frompyfunc(nearest, 1, 1)(integers), dtype=float)
