"""A curator's role may select and insert, and nothing else: the grants of the how-to page."""

import re
from pathlib import Path

import pytest
from ledger_tools import Place, debit, line_plan, line_records
from sqlalchemy.exc import IntegrityError, ProgrammingError
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import LedgerError

pytestmark = pytest.mark.system

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "keep-a-ledger.md"


@pytest.fixture
def curator(postgres_place):
    """The same ledger, opened by a role with the documented grants alone."""
    statements = re.search(r"```text\n(CREATE ROLE.*?)```", PAGE.read_text(), re.DOTALL)[1]
    postgres_place.execute("DROP OWNED BY curator") if role_exists(postgres_place) else None
    postgres_place.execute("DROP ROLE IF EXISTS curator")
    for statement in filter(str.strip, statements.split(";")):
        postgres_place.execute(statement)
    postgres_place.open().grant("study", dp.Pure(3))
    return Place(postgres_place.where.replace("owner@", "curator@"), postgres_place.key)


def role_exists(place):
    return place.execute("SELECT 1 FROM pg_roles WHERE rolname = 'curator'") != []


def test_a_curator_can_release_complete_and_check(curator):
    ledger = curator.open()
    line_plan().release(line_records(), ledger=ledger, dataset="study")
    ledger.abandon(debit(ledger, 1).entry)
    assert [s.state for s in ledger.account("study").spendings] == ["published", "abandoned"]
    assert ledger.problems() == []
    assert ledger.history()[-1].by.endswith(" as curator")


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE geomdp_entries SET body = body",
        "DELETE FROM geomdp_entries",
        "TRUNCATE geomdp_entries",
        "DROP TABLE geomdp_entries",
        "ALTER TABLE geomdp_entries ADD COLUMN more TEXT",
        "UPDATE geomdp_ledger SET version = 2",
        "INSERT INTO geomdp_ledger VALUES (2, 'x')",
        "DELETE FROM geomdp_ledger",
    ],
)
def test_the_database_refuses_everything_else(curator, statement):
    with pytest.raises(ProgrammingError, match=r"permission denied|must be owner"):
        curator.execute(statement)


def test_a_number_that_is_taken_is_refused_by_the_database(curator):
    with pytest.raises(IntegrityError):
        curator.execute("INSERT INTO geomdp_entries VALUES (1, 'body', 'link')")


def test_what_the_owner_alters_is_found_by_the_curator(curator, postgres_place):
    ledger = curator.open()
    debit(ledger)
    postgres_place.execute("DELETE FROM geomdp_entries WHERE number = 2")
    assert "was deleted" in ledger.problems()[0]
    with pytest.raises(LedgerError, match="not intact"):
        debit(ledger)


def test_no_password_is_shown(curator):
    where = curator.where.replace("curator@", "curator:sesame@")
    for words in (("show",), ("history",)):
        shown = CliRunner().invoke(app, ["ledger", *words, where, "--key", str(curator.key)])
        assert shown.exit_code == 0, shown.output
        assert "sesame" not in shown.output
