"""The life of a budget, typed."""

import json

import numpy as np
import pytest
from ledger_tools import line_records
from typer.testing import CliRunner

from geomdp.cli import app

BALL = ["--space", "euclidean:1", "--center", "0", "--radius", "1", "--n", "4"]


def run(*arguments):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def study(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    np.save("data.npy", line_records())
    np.save("shuffled.npy", line_records()[::-1])
    np.save("later.npy", line_records(1))
    for name, epsilon in (("plan", 1), ("small", "0.25")):
        made = run("plan", *BALL, "--epsilon", epsilon, "--out", f"{name}.json")
        assert made.exit_code == 0, made.output
    for words in (("init",), ("grant", "patients", "--epsilon", "1.5")):
        done = run("ledger", words[0], "study.db", *words[1:])
        assert done.exit_code == 0, done.output
    return tmp_path


def release(data="data.npy", plan="plan.json", out="out", dataset="patients", *more):
    ledger = ("--ledger", "study.db", "--dataset", dataset)
    return run("release", plan, data, *ledger, "--out", out, *more)


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError(28, "No space left on device")])
def test_a_release_that_is_stopped_says_that_its_budget_is_gone(study, monkeypatch, stop):
    def interrupted(*_, **__):
        raise stop

    monkeypatch.setattr("geomdp.ledger.paying.replace", interrupted)  # between debit and value
    stopped = release()
    assert stopped.exit_code in (1, 130)
    said = "Entry 2 of the ledger is debited and not published"
    assert said in stopped.output
    assert "resolve" in stopped.output
    assert stopped.output.split("study.db 2 ")[1].startswith("--abandon")
    assert not (study / "out").exists()
    again = release("later.npy", out="again")
    assert again.exit_code == 5  # too little is left
    assert said not in again.output


def test_release_debits_and_show_tells_what_is_left(study):
    made = release()
    assert made.exit_code == 0, made.output
    assert "Left         ε = 0.5, pure for patients" in made.output
    shown = run("ledger", "show", "study.db")
    assert shown.exit_code == 0
    for words in ("intact, 4 entries", "Granted      ε = 1.5, pure", "ε = 0.5, pure"):
        assert words in shown.output
    document = json.loads(run("ledger", "show", "study.db", "--json").output)
    assert document["datasets"]["patients"] == {
        "granted": {"kind": "pure", "epsilon": "1.5"},
        "spent": {"kind": "pure", "epsilon": "1"},
        "remaining": {"kind": "pure", "epsilon": "0.5"},
        "warning": "",
        "debits": {"2": "published"},
    }
    history = run("ledger", "history", "study.db").output
    assert (
        "debited Laplace noise in 1 flat dimension of epsilon 1 from patients for Fréchet mean"
        in history
    )
    assert json.loads(run("ledger", "history", "study.db", "--json").output)[2]["kind"] == "debit"


def test_lack_of_budget_has_its_own_exit_code_named_in_the_help(study):
    release()
    refused = release("later.npy", out="second")
    assert refused.exit_code == 5
    assert "requested ε = 1, pure; remaining ε = 0.5, pure" in refused.stderr
    assert not (study / "second").exists()
    for words in (("release",), ("ledger",)):
        assert "5 if not enough" in " ".join(run(*words, "--help").output.split())


def test_the_same_again_is_refused_until_it_is_confirmed(study):
    assert release(plan="small.json").exit_code == 0
    refused = release("shuffled.npy", "small.json", "second")
    assert refused.exit_code == 1
    assert "--again" in refused.stderr
    assert release("shuffled.npy", "small.json", "second", "patients", "--again").exit_code == 0


def test_verify_says_whether_it_was_paid_for(study):
    release()
    paid = run("verify", "out", "--plan", "plan.json", "--ledger", "study.db")
    assert paid.exit_code == 0
    assert "It used the approved plan." in paid.output
    assert "It was paid for." in paid.output
    run("release", "plan.json", "later.npy", "--out", "unpaid")
    unpaid = run("verify", "unpaid", "--ledger", "study.db")
    assert unpaid.exit_code == 3
    assert "nobody paid" in unpaid.stderr
    assert "It was NOT paid for." in unpaid.stderr


def test_an_interrupted_release_is_shown_and_resolved(study, monkeypatch):
    with monkeypatch.context() as patch:
        patch.setattr("geomdp.ledger.book.Ledger.publish", lambda *_: None)
        release()
    assert "Unpublished  entry 2" in run("ledger", "show", "study.db").output
    assert run("ledger", "resolve", "study.db", "2").exit_code == 2
    done = run("ledger", "resolve", "study.db", "2", "--folder", "out")
    assert done.exit_code == 0, done.output
    assert run("ledger", "resolve", "study.db", "2", "--abandon").exit_code == 1
    assert "Unpublished" not in run("ledger", "show", "study.db").output


def test_an_altered_ledger_has_exit_code_three(study):
    import sqlite3

    with sqlite3.connect("study.db") as connection:
        connection.execute("DELETE FROM geomdp_entries WHERE number = 1")
    connection.close()
    shown = run("ledger", "show", "study.db")
    assert shown.exit_code == 3
    assert "entry 1" in shown.stderr
    document = json.loads(run("ledger", "show", "study.db", "--json").output)
    assert document["intact"] is False
    assert release().exit_code == 1


def test_what_is_missing_is_told(study):
    assert run("release", "plan.json", "data.npy", "--out", "o", "--ledger", "a").exit_code == 2
    assert release(dataset="patient").exit_code == 1
    assert run("ledger", "show", "nothing.db").exit_code == 1
    assert run("ledger", "grant", "study.db", "patients").exit_code == 2
    assert run("ledger", "show", "study.db", "--key", "nothing.key").exit_code == 1
