"""Where ledgers and keys lie, and what happens to those of another version."""

import pytest

import geomdp as dp
from geomdp.errors import LedgerError
from geomdp.ledger import schema
from geomdp.ledger.keys import default_file


def test_the_key_lies_outside_and_is_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    made = dp.Ledger.create(tmp_path / "study.db")
    assert made.key.file == default_file(made.name)
    assert made.key.file.stat().st_mode & 0o777 == 0o600
    assert dp.Ledger(tmp_path / "study.db").key == made.key
    (tmp_path / "study.db").rename(tmp_path / "moved.db")
    assert dp.Ledger(tmp_path / "moved.db").problems() == []


def test_a_key_that_is_missing_or_none_is_told(sqlite_place, tmp_path):
    with pytest.raises(LedgerError, match="--key"):
        dp.Ledger(sqlite_place.where, tmp_path / "nothing.key")
    (tmp_path / "text.key").write_bytes(b"\xff secret")
    with pytest.raises(LedgerError, match="no key"):
        dp.Ledger(sqlite_place.where, tmp_path / "text.key")


def test_two_ledgers_may_share_a_key_and_not_their_entries(sqlite_place, tmp_path):
    other = dp.Ledger.create(tmp_path / "other.db", sqlite_place.key)
    other.grant("study", dp.Pure(1))
    assert other.problems() == sqlite_place.open().problems() == []


def test_nothing_is_made_or_written_over_by_mistake(sqlite_place, tmp_path):
    with pytest.raises(LedgerError, match="ledger init"):
        dp.Ledger(tmp_path / "nothing.db")
    assert not (tmp_path / "nothing.db").exists()
    with pytest.raises(LedgerError, match="holds a ledger already"):
        dp.Ledger.create(sqlite_place.where, sqlite_place.key)
    (tmp_path / "text.db").write_text("no database " * 100)
    with pytest.raises(LedgerError, match="not a database"):
        dp.Ledger(tmp_path / "text.db")
    (tmp_path / "empty.db").touch()
    with pytest.raises(LedgerError, match="holds no ledger"):
        dp.Ledger(tmp_path / "empty.db")
    for url in ("mysql://host/study", "postgresql://host:port/study"):
        with pytest.raises(LedgerError):
            dp.Ledger(url)


def test_a_database_that_cannot_be_reached_is_told_without_the_password():
    with pytest.raises(LedgerError, match="refuses") as refusal:
        dp.Ledger("postgresql://ada:sesame@/study?host=/no/such/folder")
    assert "sesame" not in str(refusal.value)


def test_a_ledger_of_another_version_is_refused(sqlite_place):
    sqlite_place.execute(f"UPDATE geomdp_ledger SET version = {schema.SCHEMA + 1}")
    with pytest.raises(LedgerError, match="use the one that made it"):
        sqlite_place.open()
    with pytest.raises(LedgerError, match="use the one that made it"):
        dp.Ledger.create(sqlite_place.where, sqlite_place.key)
