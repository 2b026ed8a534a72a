"""Make a plan again from a manifest and compare every number that follows."""

from collections.abc import Iterator
from typing import Any

from geomdp.errors import BudgetError, GeomdpError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import Plan, remake
from geomdp.plans.about import HASH, seal_problem
from geomdp.plans.loading import FORECASTS, plan_disagreements, same, states
from geomdp.plans.release import Release
from geomdp.privacy import budget_from_json
from geomdp.releases.verification.verdict import Problem, Remark
from geomdp.serial import Document
from geomdp.statistics import statistic_from_json

#: Steps towards the radius whose sensitivity is the stated one: each halves the error or better.
_STEPS = 60


def remade(document: Document, expected: Plan | None = None) -> tuple[Plan | None, list[Problem]]:
    """Return the plan of a manifest and what does not follow in it; None if none can be made.

    One that was expected, and is what the document states, is not made again. Where several numbers
    do not follow, an altered input is likelier than several altered numbers: inputs are then tried
    one at a time, and those with which everything fits are named.
    """
    known = expected is not None and states(document, expected)
    made, found = (expected, []) if known else _rebuild(document)
    if made is None:
        return None, found
    found = [] if known else _follows(made, document)
    seal = [Problem(f"plan.{HASH}", reason) for reason in [seal_problem(document)] if reason]
    return made, found or seal


def plan_differences(
    field: str, follows: Plan, release: Release, because: str
) -> Iterator[Problem]:
    """Say where the plan that a release states is another than one that it must be of."""
    stated = release.manifest["plan"]
    for place, reason in plan_disagreements(follows.to_json(), stated, because):
        yield Problem(f"{field}.{place}", reason)


def approval_problems(release: Release, approved: Plan) -> Iterator[Problem]:
    """Compare the plan of a release in order with the approved one, all but the forecasts."""
    whole = release.plan.whole
    if whole.shape != approved.shape:
        yield Problem("plan", f"the release is {whole.shape}, the approved plan {approved.shape}")
        return
    for place, reason in plan_disagreements(approved.to_json(), whole.to_json(), "was approved"):
        yield Problem(f"plan.{place}", reason)


def _follows(made: Plan, document: Document) -> list[Problem]:
    found = _whole_problems(made, document)
    derived = [problem for problem in found if problem.field.startswith("plan.derived.")]
    if len(derived) < 2 or "statistic" not in document:
        return found
    others = [problem for problem in found if problem not in derived]
    return others + (_suspects(document, made) or derived)


def forecast_remarks(made: Plan, document: Document) -> Iterator[Remark]:
    """Say where this version forecasts another error than the plan states."""
    derived, old = made.statement()["derived"], document["derived"]
    for key in sorted(FORECASTS & derived.keys() & old.keys()):
        stated = old[key]
        if not same(derived[key], stated):
            reason = f"{stated!r} was forecast; this version says {derived[key]:.6g}"
            yield Remark(f"plan.derived.{key}", reason)


def _rebuild(document: Document) -> tuple[Plan | None, list[Problem]]:
    """Make the plan, or name the input with which no plan can be made."""
    field = "plan.statistic"
    try:
        if "statistic" in document:
            statistic_from_json(document["statistic"])
        field = "plan.budget"
        budget_from_json(document["budget"])
        field = "plan.mechanism"
        return remake(document), []
    except (BudgetError, MechanismRefusedError) as error:
        reason = str(error)
    except GeomdpError as error:
        field = "plan.statistic" if field == "plan.mechanism" else field
        reason = str(error)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError):
        reason = "it is damaged"
    return None, [Problem(field, f"no plan can be made with it: {reason}")]


def _whole_problems(made: Plan, document: Document) -> list[Problem]:
    """Compare everything but the forecasts, also inputs that are stated twice."""
    because = "follows from the public inputs"
    found = plan_disagreements(made.to_json(), document, because)
    return [Problem(f"plan.{field}", reason) for field, reason in found]


def _suspects(document: Document, made: Plan) -> list[Problem]:
    found = []
    for field, trial, value in _trials(document, made):
        again, _ = _rebuild(trial)
        if again is not None and not _whole_problems(again, trial):
            reason = f"the numbers derived from it do not follow; they would from {value}"
            found.append(Problem(field, reason))
    return found


def _trials(document: Document, made: Plan) -> Iterator[tuple[str, Document, Any]]:
    """Yield documents with one input replaced by what the stated numbers suggest."""
    derived, statistic = document["derived"], document["statistic"]
    follows = made.statement()["derived"]
    simple = {
        "budget": [derived["guarantee"]["budget"]],
        "n": [max(2, round(made.n * follows["sensitivity"] / derived["sensitivity"]))],
        "bound": ["sharp", "paper"],
        "gaussian": ["analytic", "classical", "mirshani"],
        "mechanism": list(MECHANISMS),
    }
    for key, values in simple.items():
        for value in values:
            if value != document.get(key):
                yield f"plan.{key}", {**document, key: value}, value
    if "radius" in statistic:
        radius = _radius_for(document, derived["sensitivity"])
        yield "plan.statistic.radius", _with(document, "radius", radius), radius
    if "sensitivity" in statistic:
        value = derived["sensitivity"]
        yield "plan.statistic.sensitivity", _with(document, "sensitivity", value), value


def _radius_for(document: Document, sensitivity: float) -> float:
    """Radius whose sensitivity is the stated one, to twelve digits; any number if there is none."""
    radius = float(document["statistic"]["radius"])
    for _ in range(_STEPS):
        try:
            trial = statistic_from_json(_with(document, "radius", radius)["statistic"])
            value = trial.sensitivity(document["n"], document["bound"]).value
        except GeomdpError:
            radius /= 2
            continue
        # The square root keeps the steps stable where the sensitivity grows faster than the radius.
        radius *= (sensitivity / value) ** 0.5
    return float(f"{radius:.11e}")


def _with(document: Document, key: str, value: Any) -> Document:
    return {**document, "statistic": {**document["statistic"], key: value}}
