"""What a ledger keeps and what it knows: debits that vanish, heads that were seen, names."""

import json
import logging
import os
import shutil

import pytest
from ledger_tools import KEY, Place, debit, line_plan, line_records
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, LedgerError
from geomdp.ledger import chain
from geomdp.noise.entropy import SystemEntropy
from geomdp.releases.verification import verify

SWALLOW = (
    "CREATE TRIGGER swallow BEFORE INSERT ON geomdp_entries WHEN NEW.body LIKE '%\"{kind}\"%' "
    "BEGIN SELECT RAISE(IGNORE); END"
)
CHANGE = (
    "CREATE TRIGGER change AFTER INSERT ON geomdp_entries WHEN NEW.body LIKE '%\"debit\"%' "
    "BEGIN UPDATE geomdp_entries SET pad = NULL WHERE number = NEW.number; END"
)


def swallow(place, kind):
    """Let the database take entries of a kind without a word, and keep none."""
    with open_raw(place) as connection:
        connection.execute(SWALLOW.format(kind=kind))


def open_raw(place):
    import sqlite3

    return sqlite3.connect(place.where)


@pytest.fixture
def granted(sqlite_place):
    sqlite_place.open().grant("study", dp.Pure(5))
    return sqlite_place


# --- debits that vanish -----------------------------------------------------------------------


@pytest.mark.parametrize("how", ["swallowed", "changed"])
def test_a_debit_that_the_database_does_not_keep_stops_the_release(granted, monkeypatch, how):
    with open_raw(granted) as connection:
        connection.execute(SWALLOW.format(kind="debit") if how == "swallowed" else CHANGE)
    monkeypatch.setattr(SystemEntropy, "take", None)  # nothing is drawn
    with pytest.raises(LedgerError, match="did not keep entry 2"):
        line_plan().release(line_records(), ledger=granted.open(), dataset="study")
    kept = granted.execute("SELECT count(*) FROM geomdp_entries")[0][0]
    assert kept == (2 if how == "swallowed" else 3)


def test_a_swallowed_debit_is_no_head(granted):
    swallow(granted, "debit")
    with pytest.raises(LedgerError, match="did not keep"):
        debit(granted.open())
    assert granted.open().problems() == []


def test_a_swallowed_mark_leaves_the_debit_open(granted, tmp_path, caplog):
    swallow(granted, "published")
    with caplog.at_level(logging.WARNING):
        line_plan().release(
            line_records(), ledger=granted.open(), dataset="study", folder=tmp_path / "out"
        )
    assert "did not keep entry 3" in caplog.text
    assert granted.open().account("study").unpublished == (2,)


def test_a_grant_that_vanishes_is_told(sqlite_place):
    swallow(sqlite_place, "grant")
    with pytest.raises(LedgerError, match="did not keep entry 1"):
        sqlite_place.open().grant("study", dp.Pure(1))


# --- what is paid for, and what is open -------------------------------------------------------


def test_another_plan_than_the_prepared_one_cannot_pay(granted, monkeypatch):
    dear, cheap, records = line_plan(dp.Pure(2)), line_plan(dp.Pure("0.1")), line_records()
    with pytest.raises(LedgerError, match="another plan than the one that was prepared"):
        granted.open().pay(dear.prepare(records), cheap, records, "study")
    assert granted.open().account("study").spendings == ()


def test_the_same_plan_made_again_pays(granted):
    records = line_records()
    plan = line_plan().described(dp.About(title="Wind"))
    granted.open().pay(line_plan().prepare(records), plan, records, "study").draw()
    assert granted.open().account("study").spent == dp.Pure(1)


def test_any_number_of_values_under_one_unpublished_debit_are_open(granted, tmp_path, monkeypatch):
    ledger = granted.open()
    with monkeypatch.context() as patch:
        patch.setattr(type(ledger), "publish", lambda *_: None)
        line_plan().release(
            line_records(), ledger=ledger, dataset="study", folder=tmp_path / "first"
        )
    receipt = json.loads((tmp_path / "first" / "manifest.json").read_text())["ledger"]
    line_plan().release(line_records(), folder=tmp_path / "second")
    file = tmp_path / "second" / "manifest.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"ledger": receipt}))
    for name in ("first", "second"):
        verdict = verify(tmp_path / name, ledger=ledger)
        assert verdict.verified
        assert not verdict.paid
        assert verdict.payment == "open"
        assert "any value could carry its receipt" in str(verdict.remarks[-1])
        assert verdict.answers == (
            "Whether it was paid for is open: its debit is not marked as published.",
        )
    ledger.attach(2, tmp_path / "first")
    assert verify(tmp_path / "first", ledger=ledger).paid
    assert verify(tmp_path / "second", ledger=ledger).payment == "no"


# --- what a reader has seen -------------------------------------------------------------------


@pytest.fixture
def board(granted, tmp_path):
    """A board that only reads: the key in a place of its own, without a side file."""
    (tmp_path / "board").mkdir()
    shutil.copy(granted.key, tmp_path / "board" / KEY)
    return Place(granted.where, tmp_path / "board" / KEY)


def cut_back(place, number):
    place.execute("DELETE FROM geomdp_entries WHERE number > :number", number=number)


def test_a_board_that_only_reads_notices_a_ledger_that_was_cut_back(granted, board):
    debit(granted.open())
    assert board.open().problems() == []
    cut_back(granted, 1)
    assert board.open().problems() == ["entry 2 was here, as the side file knows, and was deleted"]


@pytest.mark.parametrize("read", ["accounts", "history", "problems"])
def test_every_verified_read_is_remembered(granted, board, read):
    debit(granted.open())
    getattr(board.open(), read)()
    cut_back(granted, 1)
    assert board.open().problems()


def test_how_many_heads_are_known_is_said(granted, board):
    first = CliRunner().invoke(app, ["ledger", "show", board.where, "--key", str(board.key)])
    assert "no head was known here" in " ".join(first.output.split())
    second = CliRunner().invoke(app, ["ledger", "show", board.where, "--key", str(board.key)])
    assert "1 head was known" in " ".join(second.output.split())
    options = ["ledger", "show", granted.where, "--key", str(granted.key), "--json"]
    found = json.loads(CliRunner().invoke(app, options).output)
    assert found["known_heads"] == 2


def test_a_missing_side_file_is_said_by_verify(granted, board, tmp_path):
    line_plan().release(
        line_records(), ledger=granted.open(), dataset="study", folder=tmp_path / "out"
    )
    (remark,) = verify(tmp_path / "out", ledger=board.open()).remarks
    assert "no head" in str(remark)
    assert verify(tmp_path / "out", ledger=board.open()).remarks == ()


def test_a_place_that_cannot_be_written_is_told_once(board, caplog, monkeypatch):
    def refuse(*_):
        raise OSError(30, "Read-only file system")

    monkeypatch.setattr(os, "write", refuse)
    ledger = board.open()
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            ledger.accounts()
    assert len(caplog.records) == 1
    assert "cut back" in caplog.text


def test_a_process_remembers_what_it_read_without_the_side_file(granted):
    ledger = granted.open()
    debit(ledger)
    assert ledger.problems() == []
    side = ledger._store.heads.file
    side.unlink()
    cut_back(granted, 1)
    assert "was deleted" in ledger.problems()[0]


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo])
def test_a_side_file_that_is_none_is_refused_in_a_sentence(granted, make):
    side = granted.open()._store.heads.file
    side.unlink()
    make(side)
    with pytest.raises(GeomdpError, match="heads"):
        granted.open().problems()


# --- one pass ---------------------------------------------------------------------------------


def test_entries_are_hashed_once_and_an_edit_still_blocks(granted, monkeypatch):
    ledger, hashed = granted.open(), []
    for which in range(3):
        debit(ledger, which)
    real = chain.link_of

    def counted(*arguments):
        hashed.append(arguments)
        return real(*arguments)

    monkeypatch.setattr(chain, "link_of", counted)
    for _ in range(5):
        ledger.accounts()
    assert len(hashed) <= 1  # the last entry, which this ledger wrote itself
    granted.execute("UPDATE geomdp_entries SET body = replace(body, '4', '5') WHERE number = 2")
    with pytest.raises(LedgerError, match="not intact"):
        debit(ledger, 9)
    with pytest.raises(LedgerError, match="not intact"):
        ledger.accounts()


def test_a_body_that_is_no_text_is_found(granted):
    debit(granted.open())
    granted.execute("UPDATE geomdp_entries SET body = x'00ff' WHERE number = 2")
    assert granted.open().problems() == [
        "entry 2 was altered, moved or added by somebody without the key"
    ]


# --- keys and names ---------------------------------------------------------------------------


@pytest.mark.parametrize("mode", [0o666, 0o644, 0o640, 0o604])
def test_a_key_that_others_can_read_is_refused(granted, mode):
    granted.key.chmod(mode)
    with pytest.raises(LedgerError, match=f"mode {mode:04o}.*chmod 600"):
        granted.open()
    granted.key.chmod(0o600)
    granted.open()


def test_a_key_of_others_is_not_taken_for_a_new_ledger(granted, tmp_path):
    granted.key.chmod(0o644)
    with pytest.raises(LedgerError, match="chmod 600"):
        dp.Ledger.create(tmp_path / "other.db", granted.key)
    assert not (tmp_path / "other.key").exists()


@pytest.mark.parametrize(
    "name",
    [
        "Study",
        "STUDY",
        " study",
        "study ",
        "stud\u0443",  # Cyrillic
        "\uff53tudy",  # full width
        "\u0455tudy",  # Cyrillic dze
        "s\u03c4udy",  # Greek tau
    ],
)
def test_names_that_look_alike_are_refused(granted, name):
    with pytest.raises(LedgerError, match="'study'"):
        granted.open().grant(name, dp.Pure(1))
    assert list(granted.open().accounts()) == ["study"]


def test_spaces_and_ones_look_alike(granted):
    ledger = granted.open()
    ledger.grant("site 10", dp.Pure(1))
    for name in ("site  10", "site l0", "site 1O", "site\u00a010"):
        with pytest.raises(LedgerError):
            ledger.grant(name, dp.Pure(1))


def test_the_same_name_and_others_are_granted(granted):
    ledger = granted.open()
    for name in ("study", "study 2", "studies", "étude", "研究"):
        ledger.grant(name, dp.Pure(1))
    assert ledger.account("study").granted == dp.Pure(6)
