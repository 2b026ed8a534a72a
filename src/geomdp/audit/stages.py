"""The stages of a plan, each as it would be if public values had been released before it."""

from geomdp.audit.findings import Audit, Finding, judged
from geomdp.plans import SinglePlan, StagedPlan
from geomdp.privacy import Cost
from geomdp.releases.release import Release
from geomdp.typing import Array


def stage_plans(plan: StagedPlan) -> list[SinglePlan]:
    """Return one plan a stage: what the rule says after public values of the earlier stages.

    Radii in the middle of their grids, and public records in place of centres. Privacy must hold
    whatever was released before; an audit tries one history.

    Examples
    --------
    >>> import geomdp as dp
    >>> prior = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=1.0)
    >>> made = dp.plan(dp.Refined(dp.Moments(prior)), n=500, budget=dp.GDP(1))
    >>> [one.mechanism for one in stage_plans(made)]
    ['exponential', 'tangent-gaussian', 'exponential', 'tangent-gaussian']
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
