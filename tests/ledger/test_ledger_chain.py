"""Whatever is done to the rows behind the ledger's back is found, and nothing is spent then."""

import json
import shutil

import pytest
from ledger_tools import debit, line_plan, line_records
from sqlalchemy import text

import geomdp as dp
from geomdp.errors import LedgerError
from geomdp.ledger.engines import open_engine, url_of

COLUMNS = ("number", "body", "link", "fingerprint", "pad", "seal")


@pytest.fixture
def written(sqlite_place):
    """Entries of every kind: init, grant, three debits, two of them published, one abandoned."""
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(5))
    for which in range(2):
        line_plan().release(line_records(which), ledger=ledger, dataset="study")
    ledger.abandon(debit(ledger, 2).entry)
    assert ledger.problems() == []
    return sqlite_place


def numbers(place):
    return [row[0] for row in place.execute("SELECT number FROM geomdp_entries ORDER BY number")]


def assert_found(place):
    """Tampering is found, and stops every other use of the ledger."""
    ledger = place.open()
    assert ledger.problems()
    with pytest.raises(LedgerError, match="not intact"):
        debit(ledger, 9)
    with pytest.raises(LedgerError, match="not intact"):
        ledger.accounts()


def trials(place):
    """Yield one transaction after another to spoil the ledger in, and undo it after the check."""
    rows = place.execute("SELECT * FROM geomdp_entries ORDER BY number")

    def restore():
        with open_engine(url_of(place.where)).begin() as connection:
            connection.execute(text("DELETE FROM geomdp_entries"))
            names = ", ".join(f":{name}" for name in COLUMNS)
            for row in rows:
                values = dict(zip(COLUMNS, row, strict=True))
                connection.execute(text(f"INSERT INTO geomdp_entries VALUES ({names})"), values)

    for row in rows:
        yield dict(zip(COLUMNS, row, strict=True))
        assert_found(place)
        restore()
        assert place.open().problems() == []


def test_every_altered_body_and_link_is_found(written):
    for column in ("body", "link"):
        for row in trials(written):
            changed = row[column].translate(str.maketrans("0123456789", "1234567890"))
            assert changed != row[column]
            statement = f"UPDATE geomdp_entries SET {column} = :new WHERE number = :number"
            written.execute(statement, new=changed, number=row["number"])


def test_every_altered_private_column_is_found(written):
    for column in ("fingerprint", "pad", "seal"):
        for row in trials(written):
            statement = f"UPDATE geomdp_entries SET {column} = :new WHERE number = :number"
            changed = "0" * 64 if row[column] is None or row["number"] % 2 else None
            written.execute(statement, new=changed, number=row["number"])


def test_exchanged_private_columns_are_found(written):
    """Two debits whose fingerprints change places, each with its own valid seal."""
    debits = [row for row in written.execute("SELECT * FROM geomdp_entries") if row[3]]
    first, second = sorted(debits)[:2]
    statement = (
        "UPDATE geomdp_entries SET fingerprint = :f, pad = :p, seal = :s WHERE number = :number"
    )
    for number, row in ((first[0], second), (second[0], first)):
        written.execute(statement, f=row[3], p=row[4], s=row[5], number=number)
    assert len(written.open().problems()) == 2


def test_every_deleted_row_is_found_the_last_included(written):
    for row in trials(written):
        written.execute("DELETE FROM geomdp_entries WHERE number = :n", n=row["number"])


def test_every_deleted_row_is_found_where_the_others_are_renumbered(written):
    for row in trials(written):
        written.execute("DELETE FROM geomdp_entries WHERE number = :n", n=row["number"])
        for number in range(row["number"] + 1, len(numbers(written)) + 1):
            statement = "UPDATE geomdp_entries SET number = number - 1 WHERE number = :n"
            written.execute(statement, n=number)


def test_every_cut_off_end_is_found(written):
    for row in trials(written):
        written.execute("DELETE FROM geomdp_entries WHERE number >= :n", n=row["number"])


def test_every_pair_that_changes_places_is_found(written):
    last = numbers(written)[-1]
    for row in trials(written):
        here, there = row["number"], (row["number"] + 1) % (last + 1)
        for old, new in ((here, -1), (there, here), (-1, there)):
            statement = "UPDATE geomdp_entries SET number = :new WHERE number = :old"
            written.execute(statement, new=new, old=old)


def test_every_appended_copy_is_found(written):
    """Any row, repeated at the end, as it stands and with its number put right."""
    end = numbers(written)[-1] + 1
    for honest in (True, False):
        for row in trials(written):
            body = json.loads(row["body"]) | ({} if honest else {"number": end})
            text_of = json.dumps(body, sort_keys=True, separators=(",", ":"))
            names = ", ".join(f":{name}" for name in COLUMNS)
            statement = f"INSERT INTO geomdp_entries VALUES ({names})"
            written.execute(statement, **{**row, "number": end, "body": text_of})


def test_another_name_of_the_ledger_is_found(written):
    written.execute("UPDATE geomdp_ledger SET ledger = :new", new="0" * 32)
    assert_found(written)


def test_another_key_is_told(written, tmp_path):
    other = dp.Ledger.create(tmp_path / "other.db", tmp_path / "other.key")
    ledger = dp.Ledger(written.where, other.key.file)
    assert "key of another ledger" in ledger.problems()[0]


def test_an_older_database_put_back_is_found(sqlite_place, tmp_path):
    """With its own key and in perfect order, but without what was spent since."""
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(5))
    backup = (tmp_path / "study.db").read_bytes()
    debit(ledger)
    (tmp_path / "study.db").write_bytes(backup)
    assert ledger.problems() == ["entry 2 was here, as the side file knows, and was deleted"]
    (tmp_path / "study.key.heads").unlink()
    assert ledger.problems() == []  # the stated limit: the side file is what shows it


def test_an_entry_written_in_the_place_of_a_deleted_one_is_found(sqlite_place, tmp_path):
    """A holder of the key without the side file writes over the last entry."""
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(5))
    debit(ledger)
    sqlite_place.execute("DELETE FROM geomdp_entries WHERE number = 2")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copy(tmp_path / "study.key", elsewhere / "study.key")
    debit(dp.Ledger(sqlite_place.where, elsewhere / "study.key"), 1)
    assert ledger.problems() == ["entry 2 is another one than the side file knows"]


def test_a_side_file_behind_or_torn_does_not_alarm(sqlite_place, tmp_path):
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(5))
    heads = tmp_path / "study.key.heads"
    lines = heads.read_text().split()
    heads.write_text(" ".join(lines[:3]) + "\n" + " ".join(lines[3:])[:-9])
    assert ledger.problems() == []
    debit(ledger)
    assert len(ledger.history()) == 3
    assert heads.read_text().splitlines()[-1].split()[1] == "2"


def test_entries_of_two_histories_do_not_mix(sqlite_place, tmp_path):
    """A database put back and written on has other valid entries of the same numbers."""
    ledger = sqlite_place.open()
    ledger.grant("study", dp.Pure(5))
    backup = (tmp_path / "study.db").read_bytes()
    histories = []
    for which in (0, 2):
        (tmp_path / "study.db").write_bytes(backup)
        (tmp_path / "study.key.heads").unlink(missing_ok=True)
        ledger = sqlite_place.open()  # another process: what one has read is a head to it
        debit(ledger, which)
        debit(ledger, which + 1)
        assert ledger.problems() == []
        histories.append(sqlite_place.execute("SELECT * FROM geomdp_entries ORDER BY number"))
    (tmp_path / "study.key.heads").unlink()
    older = dict(zip(COLUMNS, histories[0][2], strict=True))
    values = ", ".join(f"{name} = :{name}" for name in COLUMNS)
    sqlite_place.execute(f"UPDATE geomdp_entries SET {values} WHERE number = 2", **older)
    assert "entry 3 was altered" in sqlite_place.open().problems()[0]
