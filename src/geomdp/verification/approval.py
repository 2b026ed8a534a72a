"""Whether a release is of the plan that was approved, and of no other."""

from collections.abc import Iterator
from pathlib import Path

from geomdp.agreement import disagreements, plan_disagreements
from geomdp.cohorts import CohortPlan
from geomdp.plans import load_release
from geomdp.serial import Document
from geomdp.verification.problems import Problem

_BECAUSE = "was approved"
#: What a cohort's manifest says beside the plans of its groups.
_JOINT = ("cohort", "budget", "record_budget", "neighbours", "composition")


def approval_problems(
    document: Document, folder: Path, approved: Plan | CohortPlan
) -> Iterator[Problem]:
    """Compare a release in order with the approved plan, all but the forecasts.

    Parameters
    ----------
    document
        The manifest as read.
    folder
        Where it lies.
    approved
        As :func:`geomdp.cohorts.load_any_plan` read it.
    """
    if isinstance(approved, CohortPlan) != ("cohort" in document):
        kinds = ("one release", "groups or persons")
        has, wants = kinds if isinstance(approved, CohortPlan) else kinds[::-1]
        yield Problem("plan", f"the folder is of {has}, the approved plan of {wants}")
    elif isinstance(approved, CohortPlan):
        yield from _cohort_problems(document, folder, approved)
    else:
        yield from _plan_problems("plan", load_release(folder).manifest["plan"], approved)


def _cohort_problems(document: Document, folder: Path, approved: CohortPlan) -> Iterator[Problem]:
    wanted = approved.to_json()
    for key in _JOINT:
        for field, reason in disagreements(key, wanted[key], document[key], _BECAUSE):
            yield Problem(field, reason)
    for label, listed in document["releases"].items():
        if label in approved.plans:
            plan = load_release(folder / listed["folder"]).manifest["plan"]
            yield from _plan_problems(f"{listed['folder']}/plan", plan, approved.plans[label])


def _plan_problems(prefix: str, stated: Document, approved: Plan) -> Iterator[Problem]:
    for field, reason in plan_disagreements(approved.to_json(), stated, _BECAUSE):
        yield Problem(f"{prefix}.{field}", reason)
