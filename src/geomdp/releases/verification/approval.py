"""Whether a release is of the plan that was approved, and of no other."""

from collections.abc import Iterator

from geomdp.plans import Plan
from geomdp.plans.agreement import plan_disagreements
from geomdp.releases.verification.problems import Problem

_BECAUSE = "was approved"


def approval_problems(released: Plan, approved: Plan) -> Iterator[Problem]:
    """Compare the plan of a release in order with the approved one, all but the forecasts.

    Examples
    --------
    >>> import geomdp as dp
    >>> asked = dp.Summary(dp.Sphere(2), 0.01)
    >>> one, two = (dp.plan(asked, budget=dp.Pure(e), mechanism="laplace") for e in (1, 2))
    >>> list(approval_problems(one, one)), next(approval_problems(one, two)).field
    ([], 'plan.budget.epsilon')
    """
    if released.shape != approved.shape:
        reason = f"the release is {released.shape}, the approved plan {approved.shape}"
        yield Problem("plan", reason)
        return
    for field, reason in plan_disagreements(approved.to_json(), released.to_json(), _BECAUSE):
        yield Problem(f"plan.{field}", reason)
