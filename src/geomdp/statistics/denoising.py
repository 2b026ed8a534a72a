"""Rules by which a released value loses error, each with what is proved of it.

A rule looks at released coordinates and at the law of their noise alone, so that it costs no
privacy. Formulas: :mod:`geomdp.statistics.shrinking`; proofs: docs/theory/denoising.md.
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar, NamedTuple

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.spaces.denoiser import Denoiser
from geomdp.statistics.shrinking import (
    effective_dimension,
    kept_by_form,
    kept_share,
    share_left,
    within,
)
from geomdp.typing import Array, Floats

#: Coordinates in the smoothest band; each further band has twice as many. Of six cuts that were
#: tried on four kinds of outlines none is much better (docs/theory/denoising.md, section 6).
FIRST_BAND, GROWTH = 8, 2
#: How far the mean lies from the centre in forecasts, in radii: as on four kinds of outlines, whose
#: means lay 0.02 to 0.33 radii away (docs/theory/denoising.md, section 8).
TYPICAL = 0.25


class Known(NamedTuple):
    """What is known of a rule."""

    #: In a few words.
    name: str
    #: What is known of its error, where the mean lies wherever it may.
    risk: str
    #: Whether that is never above the value's, and the region about it covers as often.
    proved: bool = True
    #: Whether pages show what it gives, wherever less error is foreseen.
    shows: bool = True
    #: Whether they show it whatever is foreseen, since it was asked for.
    asked: bool = False
    #: Where forecasts of its error take the mean to lie: typically, and at best if elsewhere.
    places: tuple[str, ...] = (
        "the mean lies a quarter of the radius from the public centre",
        "it lies at the centre",
    )
    #: Page of docs/theory.
    page: str = "denoising"


NEVER_ABOVE = (
    "its mean squared error in coordinates is never above the value's, wherever the mean lies"
)
AS_A_WHOLE = Known("moved to the centre as a whole (James-Stein, Bock)", NEVER_ABOVE)
BY_BANDS = Known("moved to the centre band by band, smooth to rough (James-Stein)", NEVER_ABOVE)
BY_FORM = Known(
    "fitted along the axes of the declared form",
    "no bound is proved: mostly far less error where the mean varies as the declared form says, "
    "and up to half as much again as the value's squared error where it does not",
    proved=False,
    asked=True,
)


class Rule(ABC):
    """Moves released coordinates, in which noise is alike, nearer to the mean."""

    #: What is known of it.
    known: ClassVar[Known]
    #: Whether that is known of normal noise alone.
    normal_only: ClassVar[bool] = False

    @abstractmethod
    def moved(self, drawn: Floats, deviation: float) -> Floats:
        """Return the coordinates (D,) moved; ``deviation`` is that of their noise."""

    @abstractmethod
    def left(self, deviation: float, length: float) -> float:
        """Share of the squared error that is left, if the mean is this far from the centre."""

    def distances(self, radius: float) -> tuple[float, float]:
        """Return how far the mean lies from the centre in forecasts: typically, and at best."""
        return TYPICAL * radius, 0.0


@dataclass(frozen=True, eq=False)
class Whole(Rule):
    """All coordinates by one factor: James and Stein's, or Bock's where errors weigh them.

    ``variances`` (d,) are those of the error along its axes, up to a factor.
    """

    variances: Floats
    radius: float
    known: ClassVar[Known] = AS_A_WHOLE

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        effective = effective_dimension(self.variances)
        moved = kept_share(drawn, deviation, effective) * drawn
        # A ball is round in coordinates whose errors weigh alike: the mean lies in it.
        return within(moved, self.radius) if effective == drawn.size else moved

    def left(self, deviation: float, length: float) -> float:  # noqa: D102
        return share_left(effective_dimension(self.variances), length / deviation)


@dataclass(frozen=True, eq=False)
class Bands(Rule):
    """Each band of coordinates along public axes by a factor of its own, smooth ones first."""

    sizes: Floats
    directions: Array
    radius: float
    known: ClassVar[Known] = BY_BANDS

    @property
    def ends(self) -> list[int]:
        """Where bands end: the last one may be longer, and none is shorter than the first."""
        return bands_of(self.sizes.size)

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        along = drawn @ self.directions
        parts = np.split(along, self.ends[1:-1])
        kept = [kept_share(part, deviation, float(part.size)) * part for part in parts]
        return within(self.directions @ np.concatenate(kept), self.radius)

    def left(self, deviation: float, length: float) -> float:
        """As if the mean varied as the axes' sizes say."""
        weights = self.sizes / np.sum(self.sizes)
        found = 0.0
        for first, end in pairwise(self.ends):
            away = length * float(np.sqrt(np.sum(weights[first:end]))) / deviation
            found += (end - first) * share_left(float(end - first), away)
        return found / self.sizes.size


@dataclass(frozen=True, eq=False)
class Fit(Rule):
    """Along the axes of a declared form, each coordinate as a fit of two numbers says.

    ``variances`` (d,) are those of the error along the same axes, up to a factor.
    """

    sizes: Floats
    directions: Array
    variances: Floats
    known: ClassVar[Known] = BY_FORM

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        along, spread = drawn @ self.directions, np.sqrt(self.variances)
        kept = kept_by_form(along * spread, deviation * spread, self.sizes)
        return np.asarray(self.directions @ (kept * along))

    def left(self, deviation: float, length: float) -> float:
        """As if the mean varied as the form says; two numbers are fitted, whatever it does."""
        noise = deviation**2 * self.variances
        signal = length**2 * self.sizes / np.sum(self.sizes)
        found = float(np.sum(noise * signal / (noise + signal)) / np.sum(noise))
        return max(found, 2 / noise.size)


@dataclass(frozen=True, eq=False)
class Parts(Rule):
    """Another rule on runs of ``count`` coordinates of a stack, one by one; the others stay.

    ``words`` say what a run is. Where errors are read off a stack, a run is ``shrunk`` beside what
    they are about, and ``others`` is the squared error that stays, per squared error of a run.
    """

    rule: Rule
    starts: tuple[int, ...]
    count: int
    words: str
    shrunk: float = 1.0
    others: float = 0.0

    @property
    def known(self) -> Known:  # type: ignore[override]
        """That of a run; pages show what is read off the value as it was released."""
        name, risk = (f"{self.words}: {text}" for text in self.rule.known[:2])
        return self.rule.known._replace(name=name, risk=risk, shows=False)

    def moved(self, drawn: Floats, deviation: float) -> Floats:  # noqa: D102
        moved = np.array(drawn)
        for start in self.starts:
            run = slice(start, start + self.count)
            moved[run] = self.rule.moved(drawn[run], deviation)
        return moved

    def left(self, deviation: float, length: float) -> float:  # noqa: D102
        one = self.rule.left(deviation, length * self.shrunk)
        return (one + self.others) / (1 + self.others)


def bands_of(dim: int) -> list[int]:
    """Return where bands of so many coordinates begin and end."""
    ends, size = [0], FIRST_BAND
    while ends[-1] + 2 * size <= dim:
        ends.append(ends[-1] + size)
        size *= GROWTH
    return [*ends, dim]


def whole(dim: int, radius: float) -> Rule | None:
    """Return the rule for coordinates that are alike; None where nothing can be gained."""
    return Whole(np.ones(dim), radius) if dim > 2 else None


def shaped(variances: Floats, radius: float) -> Rule | None:
    """Return the rule for coordinates whose errors weigh these variances; None if none gains."""
    return Whole(variances, radius) if effective_dimension(variances) > 2 else None


def rule_in(ball: Ball, radius: float | None = None) -> Rule | None:
    """Return the rule for a mean in a ball; None where nothing can be gained.

    ``radius`` is what bounds the mean, if not that of the ball.
    """
    dim, known = ball.space.dim, ball.denoiser or Denoiser()
    radius = ball.radius if radius is None else radius
    axes = known.axes(ball.space, ball.center)
    if axes is not None and axes.declared:
        return Fit(axes.sizes, axes.directions, _variances_along(ball, axes.directions))
    if ball.form is not None:
        return shaped(np.linalg.eigvalsh(ball.form), radius)
    if axes is None or len(bands_of(dim)) == 2:
        return whole(dim, radius)
    return Bands(axes.sizes, axes.directions, radius)


def mean_rule_in(ball: Ball) -> Rule | None:
    """Return the rule for a stack whose first coordinates are a mean in a ball."""
    rule = rule_in(ball)
    return None if rule is None else Parts(rule, (0,), ball.space.dim, "the mean alone")


def _variances_along(ball: Ball, directions: Array) -> Floats:
    """Variances (d,) of noise along axes that a shaped ball has too; alike in a round one."""
    if ball.form is None:
        return np.ones(ball.space.dim)
    return np.asarray(np.sum(directions * (ball.form @ directions), axis=0))
