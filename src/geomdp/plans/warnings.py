"""What a board would want to be warned of, each with what would help. From public things alone."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

from geomdp.privacy.guarantee import FAR_BELOW, as_epsilon, budget_words, usual_delta

if TYPE_CHECKING:
    from geomdp.plans.base import Plan

#: A larger epsilon promises little: odds may change by a factor of twenty thousand.
LARGEST_EPSILON = 10
#: Shares of the ball's radius that the expected noise may have: green up to the first, amber up to
#: the second, red beyond.
LITTLE_NOISE, MUCH_NOISE = 1 / 10, 1 / 3

Light: TypeAlias = Literal["green", "amber", "red"]


@dataclass(frozen=True)
class Caution:
    """A warning: which, what it says, and what would help.

    >>> print(Caution("epsilon", "It is large.", "Take a smaller one."))
    It is large. Take a smaller one.
    """

    name: Literal["delta", "epsilon", "noise"]
    says: str
    helps: str

    def __str__(self) -> str:
        return f"{self.says} {self.helps}"


def warnings_of(plan: "Plan") -> tuple[Caution, ...]:
    """Return what to be warned of, the promise first and the use of the value then."""
    return (*_delta(plan), *_epsilon(plan), *_noise(plan))


def noise_share(plan: "Plan") -> float | None:
    """Return the expected error as a share of the public radius; None where there is no radius.

    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(1), [0.0], radius=1.0)
    >>> made = dp.plan(dp.FrechetMean(ball), n=40, budget=dp.Pure(1), mechanism="laplace")
    >>> round(noise_share(made), 2), light_of(noise_share(made))
    (0.05, 'green')
    """
    radius = plan.public_statistic.public_radius
    return None if radius is None else plan.expected_error / radius


def light_of(share: float) -> Light:
    """Return the traffic light for a share of noise.

    >>> [light_of(share) for share in (0.05, 0.2, 0.5)]
    ['green', 'amber', 'red']
    """
    if share <= LITTLE_NOISE:
        return "green"
    return "amber" if share <= MUCH_NOISE else "red"


def _delta(plan: "Plan") -> Iterator[Caution]:
    budget = plan.guarantee.budget
    delta = float(budget.parts[1]) if budget.has_delta else 0.0
    if budget.has_delta and FAR_BELOW * plan.n * budget.parts[1] > 1:
        yield Caution(
            "delta",
            f"Delta {delta:.3g} is not far below 1/n = {1 / plan.n:.3g}: a mechanism that "
            f"publishes {_in_full(plan)} in full now and then would keep such a promise.",
            f"Take a delta of {float(usual_delta(plan.n)):.0e} or less.",
        )


def _in_full(plan: "Plan") -> str:
    return "one record" if plan.unit.of == "record" else "all records of one person"


def _epsilon(plan: "Plan") -> Iterator[Caution]:
    budget = plan.guarantee.budget
    same = as_epsilon(budget, plan.n)
    if same.has_epsilon and same.parts[0] > LARGEST_EPSILON:
        yield Caution(
            "epsilon",
            f"An epsilon above {LARGEST_EPSILON} promises little: {budget_words(budget, plan.n)}.",
            f"Take a smaller budget, with more {plan.unit.plural} or a smaller public radius to "
            "keep the error small.",
        )


def _noise(plan: "Plan") -> Iterator[Caution]:
    for label, part in (plan.parts or {"": plan}).items():
        share = noise_share(part)
        if share is None or share <= MUCH_NOISE:
            continue
        where = f"In group {label} the" if label else "The"
        better = (
            " The public centre, which costs nothing, would be a better guess."
            if share >= 1
            else ""
        )
        yield Caution(
            "noise",
            f"{where} expected noise is {100 * share:.3g}% of the public radius, more than a "
            f"third.{better}",
            f"More {part.unit.plural}, a larger budget or a smaller public radius would help.",
        )
