"""The unit of privacy says whom a release protects, and old files are read."""

import json
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from geomdp.errors import BudgetError
from geomdp.privacy import GDP, ZCDP, Approximate, Guarantee, Pure, Unit

UNITS = [
    Unit.record(),
    Unit.record(labels="public"),
    Unit.record(labels="private"),
    *(
        Unit.person(k, g, labels)
        for k in (1, 3, None)
        for g in (1, 2)
        for labels in ("none", "public", "private")
    ),
]
BUDGETS = [Pure(1), GDP(1), ZCDP(1), Approximate(1, 1e-6)]


@pytest.mark.parametrize("k", [1, 4])
@pytest.mark.parametrize("labels", ["none", "public", "private"])
def test_a_unit_charges_every_record_and_every_group_that_can_change(k: int, labels: Any) -> None:
    unit = Unit.record(labels) if k == 1 else Unit.person(k, labels=labels)
    groups = 2 if labels == "private" else 1
    assert unit.record_budget(Pure(1)) == Pure(f"1/{groups * k}")
    assert unit.record_budget(GDP(1)) == GDP(f"sqrt(1/{groups * k**2})")
    assert ("labels" in unit.neighbours()) is (labels != "none")
    assert ("person" in unit.neighbours()) is (k > 1)


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_json_round_trip(unit: Unit) -> None:
    assert Unit.from_json(json.loads(json.dumps(unit.to_json()))) == unit
    promise = Guarantee(Pure(1), caveats=("a caveat",), unit=unit)
    assert promise.to_json()["unit"] == unit.to_json()
    assert str(promise).startswith("ε = 1, pure; ")
    assert ("replace-one" in str(promise)) is (unit == Unit.record())


def test_units_differ() -> None:
    assert len(set(UNITS)) == len(UNITS)
    for one, other in product(UNITS, UNITS):
        same_words = one.describe() == other.describe()
        assert not same_words or one.record_budget(Pure(1)) == other.record_budget(Pure(1))


def test_a_person_in_many_groups_is_charged_in_each() -> None:
    for labels in ("public", "private"):  # which groups count is read off the records
        unit = Unit.person(groups=3, labels=labels)
        assert unit.record_budget(GDP(3)) == GDP("sqrt(3/2)")
        assert unit.record_budget(Pure(3)) == Pure("1/2")
        assert unit.record_budget(Pure(3), Fraction(1, 4)) == Pure(1)
        assert unit.record_budget(GDP(3), Fraction(1, 2)) == GDP("sqrt(3)")
        assert unit.record_budget(Pure(3), Fraction(1), 3) == Pure(1)
        assert unit.record_budget(Approximate(4, "4e-6"), Fraction(3, 8)) == Approximate(1, 1e-6)
        assert "3 groups" in unit.composition()
    assert Unit.person(max_records=3, groups=3, labels="public").record_budget(Pure(3)) == Pure(1)


def test_public_labels_are_said_not_to_be_covered() -> None:
    assert "labels themselves are not covered" in Unit.record(labels="public").describe()
    assert "not covered" not in Unit.record(labels="private").describe()


@pytest.mark.parametrize(
    "make",
    [
        lambda: Unit("family"),  # type: ignore[arg-type]
        lambda: Unit.record(labels="secret"),  # type: ignore[arg-type]
        lambda: Unit.person(0),
        lambda: Unit.person(groups=0),
        lambda: Unit("record", 3),
        lambda: Unit.from_json("add-one"),
        lambda: Unit.from_json({"of": "record", "size": 3}),
        lambda: Unit.from_json({"labels": ["a"]}),
    ],
)
def test_what_is_no_unit(make: Any) -> None:
    with pytest.raises(BudgetError):
        make()
