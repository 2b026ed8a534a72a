"""Help a curator choose a ball from PUBLIC records: distances, what lies outside, what it costs."""

from dataclasses import dataclass, replace
from functools import cached_property
from math import ceil, floor, log10
from typing import Any, Literal

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.planning import plan
from geomdp.plans.release import Release
from geomdp.privacy import Budget
from geomdp.releases.estimates import moments_of, shaped_ball
from geomdp.spaces.ball import Ball, largest_radius
from geomdp.spaces.base import Space
from geomdp.statistics import FrechetMean, TangentMean
from geomdp.typing import Array

#: Radii of the sweep, in units of the chosen one.
FACTORS = (0.25, 0.5, 0.75, 1.0, 1.5, 2.0)
#: Synthetic records that stand beside a ball from an earlier release.
SYNTHETIC = 1000
#: Shares of the public records whose radius is told.
SHARES = (0.5, 0.9, 0.95, 0.99, 1.0)


@dataclass(frozen=True)
class Sweep:
    """A radius: the share of public records inside, and the expected error if it was asked for."""

    radius: float
    inside: float
    error: float | None


@dataclass(frozen=True, eq=False)
class BallChoice:
    """A ball beside public records: never beside those that are to be released.

    Attributes
    ----------
    ball
        With its source.
    records
        Public points, in canonical form.
    kind
        Whether they are ``"Public"`` records or ``"Synthetic"`` ones of an earlier release.

    Examples
    --------
    >>> import geomdp as dp
    >>> atlas = dp.datasets.polar_sphere(200, radius=0.3, seed=0)
    >>> choice = choose_ball(dp.Sphere(2), [0.0, 0.0, 1.0], atlas, source="an atlas")
    >>> choice.ball.radius, choice.ball.source
    (0.3, 'an atlas')
    >>> [round(one.inside, 2) for one in choice.sweep(n=500, budget=dp.GDP(1))][3:]
    [1.0, 1.0, 1.0]
    """

    ball: Ball
    records: Array
    kind: Literal["Public", "Synthetic"] = "Public"

    @property
    def caution(self) -> str:
        """What must not be forgotten about where the ball comes from."""
        if self.ball.origin:
            return (
                "the form comes from a private release, whose cost adds to that of another one "
                "from the same records"
            )
        return (
            "none of these records may be among those to be released: a ball that depends on them "
            "gives them away"
        )

    @cached_property
    def distances(self) -> Array:
        """Distances of the records from the centre, in the norm of the form if there is one."""
        return _lengths(self.ball, self.records)

    def quantiles(self) -> dict[float, float]:
        """Radii that hold shares of the public records."""
        return {share: float(np.quantile(self.distances, share)) for share in SHARES}

    def farthest(self, count: int) -> Array:
        """Return the records that lie nearest to the boundary, from either side."""
        order = np.argsort(np.abs(self.distances - self.ball.radius))
        return self.records[order[:count]]

    def sweep(self, n: int | None = None, budget: Budget | None = None) -> list[Sweep]:
        """Other radii: how many public records they hold, and the error that a plan expects."""
        found = []
        for factor in FACTORS:
            radius = factor * self.ball.radius
            try:
                ball = replace(self.ball, radius=radius, wide=True)
                error = None if n is None or budget is None else _error(ball, n, budget)
            except GeomdpError:  # beyond the space, or no mechanism serves there
                continue
            found.append(Sweep(radius, float(np.mean(self.distances <= radius)), error))
        return found


def choose_ball(
    space: Space,
    center: Any,
    records: Any,
    *,
    source: str,
    radius: float | None = None,
    form: Array | None = None,
) -> BallChoice:
    """Put a ball beside public records; without a radius, one that holds them all, rounded up.

    Parameters
    ----------
    space, center
        Where, and a public point.
    records
        PUBLIC records: an atlas, a published sample, extremes that the field knows.
    source
        Where they come from; it is written into every plan with this ball.
    radius
        Distance, or length in the norm of the form.
    form
        Shape of the ball, from :mod:`geomdp.spaces.forms`.
    """
    points = _points(space, records)
    trial = replace(trial_ball(space, center), form=form, source=_said(source), wide=True)
    if radius is None:
        radius = round_up(float(np.max(_lengths(trial, points))))
    return BallChoice(replace(trial, radius=radius, wide=True), points)


def choose_after(
    release: Release, *, source: str, records: Any = None, radius: float | None = None
) -> BallChoice:
    """Shape a ball by the covariance that an earlier release of ``Moments`` found.

    The ball names the release, whose cost adds to that of a later one from the same records.

    Parameters
    ----------
    release
        With a covariance, in a round ball.
    source
        In words, for the plan.
    records
        PUBLIC records, which set the radius; without them, synthetic records of the release stand
        beside the ball, and its radius holds 99 of 100 normal records.
    radius
        In the norm of the form.

    Examples
    --------
    >>> import geomdp as dp
    >>> first = dp.plan(dp.Moments(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)), n=500, budget=dp.GDP(1))
    >>> released = first.release(dp.datasets.polar_sphere(500, radius=0.3, seed=0))
    >>> choice = choose_after(released, source="the pilot")
    >>> choice.ball.source, len(choice.records)
    ('the pilot', 1000)
    """
    ball = replace(shaped_ball(release, radius), source=_said(source), wide=True)
    if records is None:
        return BallChoice(ball, moments_of(release).synthetic(SYNTHETIC, seed=0), "Synthetic")
    points = _points(ball.space, records)
    if radius is None:
        ball = replace(ball, radius=round_up(float(np.max(_lengths(ball, points)))), wide=True)
    return BallChoice(ball, points)


def trial_ball(space: Space, center: Any) -> Ball:
    """Return a ball about a centre whose radius does not matter yet."""
    most = space.farthest if space.chart_only else largest_radius(space)
    return Ball(space, center, min(1.0, most) / 2)


def round_up(x: float) -> float:
    """Return the next number of two digits."""
    if not 0 < x < float("inf"):
        raise GeomdpError("The public records all lie at the centre; give a radius.")
    step = floor(log10(x)) - 1
    return float(f"{ceil(x * 10.0**-step * (1 - 1e-12))}e{step}")


def _said(source: str) -> str:
    if not source.strip():
        raise GeomdpError("Say where the public records come from: it is written into the plan.")
    return source.strip()


def _points(space: Space, records: Any) -> Array:
    points = np.asarray(space.require(records, what="public records"))
    return points[None] if points.ndim == len(space.point_shape) else points


def _lengths(ball: Ball, points: Array) -> Array:
    if ball.form is None:
        return np.asarray(ball.space.dist(ball.center, points))
    logs = ball.whitened(np.asarray(ball.space.frame_log(ball.center, points)))
    return np.asarray(np.sqrt(np.sum(logs * logs, axis=-1)))


def _error(ball: Ball, n: int, budget: Budget) -> float:
    """Return the expected error of a mean: the Fréchet mean in round balls of a proper size."""
    round_one = ball.form is None and not ball.is_wide
    statistic = FrechetMean(ball) if round_one else TangentMean(ball)
    return plan(statistic, n=n, budget=budget).expected_error
