"""Who is protected and what is counted: told alike, and truly, on every page of every plan."""

import re
from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.audit import Settings, audit_plan
from geomdp.audit.page import audit_html
from geomdp.curves import FunctionMean, Matern
from geomdp.plans import SinglePlan
from geomdp.report import plan_html
from geomdp.report.plan_page import plan_text
from geomdp.report.release_pages import release_page

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
PERSONS, EACH = 60, 3
RECORDS = PERSONS * EACH
UNITS = {
    "record": dp.Unit.record(),
    "person": dp.Unit.person(),
    "at most 3": dp.Unit.person(max_records=EACH),
}
CURVE = FunctionMean(np.zeros(33), 1.0, Matern(0.3))
COVARIATES = {"age": (20, 90)}


def counted(unit):
    """How many units the plan is for, and what they are: never how many records there are."""
    pooled = unit.of == "person" and unit.max_records is None
    return (PERSONS, "persons") if pooled else (RECORDS, "records")


def make_plan(kind, unit):
    n = counted(unit)[0]
    half = {"a": n // 2, "b": n - n // 2}
    asked, size, budget = {
        "mean": (dp.FrechetMean(BALL), n, dp.Pure(2)),
        "groups": (dp.FrechetMean(BALL), half, dp.Pure(2)),
        "stages": (dp.Refined(dp.FrechetMean(BALL)), n, dp.GDP(3)),
        "moments": (dp.Moments(BALL), n, dp.GDP(3)),
        "regression": (dp.Regression(BALL, COVARIATES), n, dp.GDP(3)),
        "curves": (CURVE, n, dp.GDP(3)),
    }[kind]
    return dp.plan(asked, n=size, budget=budget, unit=unit)


def make_records(kind, plan):
    rng = np.random.default_rng(1)
    who = np.repeat([f"P{i:03d}" for i in range(PERSONS)], EACH)
    place = 0.1 * rng.standard_normal((RECORDS, 2)) + 0.1
    points = np.asarray(BALL.space.frame_exp(BALL.center, place))
    if kind == "curves":
        points = 0.1 * rng.standard_normal((RECORDS, 33))
    group = np.where(np.arange(RECORDS) < RECORDS // 2, "a", "b") if kind == "groups" else None
    ages = {"age": np.linspace(20, 90, RECORDS)} if kind == "regression" else {}
    person = None if plan.unit.of == "record" else who
    return dp.Records(points, group=group, person=person, covariates=ages)


@cache
def pages_of(kind, unit):
    """Every text that people read of one plan: before, during and after the release."""
    plan = make_plan(kind, unit)
    data = make_records(kind, plan)
    told = {"plan page": check_page(plan_html(plan, [plan.guarantee.budget])).text}
    told["show"] = " ".join(plan_text(plan).split())
    told["str"] = " ".join(str(plan).split())
    told["check"] = str(plan.check(data))
    release = plan.release(data)
    folders = {label: label for label in release.parts}
    told["report"] = check_page(release_page(release, folders)).text
    for label, part in release.parts.items():
        told[f"report of {label}"] = check_page(release_page(part, {})).text
    if isinstance(plan, SinglePlan):  # of parts, each by itself
        found = [audit_plan(plan, Settings(draws=20, records=5), checks=["records"])]
        told["audit"] = check_page(audit_html(found)).text
    told["guarantee"] = release.manifest["plan"]["derived"]["guarantee"]["neighbours"]
    return plan, told


#: What would be false where each person counts once, or where a person is protected.
_OF_RECORDS = (
    r"\b\d+ records\b",
    r"number of records",
    r"data sets of n records",
    r"[Mm]ore records",
    r"few records",
    r"\bn = \d+ records",
    r"a record ε",
)
_TO_RECORDS = (
    r"every record but one",
    r"[Oo]ne record is",
    r"about one record",
    r"tell about one record",
    r"that record has",
    r"everyone else's record is",
    r"any one record",
    r"one record in full",
)
_TO_PERSONS = (r"\bpersons?\b", r"\bpeople\b", r"everyone")
FALSE = {
    "record": _TO_PERSONS,
    "person": (*_OF_RECORDS, *_TO_RECORDS, "one record moves"),
    "at most 3": (*_TO_RECORDS, r"\b\d+ persons\b", r"number of persons"),
}
#: True in all cases: a group's own release promises its share to single records, where a person
#: has several; and the curator is told how many records there are.
ALLOWED = {
    ("at most 3", "report of a"): _TO_RECORDS,
    ("at most 3", "report of b"): _TO_RECORDS,
    ("person", "check"): (r"\b\d+ records\b",),
    ("at most 3", "check"): (r"\b\d+ persons\b",),
    ("person", "audit"): (r"hostile records",),
}
KINDS = ("mean", "groups", "stages", "moments", "regression", "curves")


@pytest.mark.parametrize("name", UNITS)
@pytest.mark.parametrize("kind", KINDS)
def test_pages_name_who_is_protected_and_what_is_counted(kind, name):
    plan, told = pages_of(kind, UNITS[name])
    wrong = []
    for page, text in told.items():
        allowed = ALLOWED.get((name, page), ())
        wrong += [
            f"{page}: {text[max(0, found.start() - 40) : found.end() + 40]!r}"
            for pattern in FALSE[name]
            if pattern not in allowed
            for found in re.finditer(pattern, text)
            if "Groups and persons" not in text[found.start() - 15 : found.end() + 15]
        ]
    assert wrong == []
    n, whom = counted(plan.unit)
    for page in ("plan page", "show", "str", "check", "report"):
        if kind == "groups":
            assert f"{n // 2} {whom}" in told[page], page
        else:
            assert f"{n} {whom}" in told[page], page
    for page in ("plan page", "show", "report"):
        assert f"one {plan.unit.of}" in told[page], page
    if plan.unit.of == "person":
        assert all(
            "person" in text for page, text in told.items() if not page.startswith("report ")
        )


@pytest.mark.parametrize("name", UNITS)
def test_stages_state_the_neighbours_of_the_whole_plan(name):
    plan, told = pages_of("stages", UNITS[name])
    assert plan.unit.neighbours() in told["report"]
    for label in ("stage 1", "stage 4"):
        assert plan.unit.neighbours() in told[f"report of {label}"]


@pytest.mark.parametrize("labels", ["public", "private"])
@pytest.mark.parametrize("name", UNITS)
def test_pages_by_group_say_whether_labels_are_protected_as_the_unit_does(name, labels):
    unit = replace(UNITS[name], labels=labels)
    plan = make_plan("groups", unit)
    told = " ".join(plan_text(plan).split())
    release = plan.release(make_records("groups", plan))
    report = check_page(release_page(release, {"a": "a", "b": "b"})).text
    hidden = labels == "private" or name == "person"  # who counts where is read off the records
    assert ("The labels themselves are not covered" not in unit.describe()) == hidden
    for text in (told, report):
        assert ("who belongs to which group is protected" in text) == hidden
        assert ("so are the labels" in text) != hidden
