"""What is said: the same promise, number, unit and warnings wherever anything is said."""

import html
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import geomdp as dp
from geomdp.ledger.receipts import plan_hash
from geomdp.plans import SinglePlan

THEORY = Path(__file__).resolve().parents[2] / "docs" / "theory"
#: Fields that hold the day.
DATED = ("about", "hash")


def plain(text: str) -> str:
    """Return the words of a page, without its markup and line breaks.

    >>> plain("<p>Taken <b>once</b> &amp; kept.</p>")
    'Taken once & kept.'
    """
    if "<html" in text[:200]:
        text = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", text, flags=re.S)
    words = html.unescape(re.sub(r"<[^>]+>", " ", text)) if "<" in text else text
    return re.sub(r"\s+", " ", words).strip()


def require_sentence(text: str) -> None:
    """Ask of an error that it is one sentence for people."""
    assert text.strip(), "an empty sentence"
    assert "\n" not in text, f"more than a sentence: {text!r}"
    assert text.rstrip()[-1] in ".:)", f"a sentence without an end: {text}"
    assert "object at 0x" not in text, f"not for people: {text}"


def differences(one: Any, other: Any, at: str = "") -> str:
    """Return the first place where two documents differ; empty where they do not."""
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return f"{at}: {sorted(one.keys() ^ other.keys())}"
        names = (name for name in one if name not in DATED)
        found = (differences(one[name], other[name], f"{at}.{name}") for name in names)
        return next(filter(None, found), "")
    same = json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)
    return "" if same else f"{at}: {json.dumps(one)[:60]} is {json.dumps(other)[:60]}"


def require_alike(plan: dp.Plan, pages: Mapping[str, str]) -> None:
    """Ask of pages that they state promise, unit, number and warnings of a plan."""
    missing = []
    for where, text in pages.items():
        words = plain(text)
        left_out = [what for what, said in stated(plan, where) if said not in words]
        missing += [f"{where} leaves out {what}" for what in dict.fromkeys(left_out)]
    assert not missing, "; ".join(missing)


def require_whole(file: Path, little_noise: bool) -> None:
    """Ask that a report is one, and that values with little noise have their pictures."""
    words = plain(file.read_text(encoding="utf-8"))
    assert "No report could be made" not in words, f"{file.parent.name} has no report"
    lost = "beyond what a picture can show"
    assert not (little_noise and lost in words), f"{file.parent.name} lost a picture"


def stated(plan: dp.Plan, where: str) -> list[tuple[str, str]]:
    """Return what every page says, by name; a print says the number alone."""
    said = [("the budget", plan.guarantee.budget.words().removesuffix(")"))]
    if plan.unit != dp.Unit.record():
        said.append(("the unit", plan.unit.neighbours()))
    if plan.statistic.needs_n:
        whom = "" if where == "print" else f" {_counted(plan.unit)}"
        said += [("the number", f"{size}{whom}") for size in _sizes(plan)]
    said += [(f"the warning of {caution.name}", plain(caution.says)) for caution in plan.warnings]
    return said


def _sizes(plan: dp.Plan) -> list[int]:
    """Return the public sizes, of all groups where there are some."""
    return [part.n for part in plan.parts.values()] or [plan.n]


def _counted(unit: dp.Unit) -> str:
    """Return whom n counts: persons where each counts once, however many records there are."""
    return "persons" if unit.of == "person" and unit.max_records is None else "records"


def require_proofs(plan: dp.Plan) -> None:
    """Ask that what a plan rests on has a page that exists."""
    for one in plan.parts.values() if plan.parts else [plan]:
        inner = one if isinstance(one, SinglePlan) else None
        for made in _stages(one) if inner is None else [inner]:
            for name in (made.sensitivity.proof, made.calibration.proof):
                needless = not name and not made.statistic.needs_n
                assert needless or (THEORY / f"{name}.md").is_file(), f"no page of proof {name!r}"


def _stages(plan: Any) -> Sequence[SinglePlan]:
    if plan.period_names:
        return [plan.alone, plan.outlook]
    return [plan.rule.plan(()), plan.rule.outlook()]


def require_same_promise(plan: dp.Plan, release: dp.Release) -> None:
    """Ask that manifest, plan and release promise the same."""
    promise = plan.guarantee.to_json()
    stated_at = {
        "the release": release.guarantee.to_json(),
        "the plan's document": plan.to_json()["derived"]["guarantee"],
        "the manifest": release.manifest["plan"]["derived"]["guarantee"],
    }
    for where, said in stated_at.items():
        assert said == promise, f"{where} promises {said}, not {promise}"


def require_entry(plan: dp.Plan, spendings: Sequence[Any]) -> None:
    """Ask that a ledger holds one published debit of a plan."""
    assert len(spendings) == 1, f"{len(spendings)} debits"
    entry = spendings[0].entry
    assert spendings[0].state == "published", spendings[0].state
    assert entry.unit == plan.unit, f"for {entry.unit}, not {plan.unit}"
    assert entry.cost == plan.cost, f"{entry.cost}, not {plan.cost}"
    assert entry.body["plan"] == plan_hash(plan.to_json()), "of another plan"
