"""Long ledgers cost what short ones do, and hide nothing: one pass, and a mark that spares work."""

import secrets

import numpy as np
import pytest
from ledger_tools import Place, debit, line_plan, line_records
from sqlalchemy import event, insert

import geomdp as dp
from geomdp.errors import BudgetSpentError, GeomdpError, LedgerError
from geomdp.ledger import chain, schema
from geomdp.ledger.accounts import Balance, accounts_of, balances_of
from geomdp.ledger.chain import Entry, commitment_of, make_row
from geomdp.ledger.checked import STRIDE, Mark
from geomdp.ledger.engines import writing
from geomdp.privacy import ApproximateCost, GaussianCost, LaplaceCost, PureCost, Unit

LENGTH = 2 * STRIDE
DIGITS = str.maketrans("0123456789", "1234567890")


def lengthened(place, length):
    """Add debits of others up to a length; the next to read them checks each, and marks them."""
    ledger, plan = place.open(), line_plan()
    store = ledger._store
    rows = [*store.read().rows]
    before = len(rows)
    for number in range(before, length):
        print_, pad = secrets.token_hex(32), secrets.token_hex(32)
        debited = {
            **{"ledger": store.name, "at": "2026-01-01T00:00:00Z", "by": "others"},
            **{"kind": "debit", "dataset": "study", "for": "a mean", "plan": f"{number:064x}"},
            **{"unit": plan.unit.to_json(), "cost": plan.cost.to_json()},
            "commitment": commitment_of(print_, pad),
        }
        rows.append(make_row(store.key, rows, debited, (print_, pad)))
    with writing(store.engine) as connection:
        connection.execute(insert(schema.ENTRIES), [row._asdict() for row in rows[before:]])
    place.open().accounts()
    return place


@pytest.fixture
def long(sqlite_place):
    sqlite_place.open().grant("study", dp.Pure(10 * LENGTH))
    return lengthened(sqlite_place, LENGTH)


def mark_of(place):
    ledger = place.open()
    return Mark.beside(ledger.key, ledger.name)


def work_of_a_release(place, monkeypatch):
    """Return the statements of a release, and how many entries it hashed and parsed."""
    ledger, statements, looked = place.open(), [], {"link_of": 0, "seal_of": 0}

    def told(_connection, _cursor, statement, *_):
        statements.append(" ".join(statement.split()))

    event.listen(ledger._store.engine, "before_cursor_execute", told)
    with monkeypatch.context() as patch:
        for name in looked:
            real = getattr(chain, name)

            def counted(*given, name=name, real=real):
                looked[name] += 1
                return real(*given)

            patch.setattr(chain, name, counted)
        read = []
        real_of = Entry.of
        patch.setattr(Entry, "of", staticmethod(lambda row: read.append(row) or real_of(row)))
        line_plan().release(line_records(), ledger=ledger, dataset="study")
    return statements, (*looked.values(), len(read))


def test_a_release_reads_a_ledger_once_and_looks_at_new_entries_alone(tmp_path, monkeypatch):
    found = {}
    for length in (STRIDE + 4, 4 * STRIDE + 4):
        folder = tmp_path / str(length)
        folder.mkdir()
        place = Place(str(folder / "study.db"), folder / "study.key")
        dp.Ledger.create(place.where, place.key).grant("study", dp.Pure(10 * length))
        found[length] = work_of_a_release(lengthened(place, length), monkeypatch)
    (few, looked), (many, also) = found.values()
    assert few == many
    whole = [one for one in many if "FROM geomdp_entries" in one and "WHERE" not in one]
    assert len(whole) == 1
    # Two links are made, one seal; the debit and its mark are read, and nothing that was marked.
    assert looked == also
    assert max(also) <= 8


@pytest.mark.parametrize("column", ["body", "link", "fingerprint", "pad", "seal"])
def test_an_edit_of_any_old_entry_still_blocks(long, column):
    statement = f"UPDATE geomdp_entries SET {column} = :new WHERE number = :number"
    for number in (0, 1, 2, STRIDE // 2, LENGTH - 2):
        select = f"SELECT {column} FROM geomdp_entries WHERE number = {number}"
        ((before,),) = long.execute(select)
        other = "" if before is None else before.translate(DIGITS)
        long.execute(statement, new=other, number=number)
        with pytest.raises(LedgerError, match="not intact"):
            debit(long.open(), 9)
        long.execute(statement, new=before, number=number)
    debit(long.open(), 9)


def test_texts_that_are_split_otherwise_are_other_rows(long):
    """The last letter of one body before the first of the next: all texts together are the same."""
    rows = long.execute("SELECT number, body FROM geomdp_entries WHERE number IN (5, 6)")
    (five, first), (six, second) = sorted(rows)
    for number, body in ((five, first[:-1]), (six, first[-1] + second)):
        statement = "UPDATE geomdp_entries SET body = :new WHERE number = :number"
        long.execute(statement, new=body, number=number)
    with pytest.raises(LedgerError, match="entry 5 was altered"):
        debit(long.open(), 9)


@pytest.mark.parametrize(
    "statement",
    [
        "DELETE FROM geomdp_entries WHERE number = 7",
        f"DELETE FROM geomdp_entries WHERE number = {LENGTH - 1}",
        "UPDATE geomdp_entries SET body = CAST(body AS BLOB) WHERE number = 7",
        "UPDATE geomdp_entries SET fingerprint = NULL WHERE number = 7",
    ],
)
def test_what_a_mark_covers_cannot_be_taken_away(long, statement):
    long.execute(statement)
    with pytest.raises(LedgerError, match="not intact"):
        debit(long.open(), 9)


def test_a_mark_does_not_hide_what_the_side_file_knows(long):
    heads = long.open()._store.heads
    ((link,),) = long.execute("SELECT link FROM geomdp_entries WHERE number = 1")
    content = heads.content()
    assert link.encode() in content
    heads.file.write_bytes(content.replace(link.encode(), link[::-1].encode()))
    assert "another one than the side file knows" in str(long.open().problems())
    with pytest.raises(LedgerError, match="another one than the side file knows"):
        debit(long.open(), 9)


@pytest.mark.parametrize("how", ["balances", "hash", "empty", "no JSON", "of another ledger"])
def test_a_mark_that_somebody_wrote_is_not_taken(long, tmp_path, how, monkeypatch):
    mark = mark_of(long)
    content = mark.file.read_bytes()
    hashed, _, said = content.partition(b"\n")
    made = {
        "balances": content.replace(b'"epsilon":"', b'"epsilon":"9'),
        "hash": b"0" * 64 + b"\n" + said,
        "empty": b"",
        "no JSON": hashed + b"\n[",
        "of another ledger": None,
    }[how]
    if made is None:
        other = Mark(mark.file, mark.key, "0" * 32)
        other.keep(long.open()._store.read())
    else:
        assert made != content
        mark.file.write_bytes(made)
    store = long.open()._store
    content = store.heads.content()
    with store.engine.connect() as connection:
        assert not mark.recall(store._rows(connection, whole=True), content).rows
    debit(long.open(), 9)


def test_a_mark_that_cannot_be_written_or_read_costs_nothing_but_time(long):
    mark = mark_of(long)
    mark.file.unlink()
    mark.file.mkdir()
    debit(long.open(), 9)
    assert long.open().problems() == []


def test_what_a_mark_adds_up_to_is_what_the_entries_say(sqlite_place):
    sqlite_place.open().grant("study", dp.Pure(LENGTH))
    ledger = lengthened(sqlite_place, LENGTH).open()
    spent = LENGTH - 2
    assert ledger.balance("study").spent == ledger.account("study").spent == dp.Pure(spent)
    assert ledger.balance("study").unpublished == ledger.account("study").unpublished
    debit(sqlite_place.open(), 1)
    debit(sqlite_place.open(), 2)
    with pytest.raises(BudgetSpentError):
        debit(sqlite_place.open(), 3)


def test_the_same_records_are_known_behind_a_mark(sqlite_place):
    sqlite_place.open().grant("study", dp.Pure(10 * LENGTH))
    sqlite_place.open().grant("others", dp.Pure(10))
    line_plan().release(line_records(), ledger=sqlite_place.open(), dataset="study")
    ledger = lengthened(sqlite_place, LENGTH).open()
    with pytest.raises(LedgerError, match="data set 'study'"):
        line_plan().release(line_records(), ledger=ledger, dataset="others")
    with pytest.raises(LedgerError, match="charged for the same records"):
        line_plan().release(line_records(), ledger=ledger, dataset="study")
    with pytest.raises(LedgerError, match="published already"):
        ledger.abandon(3)


COSTS = {
    "pure": (PureCost("0.1"), PureCost("0.25"), LaplaceCost("0.1", 3)),
    "gauss": (GaussianCost(0.3), GaussianCost(0.4), LaplaceCost("0.2", 2), PureCost("0.1")),
    "failing": (ApproximateCost("0.1", "1e-7"), GaussianCost(0.1), PureCost("0.3")),
}
GRANTS = (dp.Pure(3), dp.GDP(2), dp.ZCDP(1), dp.Approximate(4, "1e-5"))


def entries(kinds, rng):
    """Grants and debits of two data sets in some order, some of them published or abandoned."""
    units = (Unit(), Unit.person(max_records=3), Unit.person())
    yield {"kind": "init"}
    for grant in GRANTS:
        for name in ("a", "b"):
            yield {"kind": "grant", "dataset": f"{name} {grant}", "budget": grant.to_json()}
    number = 1 + 2 * len(GRANTS)
    for _ in range(12):
        for grant in GRANTS:
            cost, unit = kinds[rng.integers(len(kinds))], units[rng.integers(3)]
            name = f"{'ab'[rng.integers(2)]} {grant}"
            said = {"kind": "debit", "dataset": name}
            yield {**said, "cost": cost.to_json(), "unit": unit.to_json()}
            number += 1
            if rng.random() < 0.5:
                yield {"kind": ("published", "abandoned")[rng.integers(2)], "entry": number - 1}
                number += 1


@pytest.mark.parametrize("kinds", COSTS.values(), ids=COSTS)
def test_sums_decide_as_all_entries_do(kinds):
    rng = np.random.default_rng(0)
    told = [Entry(i, "", body) for i, body in enumerate(entries(kinds, rng))]
    cut = len(told) // 2
    half = {name: Balance.from_json(one.to_json()) for name, one in balances_of(told[:cut]).items()}
    balances, accounts = balances_of(told[cut:], half), accounts_of(told)
    assert balances == balances_of(told)
    assert list(balances) == list(accounts)
    for name, account in accounts.items():
        balance = balances[name]
        assert balance.unpublished == account.unpublished
        assert set(balance.units) == set(account.units)
        for question in ("spent", "remaining", "warning"):
            assert answer(getattr, balance, question) == answer(getattr, account, question)
        for cost in (*kinds, PureCost(1), GaussianCost(1)):
            assert answer(balance.require, cost) == answer(account.require, cost)
        for unit in (Unit(), Unit.person(max_records=2), Unit.person()):
            assert answer(balance.require_unit, unit) == answer(account.require_unit, unit)


def answer(ask, *about):
    """Return what a question gives, or the refusal in words."""
    try:
        return ask(*about)
    except GeomdpError as error:
        return f"{type(error).__name__}: {error}"
