"""The whole audit of a plan."""

import time
from collections.abc import Callable, Sequence
from functools import singledispatch
from typing import Literal, TypeAlias, get_args

import numpy as np

from geomdp.audit.calibration import calibration_findings
from geomdp.audit.events import exact_draws
from geomdp.audit.findings import Audit, Finding, Settings
from geomdp.audit.floats import float_findings
from geomdp.audit.likelihood import blind_findings, likelihood_findings
from geomdp.audit.records import record_findings
from geomdp.audit.stages import composition_audit, course_audit, groups_audit, stage_plans
from geomdp.audit.suspects import Suspects
from geomdp.plans import OverTimePlan, ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.privacy import Budget
from geomdp.runtime.surroundings import undisturbed

#: The parts of an audit.
Check: TypeAlias = Literal["calibration", "likelihood", "blind", "floats", "records", "timing"]
CHECKS: tuple[Check, ...] = get_args(Check)


@undisturbed()
def audit_all(
    plan: Plan,
    settings: Settings | None = None,
    *,
    checks: Sequence[Check] = CHECKS,
    tell: Callable[[str], None] = lambda text: None,
) -> list[Audit]:
    """Audit a plan of any shape: every group, or every stage and their composition.

    Examples
    --------
    >>> import geomdp as dp
    >>> prior = dp.Ball(dp.Euclidean(2), center=[0, 0], radius=1.0)
    >>> plan = dp.plan(dp.PrivateBall(prior), n=100, budget=dp.GDP(1))
    >>> [one.passed for one in audit_all(plan, Settings(draws=1000), checks=["calibration"])]
    [True, True, True, True]
    """
    whole, parts = _taken_apart(plan, settings)
    audits = (audit_plan(s, settings, checks=checks, tell=tell, allowed=b) for s, b in parts)
    return [*whole, *audits]


#: Audits of the whole, and single plans with what was fixed for them.
Apart: TypeAlias = tuple[list[Audit], list[tuple[SinglePlan, Budget | None]]]


@singledispatch
def _taken_apart(plan: Plan, settings: Settings | None) -> Apart:
    return [], [(plan.single, None)]


@_taken_apart.register
def _(plan: StagedPlan, settings: Settings | None) -> Apart:
    return [composition_audit(plan)], list(zip(stage_plans(plan), plan.rule.budgets, strict=True))


@_taken_apart.register
def _(plan: ParallelPlan, settings: Settings | None) -> Apart:
    return [groups_audit(plan, settings)], [(part, None) for part in plan.plans.values()]


@_taken_apart.register
def _(plan: OverTimePlan, settings: Settings | None) -> Apart:
    return [course_audit(plan, settings)], [(plan.alone, None)]


def claim_of(plan: Plan, allowed: Budget | None = None) -> str:
    """Say what a plan claims, or what a stage of one is allowed, and to whom."""
    budget = allowed or plan.guarantee.budget
    return f"{budget.words()}, where {plan.unit.neighbours()}"


@undisturbed()
def audit_plan(
    plan: SinglePlan,
    settings: Settings | None = None,
    *,
    checks: Sequence[Check] = CHECKS,
    tell: Callable[[str], None] = lambda text: None,
    allowed: Budget | None = None,
) -> Audit:
    """Attack a plan on public data that it has to hide, and compare with what it claims.

    Touches no private data and spends nothing.

    Parameters
    ----------
    plan
        A single plan; a comparison mechanism is named as such and not audited as private.
    settings
        How hard to try.
    checks
        Parts to run; all by default.
    tell
        Called with the name of each part as it begins.
    allowed
        Budget that was fixed for a stage, which it is held to whatever it claims itself.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.3)
    >>> plan = dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(1), mechanism="laplace")
    >>> audit_plan(plan, Settings(draws=2000, exact=20, records=20)).passed
    True
    """
    name = f"{plan.mechanism}: {plan.statistic.describe()}"
    if plan.statistic.needs_n:
        name = f"{name}, n = {plan.unit.count(plan.n)}"
    if plan._mechanism.comparison:
        note = "a comparison mechanism: private by no proof of ours, and not audited as private"
        finding = Finding("all", "none", "not audited", "report", note)
        return Audit(name, "nothing", (finding,), plan)
    suspects = Suspects(plan, settings or Settings(), allowed)
    parts: dict[Check, Callable[[], list[Finding]]] = {
        "calibration": lambda: calibration_findings(suspects),
        "likelihood": lambda: likelihood_findings(suspects),
        "blind": lambda: blind_findings(suspects),
        "floats": lambda: float_findings(suspects),
        "records": lambda: record_findings(plan, suspects.settings),
        "timing": lambda: [timing_finding(suspects)],
    }
    found: list[Finding] = []
    for check in checks:
        tell(check)
        found += parts[check]()
    return Audit(name, claim_of(plan, allowed), tuple(found), plan)


# --- how long a release takes on several data sets: reported beside the plan's caveats


#: Rounds over the data sets; each draws once on every one of them.
ROUNDS = 5
#: Data sets timed.
SETS = 4


def timing_finding(suspects: Suspects) -> Finding:
    """Time exact draws on the data sets of a few pairs, in turn."""
    chosen = suspects.pairs[:SETS]
    seconds = np.empty((ROUNDS, len(chosen)))
    for row in seconds:
        for i, pair in enumerate(chosen):
            start = time.process_time()
            exact_draws(suspects.plan, pair.first, 1)
            row[i] = time.process_time() - start
    medians = np.median(seconds, axis=0)
    caveats = [c for c in suspects.plan.guarantee.caveats if "time" in c]
    return Finding(
        "timing",
        caveats[0] if caveats else "no caveat about time",
        f"medians {1e3 * np.min(medians):.3g} to {1e3 * np.max(medians):.3g} ms",
        "report",
        f"{ROUNDS} draws on each of {len(chosen)} data sets; processor time, here and now",
        {"fastest": float(np.min(medians)), "slowest": float(np.max(medians))},
    )
