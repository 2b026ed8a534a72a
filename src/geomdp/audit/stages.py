"""The stages of a plan, each as it would be if public values had been released before it."""

from collections.abc import Sequence

import numpy as np

from geomdp.audit.claims import Claim
from geomdp.audit.findings import Audit, Finding, Settings, judged
from geomdp.audit.suspects import Suspects
from geomdp.mechanisms.running_totals import RUNNING_TOTALS
from geomdp.plans import OverTimePlan, ParallelPlan, SinglePlan, StagedPlan
from geomdp.plans.release import Release
from geomdp.privacy import GDP, Cost, total
from geomdp.privacy.parallel_cost import moves
from geomdp.typing import Array


def stage_plans(plan: StagedPlan) -> list[SinglePlan]:
    """Return one plan a stage: what the rule says after public values of the earlier stages.

    Radii in the middle of their grids, and public records in place of centres. Privacy must hold
    whatever was released before; an audit tries one history.
    """
    plans: list[SinglePlan] = []
    released: list[Release] = []
    for _ in plan.rule.budgets:
        plans.append(plan.rule.plan(released))
        released.append(Release(plans[-1], _public_value(plans[-1]), {}))
    return plans


def composition_audit(plan: StagedPlan) -> Audit:
    """Compare what the stages cost together with the promise of the whole, in exact arithmetic."""
    stages = stage_plans(plan)
    planned = list(zip(stages, plan.rule.budgets, plan.rule.costs, strict=True))
    other = [i for i, (stage, budget, _) in enumerate(planned) if stage.guarantee.budget != budget]
    dearer = [i for i, (stage, _, cost) in enumerate(planned) if not _within(stage.cost, cost)]
    claims = (
        (
            "composition",
            f"all stages within {plan.budget.words()}",
            plan.cost.words(),
            plan.cost.fits(plan.budget),
        ),
        (
            "budgets",
            "every stage has the budget that was fixed in advance",
            _listed("another", other),
            not other,
        ),
        (
            "stages",
            "no stage costs more than was stated in advance",
            _listed("dearer", dearer),
            not dearer,
        ),
    )
    found = tuple(
        Finding(check, claim, text, judged(good), "in exact arithmetic")
        for check, claim, text, good in claims
    )
    return Audit(plan.rule.describe(), plan.budget.words(), found, plan)


def _within(cost: Cost, stated: Cost) -> bool:
    """Tell whether a cost is no more than a stated one in any currency.

    One alone is not enough: Laplace noise of a larger epsilon may have the smaller mu.
    """
    loss, most = cost.largest_loss(), stated.largest_loss()
    bounded = most is None or (loss is not None and loss <= most)
    parts = ((one.mu_squared(), one.rho(), one.failure()) for one in (cost, stated))
    return bounded and all(a <= b for a, b in zip(*parts, strict=True))


def _listed(word: str, stages: list[int]) -> str:
    return f"{word}: stage {', '.join(str(i + 1) for i in stages)}" if stages else "as stated"


def _public_value(plan: SinglePlan) -> Array:
    asked = plan.statistic.as_cover()
    return plan.statistic.public_value if asked is None else asked.radii[[asked.steps // 2]]


# --- what all periods of a plan lose together for one unit, whenever it entered


def course_audit(plan: OverTimePlan, settings: Settings | None = None) -> Audit:
    """Compare what a record's worst change costs over all periods with the promise of the whole."""
    debits = total(plan.debit(step) for step in range(1, len(plan.periods) + 1))
    claim, loss = plan.cost.price(GDP).mu, course_loss(plan, settings)
    found = (
        Finding(
            "composition",
            f"all periods within {plan.guarantee.budget.words()}",
            debits.words(),
            judged(debits.fits(plan.guarantee.budget)),
            "in exact arithmetic",
        ),
        Finding(
            "one record in all periods",
            f"mu at most {claim:.6g}",
            f"mu {loss:.6g}",
            judged(loss <= claim * UP_TO_ROUNDING),
            "the worst pair, entering in the period in which it costs most",
            {"claim": claim, "loss": loss},
        ),
    )
    told = f"{plan.statistic.describe()} over {len(plan.periods)} periods"
    return Audit(told, plan.guarantee.budget.words(), found, plan)


def course_loss(plan: OverTimePlan, settings: Settings | None = None) -> float:
    """Return mu of the worst pair over all that is published, for each period of entering."""
    suspects = Suspects(plan.alone, settings or Settings())
    spreads, _ = RUNNING_TOTALS.steps_of(plan.asked, plan.scheme)
    moved = 0.0
    for pair in suspects.pairs:
        ends = [RUNNING_TOTALS.sums(plan.asked, data) for data in pair.sets]
        apart = np.array([float(a - b) for a, b in zip(*ends, strict=True)])
        moved = max(moved, float(np.linalg.norm(apart / spreads)))
    weights = np.array([float(c) for c in plan.scheme.coefficients])
    # A record that enters in step s (from 0) shows with c_0 to c_(T-1-s).
    lengths = [np.linalg.norm(weights[: len(weights) - s]) for s in range(len(weights))]
    return moved * float(max(lengths)) * (plan.unit.max_records or 1)


# --- what all groups of a plan lose together for one unit: also for a person who leaves a group


#: Covers the rounding of the losses themselves.
UP_TO_ROUNDING = 1 + 1e-6


def groups_audit(plan: ParallelPlan, settings: Settings | None = None) -> Audit:
    """Add up the losses of the worst pairs over the groups that one unit can change."""
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
    absent = [loss for pair, loss in named if pair.alone]
    return max(suspects.losses), max(absent, default=max(suspects.losses))


def _joined(
    whole: Sequence[float], absent: Sequence[float], both: int, others: int, kind: str
) -> float:
    """Add up losses, or squares of mu, over the groups where they are largest, each once."""
    order = np.argsort(-np.array(whole), kind="stable")
    rest = np.sort(np.array(absent)[order[both:]])[::-1][:others]
    parts = np.r_[np.array(whole)[order[:both]], rest]
    return float(np.linalg.norm(parts) if kind == "mu" else np.sum(parts))
