"""What is charged: exactly what a plan costs, in the currency that was granted."""

from types import SimpleNamespace

import numpy as np
import pytest
from ledger_tools import debit, line_plan, line_records

import geomdp as dp
from geomdp.errors import (
    AlreadyReleasedError,
    BudgetError,
    BudgetSpentError,
    LedgerError,
    MechanismRefusedError,
)
from geomdp.ledger.accounts import Account, Spending
from geomdp.noise.entropy import SystemEntropy
from geomdp.privacy import GDP, ZCDP, Approximate, Pure, Unit


def release(ledger, plan, which=0, dataset="study", **options):
    return plan.release(line_records(which, plan.n), ledger=ledger, dataset=dataset, **options)


def test_ten_times_a_tenth_is_one(sqlite_place):
    ledger = sqlite_place.open()
    ledger.grant("study", Pure(1))
    for which in range(10):
        debit(ledger, which, budget=Pure("0.1"))
    assert ledger.account("study").remaining == Pure(0)
    with pytest.raises(BudgetSpentError):
        debit(ledger, 10, budget=Pure("1e-9"))


def test_a_refusal_says_requested_remaining_and_difference_and_draws_nothing(ledger, monkeypatch):
    debit(ledger, 0, budget=Pure("2.75"))
    monkeypatch.setattr(SystemEntropy, "take", None)
    with pytest.raises(BudgetSpentError) as refusal:
        release(ledger, line_plan(Pure(1)), 1)
    said = str(refusal.value)
    assert "requested ε = 1, pure; remaining ε = 0.25, pure" in said
    assert "difference ε = 0.75, pure" in said
    assert len(ledger.history()) == 3


@pytest.mark.parametrize("granted", [GDP(1), ZCDP(1), Approximate(3, 1e-6)])
def test_costs_are_composed_before_they_are_priced(sqlite_place, granted):
    """Gaussian noise costs less together than its prices add up to."""
    ledger = sqlite_place.open()
    ledger.grant("study", granted)
    for which in range(3):
        debit(ledger, which, budget=GDP("0.3"))
    account = ledger.account("study")
    cost = line_plan(GDP("0.3")).cost
    assert account.costs == (cost,) * 3
    delta = {"delta": 1e-6} if isinstance(granted, Approximate) else {}
    assert account.spent == (3 * cost).price(type(granted), **delta)
    if isinstance(granted, Approximate):
        assert account.spent.epsilon < 0.8 * 3 * cost.price(Approximate, **delta).epsilon
        assert account.remaining.delta == granted.delta
    assert account.remaining.parts[0] == granted.parts[0] - account.spent.parts[0]
    with pytest.raises(BudgetSpentError, match=r"requested .*; remaining .*; difference"):
        debit(ledger, 9, budget=GDP(3))


def test_a_cost_without_a_price_in_the_granted_currency_is_refused(ledger):
    with pytest.raises(BudgetSpentError, match="no price in Pure"):
        debit(ledger, budget=GDP("0.01"))


def test_grants_of_one_kind_add_up_and_others_are_refused(ledger):
    ledger.grant("study", Pure("0.5"))
    assert ledger.account("study").granted == Pure("3.5")
    with pytest.raises(LedgerError, match="must be of that kind"):
        ledger.grant("study", GDP(1))
    with pytest.raises(BudgetError):
        ledger.grant("other", Pure(0))
    with pytest.raises(LedgerError, match="name"):
        ledger.grant(" ", Pure(1))


def test_a_data_set_without_a_grant_is_refused_by_name(ledger):
    with pytest.raises(LedgerError, match=r"'studie'.*known: 'study'"):
        debit(ledger, dataset="studie")
    with pytest.raises(LedgerError, match="which data set"):
        line_plan().release(line_records(), ledger=ledger)


def test_disjoint_groups_cost_as_much_as_one(ledger):
    plan = line_plan(n={"a": 2, "b": 3})
    records = dp.Records(line_records(n=5), group=["a", "b", "a", "b", "b"])
    made = plan.release(records, ledger=ledger, dataset="study")
    assert ledger.account("study").spent == Pure(1)
    assert "ledger" in made.manifest
    assert all("ledger" not in part.manifest for part in made.parts.values())


def test_a_comparison_is_refused_before_anything_is_hashed_or_charged(ledger, monkeypatch):
    monkeypatch.setattr("geomdp.ledger.book.fingerprint", None)
    ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    plan = dp.plan(dp.FrechetMean(ball), n=3, budget=dp.GDP(1), mechanism="ambient-gaussian")
    assert plan.comparison
    with pytest.raises(MechanismRefusedError):
        plan.release(np.tile(np.eye(2), (3, 1, 1)), ledger=ledger, dataset="study")
    assert len(ledger.history()) == 2


def test_the_same_plan_and_records_are_told_before_they_are_charged(ledger, monkeypatch):
    release(ledger, line_plan())
    shuffled = line_records()[::-1].astype(np.float64)
    with monkeypatch.context() as patch:
        patch.setattr(SystemEntropy, "take", None)
        with pytest.raises(AlreadyReleasedError, match=r"entry 2, 20.*--again"):
            line_plan().release(shuffled, ledger=ledger, dataset="study")
    assert ledger.account("study").spent == Pure(1)
    line_plan().release(shuffled, ledger=ledger, dataset="study", again=True)
    assert ledger.account("study").spent == Pure(2)
    release(ledger, line_plan(Pure("0.5")))  # another plan on the same records is no mistake


def test_the_same_records_under_another_name_have_no_second_budget(ledger):
    release(ledger, line_plan())
    ledger.grant("copy", Pure(3))
    with pytest.raises(LedgerError, match=r"'study'.*one set of records has one budget"):
        release(ledger, line_plan(Pure("0.5")), dataset="copy", again=True)
    assert ledger.account("copy").spent == Pure(0)


def test_a_promise_to_persons_is_not_weakened(ledger):
    persons = line_plan(unit=Unit.person(max_records=2))
    records = dp.Records(line_records(), person=["p", "p", "q", "r"])
    persons.release(records, ledger=ledger, dataset="study")
    with pytest.raises(LedgerError, match=r"promises less: one record.*--max-per-person 2"):
        release(ledger, line_plan(), 1)
    ledger.grant("records", Pure(3))
    release(ledger, line_plan(), 2, dataset="records")
    again = dp.Records(line_records(3), person=["p", "p", "q", "r"])
    persons.release(again, ledger=ledger, dataset="records")  # holds for records all the same


def test_a_maximum_of_records_does_not_join_persons_without_one(ledger):
    """Formerly it was added up, though only the first covers how many records there are."""
    who = ["p", "p", "q", "r"]
    records = dp.Records(line_records(), person=who)
    line_plan(unit=Unit.person()).release(records, ledger=ledger, dataset="study")
    most = line_plan(unit=Unit.person(max_records=3))
    with pytest.raises(LedgerError, match=r"by any number of others.*at most 3.*--unit person"):
        most.release(dp.Records(line_records(1), person=who), ledger=ledger, dataset="study")
    assert ledger.account("study").spent == Pure(1)


RECORD, FEW, MORE, ALL = Unit.record(), Unit.person(2), Unit.person(3), Unit.person()
OPEN, SECRET = Unit.record(labels="public"), Unit.record(labels="private")
MOVING = Unit.person(labels="public")


@pytest.mark.parametrize(
    ("before", "after", "admitted"),
    [
        ([], RECORD, True),
        ([RECORD], ALL, True),
        ([RECORD, ALL], RECORD, True),
        ([FEW], RECORD, False),
        ([FEW], MORE, True),
        ([MORE], FEW, False),
        ([MORE], ALL, True),
        ([ALL], MORE, False),
        ([ALL, RECORD], MORE, True),
        ([RECORD], SECRET, True),
        ([RECORD], OPEN, True),
        ([OPEN], SECRET, True),
        ([OPEN, SECRET], OPEN, True),
        ([SECRET, RECORD], OPEN, False),
        ([SECRET], Unit.person(3, labels="private"), True),
        ([SECRET], Unit.person(3, labels="public"), False),
        ([SECRET], ALL, True),
        ([SECRET], MOVING, False),  # places are changed by records of two persons
        ([OPEN], MOVING, True),
        ([MOVING], Unit.person(labels="private"), True),
        ([MOVING], SECRET, False),
    ],
)
def test_a_plan_joins_an_account_whose_promise_it_covers(before, after, admitted):
    spendings = tuple(Spending(SimpleNamespace(unit=unit)) for unit in before)
    account = Account("study", Pure(1), spendings)
    if admitted:
        account.require_unit(after)
        return
    with pytest.raises(LedgerError, match=r"promises less|labels of 'study' are protected"):
        account.require_unit(after)


def test_labels_that_were_private_stay_so(ledger):
    def by_group(labels, which):
        plan = line_plan(n={"a": 2, "b": 2}, unit=Unit.record(labels=labels))
        records = dp.Records(line_records(which), group=["a", "b", "a", "b"])
        return plan.release(records, ledger=ledger, dataset="study")

    by_group("private", 0)
    release(ledger, line_plan(Pure("0.5")), 1)  # knows no labels
    with pytest.raises(LedgerError, match="labels of 'study' are protected"):
        by_group("public", 2)


def test_who_when_and_for_what_are_recorded(ledger, monkeypatch):
    monkeypatch.setattr("getpass.getuser", lambda: "ada")
    debit(ledger)
    entry = ledger.history()[-1]
    assert (entry.kind, entry.by, entry.dataset) == ("debit", "ada", "study")
    assert entry.at.endswith("Z")
    assert entry.body["for"] == "Fréchet mean on euclidean:1, ball of radius 1, n = 4, laplace"
