"""Questions whose ball is found privately: ``PrivateBall`` and ``Refined``."""

from dataclasses import dataclass, replace
from pathlib import Path

from geomdp.errors import GeomdpError
from geomdp.mechanisms import Request
from geomdp.plans.ball_shares import embedding_of, seeks_center
from geomdp.plans.ball_stages import BallStages
from geomdp.plans.loading import read_content
from geomdp.plans.release import Release, fingerprint, fingerprint_of
from geomdp.plans.staged import InStages, Stages
from geomdp.plans.tau_stages import TauStages
from geomdp.spaces.ball import Ball
from geomdp.statistics import Statistic, TangentMean


@dataclass(frozen=True, eq=False)
class PrivateBall(InStages):
    """Which ball holds nearly all records? Released privately, and good for any later plan.

    Parameters
    ----------
    prior
        A public ball that surely holds the records, however wide; ``Ball.whole(space)`` on compact
        spaces.
    rounds
        How often centre and radius are sought; 2 for priors a thousand times too wide.

    Examples
    --------
    >>> import numpy as np
    >>> import geomdp as dp
    >>> plan = dp.plan(PrivateBall(dp.Ball.whole(dp.Sphere(2))), n=2000, budget=dp.GDP(0.5))
    >>> rng = np.random.default_rng(0)
    >>> points = np.array([0.6, 0.0, 0.8]) + 0.05 * rng.standard_normal((2000, 3))
    >>> points /= np.linalg.norm(points, axis=1, keepdims=True)
    >>> ball = ball_of(plan.release(points))
    >>> ball.radius < 1, len(ball.origin)
    (True, 64)
    """

    prior: Ball
    rounds: int = 1

    @property
    def statistic(self) -> Statistic:
        """The tangent mean in the prior, which its centre is."""
        return TangentMean(self.prior)

    def stages(self, request: Request, mechanism: str) -> Stages:
        """Return the rule for a request."""
        if mechanism != "auto":
            raise GeomdpError("The mechanisms that find a ball are fixed; leave mechanism out.")
        center = embedding_of(request, self.rounds, answer=False)
        return BallStages(request, mechanism, self.rounds, answer=False, embedding=center)


@dataclass(frozen=True, eq=False)
class Refined(InStages):
    """A statistic in a ball that is found privately first, from a prior that may be far too wide.

    Parameters
    ----------
    statistic
        On the prior: a public ball that surely holds the records. Of a mean function or surface,
        the prior is a ``tau`` that may be far too wide; the template stays, and a smaller tau is
        found. A ``SurfaceMean`` without tau begins at 0.1, beyond which records are refused.
    rounds
        How often centre and radius are sought; 2 for priors a thousand times too wide.

    Examples
    --------
    >>> import geomdp as dp
    >>> prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    >>> made = dp.plan(Refined(dp.FrechetMean(prior)), n=2000, budget=dp.Pure(1))
    >>> len(made.rule.budgets), sum(made.rule.budgets)
    (4, Pure(epsilon=1))
    """

    statistic: Statistic
    rounds: int = 1

    def stages(self, request: Request, mechanism: str) -> Stages:
        """Return the rule for a request."""
        if self.statistic.in_stages:
            raise GeomdpError(
                "What has stages of its own is not planned in a ball that other stages find: find "
                "the ball first with PrivateBall, and plan in it."
            )
        clipped = self.statistic.as_clipped()
        if clipped is not None:
            clipped = clipped.fixed_for(request.unit.record_budget(request.budget), request.n)
            widest = clipped.clipped_at(clipped.widest_tau)
            return TauStages(replace(request, statistic=widest), mechanism)
        center = embedding_of(request, self.rounds, answer=True)
        centred = center is not None or seeks_center(request, self.rounds, answer=True)
        return BallStages(request, mechanism, self.rounds, True, center, centred)


def ball_of(release: Release) -> Ball:
    """Return the ball that a release of ``PrivateBall`` or ``Refined`` found; it is public now.

    Plans that use it name the release that it came from, whose cost adds to theirs.
    """
    ball = release.plan.found_ball(release.parts, fingerprint(release))
    if ball is None:
        raise GeomdpError("Only a release of PrivateBall or Refined has found a ball.")
    return ball


def fingerprint_in(folder: Path) -> str:
    """Return the fingerprint of the release in a folder, whose plan is not made for it."""
    manifest, _ = read_content(folder)
    listed = manifest.get("parts", {})
    inside = {label: fingerprint_in(folder / one["folder"]) for label, one in listed.items()}
    return fingerprint_of(manifest, inside)
