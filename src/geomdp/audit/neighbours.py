"""Pairs of neighbouring data sets, built from public things, on which a plan may leak most."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.sources.records import Records, as_records
from geomdp.statistics.base import Statistic
from geomdp.statistics.encoded import Encoded
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: Random directions besides the axes.
RANDOM_DIRECTIONS = 1
#: Axes tried.
MOST_AXES = 1


@dataclass(frozen=True, eq=False)
class Pair:
    """Two data sets that differ in their last record, admitted by the plan's own door."""

    name: str
    first: Array
    second: Array
    #: Whether the public record stands in one of them where the other has a record.
    alone: bool = False

    @property
    def sets(self) -> tuple[Encoded, Encoded]:
        """Both, as a mechanism takes them."""
        return Encoded.of(self.first), Encoded.of(self.second)


def pairs(plan: SinglePlan, seed: int = 0) -> list[Pair]:
    """Return candidate pairs: boundary points, both sides, a line, and a lone record.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    >>> found = pairs(dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(1)))
    >>> found[0].name, found[0].first.shape
    ('all at one end, direction 1', (20, 3))
    """
    rng = np.random.default_rng(seed)
    if not plan.statistic.needs_n:
        return list(_of_summary(plan, rng))
    return [*_of_records(plan, rng), *_of_extremes(plan), *_of_radii(plan)]


def as_data(plan: SinglePlan, records: Any) -> Any:
    """Return records as a plan takes them: one a person where it protects persons."""
    if not plan.statistic.needs_n or plan.unit.of == "record":
        return records
    data = as_records(records)
    return Records(data.points, person=np.arange(len(data)), covariates=data.covariates)


def public_radius(plan: SinglePlan) -> float:
    """Radius of the ball, or bound on the norm of a record's coordinates."""
    stated = plan.statistic.vector_radius
    return float(plan.sensitivity.value if stated is None else stated)


def _directions(plan: SinglePlan, rng: np.random.Generator) -> list[Array]:
    """Axes, those that a linear statistic smooths least first, and a few at random."""
    statistic, dim = plan.statistic, plan.statistic.vector_dim
    order = np.arange(dim)
    if isinstance(statistic, LinearStatistic) and np.size(statistic.shrinkage) == dim:
        order = np.argsort(-np.asarray(statistic.shrinkage) / np.asarray(statistic.noise_profile))
    axes = [np.eye(1, dim, int(k))[0] for k in order[:MOST_AXES]]
    loose = rng.standard_normal((RANDOM_DIRECTIONS, dim)) if dim > 1 else np.empty((0, dim))
    return [_in_blocks(statistic, v / np.linalg.norm(v)) for v in (*axes, *loose)]


def _first_block(statistic: Statistic) -> int:
    """Return how many entries of a vector are clipped together with the first."""
    return statistic.blocks[0]


def _in_blocks(statistic: Statistic, direction: Array) -> Array:
    """Return a direction that is long in every block; covariates are all at an end at once."""
    first = _first_block(statistic)
    if first == len(direction):
        return direction
    own = direction[:first] if np.any(direction[:first]) else np.eye(1, first)[0]
    return np.r_[own / np.linalg.norm(own), np.ones(len(direction) - first)]


def _opposite(statistic: Statistic, direction: Array) -> Array:
    """Return the other end of the worst pair: covariates stay, the rest changes sides."""
    first = _first_block(statistic)
    return np.r_[-direction[:first], direction[first:]]


def _of_records(plan: SinglePlan, rng: np.random.Generator) -> Iterator[Pair]:
    radius, n = public_radius(plan), plan.n
    directions = _directions(plan, rng)
    for number, u in enumerate(directions, start=1):
        across = directions[number % len(directions)]
        across = across - (across @ u) / (u @ u) * u
        across = _in_blocks(plan.statistic, across / (np.linalg.norm(across) or 1.0))
        # Restricted laws lose most just inside the boundary, where events are not yet rare.
        inside = max(0.0, 1 - 2 * plan.scale / radius)
        other = _opposite(plan.statistic, u)
        spots = np.stack([u, other, 0 * u, across, -across, inside * u])
        line = np.linspace(-1.0, 1.0, max(2, min(n - 1, 32)))[:, None] * u
        # Each record is admitted alone, so that few need to be admitted and all can be repeated.
        points = plan.statistic.admit(
            plan.statistic.records_at(radius * np.concatenate([spots, line]))
        )
        rows = points.records
        others = rows[len(spots) + np.arange(n - 1) % len(line)]
        sides = rows[3 + np.arange(n - 1) % 2]
        made = {
            "all at one end": (_all(rows[0], n - 1), rows[0], rows[1]),
            "near one end": (_all(rows[5], n - 1), rows[0], rows[1]),
            "both sides": (sides, rows[0], rows[1]),
            "on a line": (others, rows[0], rows[1]),
            "all at the centre": (_all(rows[2], n - 1), rows[0], rows[1]),
        }
        for name, (rest, here, there) in made.items():
            first, second = (np.concatenate([rest, one[None]]) for one in (here, there))
            yield Pair(f"{name}, direction {number}", first, second)
        public = _all(rows[2], n)
        one = np.concatenate([public[:-1], rows[:1]])
        yield Pair(f"one alone, direction {number}", public, one, alone=True)


def _of_extremes(plan: SinglePlan) -> Iterator[Pair]:
    """Give the two that move it farthest, of the records that the statistic names."""
    asked: Any = plan.statistic
    if not hasattr(asked, "extremes"):
        return
    rows = asked.admit(asked.records_at(asked.extremes)).records
    moved = np.array([asked.mean_coordinates(row[None]) for row in rows]) / asked.noise_profile
    apart = np.linalg.norm(moved[:, None] - moved, axis=-1)
    here, there = np.unravel_index(int(np.argmax(apart)), apart.shape)
    rest = _all(rows[here], plan.n - 1)
    first, second = (np.concatenate([rest, rows[k][None]]) for k in (here, there))
    yield Pair("from one extreme to another", first, second)


def _of_radii(plan: SinglePlan) -> Iterator[Pair]:
    """Places on a grid of radii where one record decides: as many outside as may be, or one more.

    At the end of the grid a record's next place shows best: there half of the weight is.
    """
    asked, n = plan.statistic.as_cover(), plan.n
    if asked is None:
        return
    for near in (asked.steps, asked.steps // 2):
        for moved in (near - 1, -1):
            depths = np.full(n, near)
            depths[: asked.outside] = -1
            other = np.r_[depths[:-1], moved]
            yield Pair(f"one record decides, from radius {near} to {moved}", depths, other)


def _all(row: Array, count: int) -> Array:
    return np.repeat(row[None], count, axis=0)


def _of_summary(plan: SinglePlan, rng: np.random.Generator) -> Iterator[Pair]:
    """Two points as far apart as the user says that neighbours can be."""
    # A hair less: the float distance of the two may be rounded up.
    reach = plan.sensitivity.value * (1 - 1e-9)
    for number, u in enumerate(_directions(plan, rng), start=1):
        ends = [plan.statistic.records_at(t * u[None])[0] for t in (0.0, reach)]
        first, second = (plan.statistic.admit(end).records for end in ends)
        yield Pair(f"points one sensitivity apart, direction {number}", first, second)
