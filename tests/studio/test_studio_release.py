"""Nothing is spent twice, whatever tabs, reloads, cancels and ends of the server do."""

import threading

import pytest
from studio_visitor import Visitor, text_of
from test_studio_walk import typed_plan

import geomdp as dp
from geomdp.studio import running
from geomdp.studio.drafts import Draft


@pytest.fixture
def paid(visitor):
    """A plan that may be paid for three times."""
    typed_plan(visitor)
    visitor.post("/new-ledger", {"name": "study"})
    visitor.post("/ledger/study.db", {"do": "grant", "dataset": "basalt", "epsilon": "3"})
    return visitor


def form_of(visitor, out="out"):
    word = visitor.word("/plan/mean.json/release")
    return {"word": word, "file": "field.csv", "paid-by": "study.db basalt", "out": out}


def debits(project):
    spent = dp.Ledger(project / "study.db").account("basalt").spendings
    return [one.state for one in spent]


def join_all():
    """Wait until no release is at work any more."""
    for thread in threading.enumerate():
        if thread.name.startswith(running.AT_WORK):
            thread.join(60)
            assert not thread.is_alive()


class Gate:
    """Holds a release back before it prepares, until it is opened."""

    def __init__(self, monkeypatch):
        self.reached, self.opened = threading.Event(), threading.Event()
        read = running.read_data

        def slow(*arguments):
            self.reached.set()
            assert self.opened.wait(30)
            return read(*arguments)

        monkeypatch.setattr(running, "read_data", slow)


def test_a_form_that_comes_again_starts_nothing(paid, project, monkeypatch):
    gate = Gate(monkeypatch)
    form = form_of(paid)
    first = paid.post("/plan/mean.json/release", form)
    again = paid.post("/plan/mean.json/release", form)
    assert str(first.url) == str(again.url)
    assert "about" in text_of(again) or "so far" in text_of(again)
    gate.opened.set()
    assert paid.wait("out").stage == "done"
    paid.post("/plan/mean.json/release", form)
    assert debits(project) == ["published"]
    assert len(paid.studio.jobs) == 1


def test_a_second_tab_waits_and_then_must_say_again(paid, project, monkeypatch):
    gate = Gate(monkeypatch)
    first, second = form_of(paid), form_of(paid, "other")
    paid.post("/plan/mean.json/release", first)
    assert "at work already" in text_of(paid.post("/plan/mean.json/release", second))
    gate.opened.set()
    assert paid.wait("out").stage == "done"
    assert "exists" in text_of(paid.post("/plan/mean.json/release", form_of(paid)))
    paid.post("/plan/mean.json/release", second)
    job = paid.wait("other")
    assert job.stage == "failed"
    assert "again" in job.error
    assert debits(project) == ["published"]
    paid.post("/plan/mean.json/release", {**form_of(paid, "third"), "again": "yes"})
    assert paid.wait("third").stage == "done"
    assert debits(project) == ["published", "published"]


def test_without_a_ledger_a_second_release_must_be_meant(visitor, project):
    typed_plan(visitor)
    form = {"word": visitor.word("/plan/mean.json/release"), "file": "field.csv", "out": "out"}
    visitor.post("/plan/mean.json/release", form)
    assert visitor.wait("out").stage == "done"
    second = {**form, "word": visitor.word("/plan/mean.json/release"), "out": "two"}
    assert "released already" in text_of(visitor.post("/plan/mean.json/release", second))
    assert not (project / "two").exists()


def test_a_release_that_is_cancelled_in_time_spends_nothing(paid, project, monkeypatch):
    gate = Gate(monkeypatch)
    paid.post("/plan/mean.json/release", form_of(paid))
    assert gate.reached.wait(30)
    page = paid.post("/job/out", {"do": "cancel"})
    assert "Nothing was spent" in text_of(page)
    gate.opened.set()
    join_all()
    assert debits(project) == []
    assert not (project / "out").exists()
    paid.post("/plan/mean.json/release", form_of(paid))
    assert paid.wait("out").stage == "done"


def test_a_cancel_that_comes_after_the_debit_is_told_so(paid, project):
    paid.post("/plan/mean.json/release", form_of(paid))
    assert paid.wait("out").stage == "done"
    page = paid.post("/job/out", {"do": "cancel"})
    assert "too late" in text_of(page)
    assert debits(project) == ["published"]


@pytest.mark.parametrize("stage", ["spending", "done", "failed"])
def test_nothing_is_cancelled_once_it_is_paid(stage, tmp_path):
    job = running.Job("out", "mean.json", tmp_path / "out", Draft("mean"), stage=stage)
    assert not job.cancel()
    assert job.stage == stage


def test_a_server_that_was_killed_after_the_debit_leaves_it_to_be_settled(
    paid, project, monkeypatch
):
    from geomdp.plans import release as releases

    def killed(*_):
        raise SystemExit

    monkeypatch.setattr(releases, "write_content", killed)
    monkeypatch.setattr(threading, "excepthook", lambda *_: None)
    paid.post("/plan/mean.json/release", form_of(paid))
    join_all()
    assert debits(project) == ["unpublished"]
    monkeypatch.undo()
    monkeypatch.setenv("XDG_CONFIG_HOME", str(project.parent / "config"))
    monkeypatch.chdir(project)

    again = Visitor(project)
    home = text_of(again.get("/"))
    assert "open debits: 2" in home, home
    assert again.get("/job/out").status_code == 404
    number = dp.Ledger(project / "study.db").account("basalt").unpublished[0]
    page = again.get("/ledger/study.db")
    assert "not marked as published" in text_of(page)
    again.post("/ledger/study.db", {"do": "abandon", "entry": str(number), "release": ""})
    assert debits(project) == ["abandoned"]


def test_not_enough_left_is_said_before_anything_is_read(paid, project, monkeypatch):
    paid.post("/ledger/study.db", {"do": "grant", "dataset": "small", "epsilon": "0,5"})
    read = []
    monkeypatch.setattr(running, "read_data", lambda *_: read.append(1))
    form = {**form_of(paid), "paid-by": "study.db small"}
    page = paid.post("/plan/mean.json/release", form)
    assert "Not enough is left" in text_of(page)
    assert not read
    assert not paid.studio.jobs
