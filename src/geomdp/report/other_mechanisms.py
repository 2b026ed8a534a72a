"""Which mechanisms were considered: equal refusals stand once, beside all whom they concern."""

from collections.abc import Mapping

from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import SinglePlan
from geomdp.privacy import Budget
from geomdp.report.control import replan
from geomdp.report.markup import Html, table, tag

#: A plan, or why there is none.
Tried = SinglePlan | str


def names_for(plan: SinglePlan) -> list[str]:
    """Return the mechanisms that plans of this statistic weigh.

    >>> import geomdp as dp
    >>> "laplace" in names_for(dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1)))
    True
    """
    asked = plan.statistic
    return [m.name for m in MECHANISMS.values() if not m.comparison and m.concerns(asked)]


def try_mechanism(base: SinglePlan, budget: Budget, name: str) -> Tried:
    """Plan with one mechanism, or return why it refused."""
    try:
        return replan(base, base.statistic, budget, name)
    except MechanismRefusedError as error:
        return str(error)


def grouped(tried: Mapping[str, Tried]) -> list[tuple[str, str, str]]:
    """Return names, expected error and refusal, equal refusals in one row; served ones first.

    >>> grouped({"a": "a needs a ball.", "b": "b needs a ball.", "c": "c: no."})
    [('a, b', '', 'needs a ball.'), ('c', '', 'no.')]
    """
    served = [
        (name, f"{made.expected_error:.4g}", "")
        for name, made in sorted(tried.items(), key=_error)
        if isinstance(made, SinglePlan)
    ]
    reasons: dict[str, list[str]] = {}
    for name, reason in tried.items():
        if isinstance(reason, str):
            reasons.setdefault(_without_name(name, reason), []).append(name)
    return served + [(", ".join(names), "", reason) for reason, names in reasons.items()]


def other_mechanisms(tried: Mapping[str, Tried]) -> Html:
    """Return the one folded table of all mechanisms at the plan's own budget."""
    rows = [list(row) for row in grouped(tried)]
    return tag(
        "details",
        tag("summary", f"Mechanisms: {len(tried)} were considered"),
        table(["mechanism", "expected error", "why not"], rows, class_="wide"),
        class_="folded",
    )


def _error(item: tuple[str, Tried]) -> float:
    made = item[1]
    return made.expected_error if isinstance(made, SinglePlan) else float("inf")


def _without_name(name: str, reason: str) -> str:
    """Leave out the mechanism's own name, so that equal reasons are equal texts."""
    return reason.removeprefix(name).removeprefix(":").strip()
