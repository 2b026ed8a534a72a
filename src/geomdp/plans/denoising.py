"""How a plan's releases lose error for nothing: by which rule, how much, and what is shown.

All of it follows from the plan, before anything is released. Proofs: docs/theory/denoising.md.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from geomdp.serial import Document
from geomdp.statistics.denoising import TYPICAL, Known, Rule
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.shrinking import noise_radius, pooled, share_left
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.plans.single import SinglePlan

#: Pages show the value itself unless this part of its error at most is left.
WORTHWHILE = 0.95
#: Chance with which the region about the denoised value covers.
LEVEL = 0.95
#: Steps in which a distance is found: no page shows more digits.
HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Denoising:
    """What becomes of the values of a plan.

    ``known``: the rule in words, and what is known of its error. ``raw``: mean error of the value.
    ``center``, ``typical``: mean error foreseen where the mean lies at the centre, and a quarter of
    the radius away. ``reach``: where the rule is proved: a region, the length in coordinates about
    the denoised value within which the statistic lies with probability 95%; else None.
    """

    known: Known
    raw: float
    center: float
    typical: float
    reach: float | None = None

    @property
    def on_top(self) -> bool:
        """Whether pages show the denoised value and not the value: fixed before it is drawn."""
        worthwhile = self.typical <= WORTHWHILE * self.raw
        return self.known.shows and (self.known.asked or worthwhile)

    def line(self) -> str:
        """Say both errors, and what is known."""
        return f"{self.foreseen}; {self.known.name}; docs/theory/{self.known.page}.md"

    @property
    def foreseen(self) -> str:
        """Say the error to expect."""
        typically, *at_best = self.known.places
        told = f"{self.typical:.6g} expected if {typically}"
        return f"{told}, {self.center:.6g} if {at_best[0]}" if at_best else told

    def to_json(self) -> Document:
        """Return what manifests say of the file beside the value."""
        region = {} if self.reach is None else {"region": {"level": LEVEL, "radius": self.reach}}
        return {
            "rule": self.known.name,
            "risk": self.known.risk,
            "page": self.known.page,
            "on_top": self.on_top,
            **region,
        }


def denoising_of(plan: "SinglePlan", linear: LinearStatistic, deviation: float) -> Denoising | None:
    """Return how values with this noise on coordinates are denoised; None where none is known."""
    rule = linear.rule
    if rule is None or (rule.normal_only and plan.heavy):
        return None
    typical, center = (_left(rule, deviation, far) for far in rule.distances(linear.radius))
    raw = plan.expected_error
    reach = None
    if rule.known.proved and rule.known.shows:
        reach = noise_radius(LEVEL, linear.noise_profile.size, deviation, plan.heavy)
    return Denoising(rule.known, raw, raw * center, raw * typical, reach)


def _left(rule: Rule, deviation: float, length: float) -> float:
    with np.errstate(all="ignore"):
        return float(np.sqrt(rule.left(deviation, length)))


def better_beyond(plan: "SinglePlan") -> float | None:
    """Return the distance of a mean from the centre beyond which the denoised value is nearer.

    None where pages show the value as drawn, or where the denoised one's error is not known for
    every mean; infinite where the ball ends before.
    """
    found, linear, deviation = plan.denoising, plan.in_noisy_coordinates, plan.noise_deviation
    reach = plan.statistic.public_radius
    if found is None or not (found.on_top and found.known.proved) or reach is None:
        return None
    assert linear is not None  # since it has a rule
    assert deviation is not None
    assert linear.rule is not None
    low, high = 0.0, float(linear.radius)
    stretch = reach / high
    for step in range(HALVINGS):
        middle = high if step == 0 else (low + high) / 2
        if found.raw * _left(linear.rule, deviation, middle) < stretch * middle:
            high = middle
        elif step == 0:
            return float("inf")
        else:
            low = middle
    return stretch * high


# --- Groups that are declared alike: each is moved towards what all have in common.


POOLED = Known(
    "moved towards what all groups have in common",
    "no bound is proved for a single group: less error of all together where groups are alike, as "
    "was declared",
    proved=False,
    asked=True,
)


def pooling_of(plans: "Mapping[str, SinglePlan]") -> Denoising | None:
    """Return how groups are denoised together; None unless they are declared alike."""
    one = max(plans.values(), key=lambda plan: plan.expected_error)
    ball, linear = one.statistic.public_ball, one.in_noisy_coordinates
    declared = ball is not None and ball.denoiser is not None and ball.denoiser.alike
    every = [plan.denoising for plan in plans.values()]
    if not declared or linear is None or None in every:
        return None
    assert one.noise_deviation is not None  # since it has a rule
    raw, groups = one.expected_error, len(plans)
    length = TYPICAL * linear.radius / one.noise_deviation
    left = [share_left(float(linear.noise_profile.size), part * length) for part in (0.0, 1.0)]
    shares = [np.sqrt(share + (1 - share) / groups) for share in left]
    return Denoising(POOLED, raw, *(float(raw * share) for share in shares))


def pooled_values(
    plans: "Mapping[str, SinglePlan]", values: Mapping[str, Array]
) -> dict[str, Array]:
    """Return the values of groups, each moved towards what all have in common; total."""
    first = next(iter(plans.values()))
    linear = first.in_noisy_coordinates
    assert linear is not None  # seen to by `pooling_of`
    spreads = np.array([plan.noise_deviation for plan in plans.values()], dtype=float)
    with np.errstate(all="ignore"):
        drawn = np.array([linear.to_coordinates(np.asarray(values[label])) for label in plans])
        try:
            moved = linear.decode(pooled(drawn, spreads))
        except (ArithmeticError, ValueError, np.linalg.LinAlgError):
            return dict(values)  # beyond what floats resolve
    if not np.all(np.isfinite(moved)):
        return dict(values)
    return dict(zip(plans, np.asarray(moved), strict=True))
