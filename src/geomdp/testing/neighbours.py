"""The sensitivity adversary: it searches neighbours that move a statistic as far as it can."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.statistics.base import Statistic
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Bound
from geomdp.testing.judging import require_true
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class Neighbours:
    """The worst pair that a search found.

    Attributes
    ----------
    moved
        Distance between the two answers.
    bound
        The statistic's sensitivity, which covers all pairs.
    one, other
        The two data sets; they differ in the last record.
    """

    moved: float
    bound: float
    one: Array
    other: Array

    @property
    def share(self) -> float:
        """How much of the sensitivity was attained: little says that the search was weak."""
        return self.moved / self.bound


def search_neighbours(
    statistic: Statistic,
    n: int,
    *,
    steps: int = 30,
    seed: int = 0,
    bound: Bound = "sharp",
) -> Neighbours:
    """Search data sets that differ in one record and whose answers differ most.

    Starts where sensitivities are known to be attained, or nearly (records at the ends of a
    diameter and a record that crosses, all on one line, all over the boundary), and climbs from
    there: all records at once or one at a time, in smaller and smaller steps. The answers are those
    of :meth:`~geomdp.statistics.Statistic.estimate`, to its own tolerance.

    Parameters
    ----------
    statistic
        Of records within a public bound, which are made by their vectors about the public record.
    n
        Number of records, at least 2.
    steps
        Steps from each start; 0 tries the starts alone.
    seed
        Seed of the search.
    bound
        Which bound to hold the statistic to.

    Raises
    ------
    AssertionError
        If a pair exceeds the stated sensitivity, with its movement.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.4)
    >>> worst = search_neighbours(dp.FrechetMean(ball), n=5, steps=5)
    >>> 0.9 < worst.share <= 1
    True
    >>> class Boastful(dp.FrechetMean):
    ...     def sensitivity(self, n, bound):
    ...         return dp.FrechetMean.sensitivity(self, 2 * n, bound)
    >>> search_neighbours(Boastful(ball), n=5, steps=0)
    Traceback (most recent call last):
    AssertionError: frechet-mean with n = 5: one record moves the answer by ...
    """
    stated = statistic.sensitivity(n, bound).value
    worst = max(
        (_climb(statistic, v, steps, seed + i) for i, v in enumerate(_starts(statistic, n, seed))),
        key=lambda found: found[0],
    )
    moved, data = worst
    one, other = _pair(data)
    require_true(
        f"{statistic.tag} with n = {n}: one record moves the answer by {moved:.6g}, but the stated "
        f"sensitivity is {stated:.6g}",
        moved <= stated + _room(statistic, n, stated),
    )
    return Neighbours(moved, stated, one, other)


def _climb(statistic: Statistic, v: Array, steps: int, seed: int) -> tuple[float, Array]:
    """Climb from these coordinates; return the largest movement, and its records."""
    rng = np.random.default_rng(seed)
    rows = np.arange(len(v))[:, None]
    data = _records(statistic, v)
    best = _movement(statistic, data)
    for scale in np.geomspace(0.7, 0.02, steps):
        change = scale * _radius(statistic) * rng.normal(size=v.shape)
        if rng.uniform() < 0.7:
            change = change * (rows == rng.integers(len(v)))
        tried = _records(statistic, v + change)
        found = _movement(statistic, tried)
        if found > best:
            best, v, data = found, v + change, tried
    return best, data


def _starts(statistic: Statistic, n: int, seed: int) -> Iterator[Array]:
    """Coordinates (n + 1, dim) of the records that stay, of the one that goes, and the new one."""
    if n < 2 or not statistic.needs_n:
        raise GeomdpError("A search for neighbours needs a statistic of at least two records.")
    r, dim = _radius(statistic), statistic.vector_dim
    rng = np.random.default_rng(seed)
    over = rng.normal(size=(n + 1, dim))
    yield over * r / np.linalg.norm(over, axis=1, keepdims=True)
    first = 0
    if isinstance(statistic, LinearStatistic):  # the coordinate that one record moves most
        first = int(np.argmax(statistic.shrinkage / statistic.noise_profile)) % dim
    for second in dict.fromkeys(((first + 1) % dim, first)):
        v = np.zeros((n + 1, dim))
        v[:-2, first] = r * (-1.0) ** np.arange(n - 1)
        v[-2:, second] = r, -r
        yield v
    v[:-2, first] = r * np.linspace(-0.5, 0.5, n - 1)
    yield v
    for one, other in combinations(getattr(statistic, "extremes", ()), 2):
        yield np.stack([*[one] * (n - 1), one, other])


def _radius(statistic: Statistic) -> float:
    measured = isinstance(statistic, LinearStatistic) or statistic.value_space is not None
    if statistic.vector_radius is None or not measured:
        raise GeomdpError(
            "A search for neighbours needs records within a public bound, and an answer that is a "
            f"point or linear; {statistic.tag} lacks one of them."
        )
    return statistic.vector_radius


def _records(statistic: Statistic, v: Array) -> Array:
    """Return records with coordinates ``v``, as they leave the door."""
    return statistic.admit(statistic.records_at(v)).under("public")


def _pair(data: Array) -> tuple[Array, Array]:
    """Return the data sets without the last record and without the one before it."""
    return data[:-1], np.concatenate([data[:-2], data[-1:]])


def _movement(statistic: Statistic, data: Array) -> float:
    """Distance between the answers on a pair, in the units of the sensitivity."""
    pair = _pair(data)
    if isinstance(statistic, LinearStatistic):
        one, other = (statistic.mean_coordinates(records) for records in pair)
        return float(np.linalg.norm((one - other) / statistic.noise_profile))
    tolerance, space = statistic.tolerance(len(pair[0])), statistic.value_space
    assert space is not None  # in a ball, answers are points as records are
    return float(space.dist(*(statistic.estimate(d, tolerance) for d in pair)))


def _room(statistic: Statistic, n: int, stated: float) -> float:
    """Float error of the distance, which is computed from two computed answers."""
    ball = statistic.public_ball
    if ball is None or isinstance(statistic, LinearStatistic):
        return 8 * n * float(np.finfo(float).eps) * stated
    return 4 * ball.space.log_rounding(ball.center, ball.radius)
