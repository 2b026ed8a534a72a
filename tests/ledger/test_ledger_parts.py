"""Parts of a ledger by themselves: names, keys, heads, commitments, hashes, tables."""

from pathlib import Path

import pytest

from geomdp.errors import LedgerError
from geomdp.ledger.accounts import accounts_of, require_name
from geomdp.ledger.chain import commitment_of, signed_now
from geomdp.ledger.keys import Heads, default_file, make_key, read_key, require_private
from geomdp.ledger.receipts import plan_hash
from geomdp.ledger.schema import SCHEMA, require_current


def test_a_name_that_a_reader_takes_for_another_is_refused():
    with pytest.raises(LedgerError, match="'Study' looks like the data set 'study'"):
        require_name("Study", ["study"])
    with pytest.raises(LedgerError, match="printable"):
        require_name("\x1b", [])
    require_name("study", ["study"])
    require_name("studies", ["study"])


def test_a_key_is_made_once_and_is_its_owners_alone(tmp_path):
    file = tmp_path / "study.key"
    assert make_key(file) == make_key(file)
    assert file.stat().st_mode & 0o777 == 0o600
    require_private(file)
    file.chmod(0o640)
    with pytest.raises(LedgerError, match=r"by others than its owner \(mode 0640\)"):
        read_key(file)
    with pytest.raises(LedgerError, match="cannot be read"):
        read_key(Path("no-such.key"))
    assert default_file("0f").name == "0f.key"


def test_heads_are_kept_by_ledger(tmp_path):
    heads = Heads(tmp_path / "study.key.heads", "0" * 32)
    heads.add(0, "a" * 64)
    assert heads.seen(heads.content()) == {0: {"a" * 64}}
    assert Heads(heads.file, "1" * 32).seen(heads.content()) == {}


def test_a_commitment_is_a_pad():
    assert commitment_of("0f" * 32, "ff" * 32) == "f0" * 32


def test_what_follows_and_what_is_said_do_not_count_in_the_hash_of_a_plan():
    assert plan_hash({"n": 9, "derived": {"scale": 0.5}, "about": {}}) == plan_hash({"n": 9})
    assert plan_hash({"n": 9}) != plan_hash({"n": 8})


def test_tables_of_another_version_are_refused():
    require_current(SCHEMA)
    for other in (SCHEMA - 1, SCHEMA + 1):
        with pytest.raises(LedgerError, match="use the one that made it"):
            require_current(other)


def test_an_empty_ledger_has_no_accounts_and_entries_are_signed():
    assert accounts_of([]) == {}
    assert sorted(signed_now("curator")) == ["at", "by"]
