"""What all groups of a plan lose together for one unit: also for a person who leaves a group."""

from collections.abc import Sequence

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.audit.findings import Audit, Finding, judged
from geomdp.audit.settings import Settings
from geomdp.audit.suspects import Suspects
from geomdp.plans import ParallelPlan
from geomdp.privacy import GDP
from geomdp.privacy.parallel_cost import moves

#: Covers the rounding of the losses themselves.
UP_TO_ROUNDING = 1 + 1e-6
#: The pair of which one data set has the public record in place of a record.
ABSENT = "one alone"


def groups_audit(plan: ParallelPlan, settings: Settings | None = None) -> Audit:
    """Add up the losses of the worst pairs over the groups that one unit can change.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(2), [0, 0], 1.0)
    >>> made = dp.plan(
    ...     dp.Moments(ball), n={"a": 9, "b": 9}, budget=dp.Pure(1), unit=dp.Unit.person()
    ... )
    >>> round(groups_audit(made).findings[1].numbers["loss"], 5)
    1.0
    """
    composed = Finding(
        "composition",
        f"all groups within {plan.budget.words()}",
        plan.cost.words(),
        judged(plan.cost.fits(plan.budget)),
        "in exact arithmetic",
    )
    found = (composed, _joint_finding(plan, settings or Settings()))
    return Audit(f"all groups of {plan.statistic.describe()}", plan.budget.words(), found, plan)


def _joint_finding(plan: ParallelPlan, settings: Settings) -> Finding:
    suspects = [Suspects(part, settings) for part in plan.plans.values()]
    claim = _claim(plan)
    if plan.of.max_records not in (None, 1) or not all(_same_kind(s, claim) for s in suspects):
        note = "several records a person, or mechanisms without a common formula"
        return Finding("one unit in all groups", str(claim), "no formula", "report", note)
    whole, absent = zip(*(_losses(one) for one in suspects), strict=True)
    ways = [(plan.of.changed_groups, 0)]
    if plan.of.moves:
        ways = moves(plan.of.groups, len(suspects))
    loss, way = max((_joined(whole, absent, *way, claim.kind), way) for way in ways)
    return Finding(
        "one unit in all groups",
        str(claim),
        f"{claim.kind} {loss:.6g}",
        judged(loss <= claim.value * UP_TO_ROUNDING),
        f"replaced in {way[0]}, there on one side only in {way[1]}; the worst pairs of each group",
        {"claim": claim.value, "loss": loss},
    )


def _claim(plan: ParallelPlan) -> Claim:
    loss = plan.cost.largest_loss()
    if loss is None:
        return Claim("mu", plan.cost.price(GDP).mu)
    return Claim("epsilon", float(loss), float(plan.cost.failure()))


def _same_kind(suspects: Suspects, claim: Claim) -> bool:
    known = bool(suspects.laws) and all(law.constant is not None for law in suspects.laws)
    return known and suspects.claim.kind == claim.kind


def _losses(suspects: Suspects) -> tuple[float, float]:
    """Loss of the worst pair of a group, and of the worst that is one record against none."""
    named = zip(suspects.pairs, suspects.losses, strict=True)
    absent = [loss for pair, loss in named if pair.name.startswith(ABSENT)]
    return max(suspects.losses), max(absent, default=max(suspects.losses))


def _joined(
    whole: Sequence[float], absent: Sequence[float], both: int, others: int, kind: str
) -> float:
    """Add up losses, or squares of mu, over the groups where they are largest, each once."""
    order = np.argsort(-np.array(whole), kind="stable")
    rest = np.sort(np.array(absent)[order[both:]])[::-1][:others]
    parts = np.r_[np.array(whole)[order[:both]], rest]
    return float(np.linalg.norm(parts) if kind == "mu" else np.sum(parts))
