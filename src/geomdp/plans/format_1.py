"""Plans and manifests as the first format wrote them: read for good, never written again."""

from pathlib import Path

from geomdp.io.documents import read_json
from geomdp.privacy import GDP, Unit, budget_from_json, cost_from_json
from geomdp.releases.release import MANIFEST, files_to_arrays
from geomdp.serial import Document

FORMAT = 1
#: Name of the only group where a plan had persons but no groups.
EVERYONE = "everyone"
#: What format 1 did not state.
_NEW_KEYS = frozenset({"shape", "unit", "invalid", "gaussian"})


def downgrade(plan: Document) -> Document:
    """Describe a plan of the present format in the words of the first.

    What format 1 did not state (unit, policy, cost) is left out; it had one meaning only.
    """
    unit = Unit.from_json(plan["unit"])
    if plan["shape"] == "parallel":
        return _cohort(plan, unit, {label: downgrade(one) for label, one in plan["plans"].items()})
    if unit.of == "person":
        share = unit.record_budget(budget_from_json(plan["budget"])).to_json()
        guarantee = {**plan["derived"]["guarantee"], "budget": share}
        record = {"unit": Unit.record().to_json(), "budget": share}
        derived = {**plan["derived"], "guarantee": guarantee}
        return _cohort(plan, unit, {EVERYONE: downgrade({**plan, **record, "derived": derived})})
    derived = {key: item for key, item in plan["derived"].items() if key != "cost"}
    cost = None if plan["derived"]["cost"] is None else cost_from_json(plan["derived"]["cost"])
    if cost is not None and cost.kind == "gaussian":
        derived["mu"] = cost.price(GDP).mu
    if "tries" in derived:
        derived["tries"] = float(derived["tries"])
    derived["guarantee"] = _guarantee(derived["guarantee"])
    old = {key: item for key, item in plan.items() if key not in _NEW_KEYS}
    return {**old, "format": FORMAT, "calibration": plan["gaussian"], "derived": derived}


def as_parallel(document: Document) -> Document:
    """Describe the public inputs of a cohort's plan as those of a plan by group.

    A cohort of one group was a plan for persons: it becomes a single plan with that unit.
    """
    unit = _unit(document["cohort"])
    plans = document["plans"]
    if set(plans) == {EVERYONE}:
        return {**plans[EVERYONE], "budget": document["budget"], "unit": unit.to_json()}
    return {
        "format": FORMAT,
        "shape": "parallel",
        "budget": document["budget"],
        "unit": unit.to_json(),
        "plans": plans,
    }


def manifest_with_plan(manifest: Document, folder: Path) -> Document:
    """Put the groups' plans into the joint manifest of a cohort, as it is done now."""
    parts = manifest["releases"]
    plans = {}
    for label, entry in parts.items():
        below = folder / Path(entry["folder"]).name
        document = read_json(below / MANIFEST)
        plans[label] = files_to_arrays(document["plan"], below)
    joint = ("cohort", "budget", "record_budget", "neighbours", "composition")
    plan = {"format": FORMAT, **{key: manifest[key] for key in joint}, "plans": plans}
    return {
        "format": FORMAT,
        "software": manifest["software"],
        "plan": plan,
        "comparison": False,
        "projected": False,
        "parts": parts,
    }


def _cohort(plan: Document, unit: Unit, plans: Document) -> Document:
    return {
        "format": FORMAT,
        "cohort": {
            "sizes": {label: one["n"] for label, one in plans.items()},
            "labels": unit.labels,
            "max_per_person": unit.max_records or 1,
        },
        "budget": plan["budget"],
        "record_budget": unit.record_budget(budget_from_json(plan["budget"])).to_json(),
        "neighbours": unit.neighbours(),
        "composition": unit.composition(),
        "plans": plans,
    }


def _unit(cohort: Document) -> Unit:
    labels, most = cohort["labels"], cohort["max_per_person"]
    if most == 1:
        return Unit.record(labels=labels)
    return Unit.person(max_records=most, labels=labels)


def _guarantee(guarantee: Document) -> Document:
    old = ("budget", "strength", "caveats")
    return {**{key: guarantee[key] for key in old}, "neighbours": "replace-one"}
