"""Whole lives by the command: keys, plan, answers, totals, a folder that verify follows."""

import json
import shutil
import sys

import numpy as np
import pytest
from tests.consortia.consortia_tools import BALL, make_group, records, usual_plan
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.errors import GeomdpError
from geomdp.report import report_html
from geomdp.serial import array_to_json


def run(*words, code=0):
    done = CliRunner().invoke(app, [str(word) for word in words])
    assert done.exit_code == code, done.output
    return done.output


@pytest.fixture(scope="module")
def life(tmp_path_factory):
    """Three sites with csv files, two aggregators, one ledger."""
    folder = tmp_path_factory.mktemp("life")
    columns = ",".join(["a", "b", "c", "d"])
    for i, part in enumerate(np.array_split(records(30), 3)):
        table = part.reshape(len(part), 4)
        np.savetxt(folder / f"site{i}.csv", table, delimiter=",", header=columns, comments="")
    for name in ("site0", "site1", "site2", "hub", "uni"):
        run("consortium", "key", "--out", folder / name)
    plan = ("plan", "--space", "spd:2", "--center", "identity", "--radius", 1, "--n", 30)
    asked = ("--statistic", "moments", "--mu", 1, "--title", "Two by two")
    run(*plan, *asked, "--out", folder / "plan.json")
    sites = [w for i in range(3) for w in ("--site", f"site{i}={folder / f'site{i}.pub'}")]
    hubs = [w for name in ("hub", "uni") for w in ("--aggregator", f"{name}={folder / name}.pub")]
    made = ("consortium", "plan", folder / "plan.json", *sites, *hubs)
    run(*made, "--colluding", 1, "--roster", 3, "--out", folder / "consortium.json")
    book = dp.Ledger.create(folder / "site0.db", key=folder / "site0.ledger")
    book.grant("patients", dp.GDP(2))
    paid = ("--ledger", folder / "site0.db", "--ledger-key", folder / "site0.ledger")
    for i in range(3):
        words = (folder / "consortium.json", folder / f"site{i}.csv")
        key = ("--key", folder / f"site{i}.key", "--out", folder / f"site{i}.box")
        own = (*paid, "--dataset", "patients") if i == 0 else ()
        run("consortium", "answer", *words, *key, *own)
    boxes = [folder / f"site{i}.box" for i in range(3)]
    for name in ("hub", "uni"):
        key = ("--key", folder / f"{name}.key", "--out", folder / f"{name}.total")
        run("consortium", "add", folder / "consortium.json", *boxes, *key)
    totals = (folder / "hub.total", folder / "uni.total")
    run("consortium", "release", folder / "consortium.json", *totals, "--out", folder / "mean")
    return folder


def test_the_release_is_a_usual_one(life):
    said = run("verify", life / "mean", "--plan", life / "consortium.json")
    assert "It used the approved plan" in said
    release = dp.load_release(life / "mean")
    assert release.plan.n == 30
    assert release.manifest["consortium"]["roster"] == ["site0", "site1", "site2"]
    assert dp.moments_of(release).covariance.shape == (3, 3)


def test_the_page_of_a_release_says_who_answered_and_what_it_rests_on(life, with_reports):
    release = dp.load_release(life / "mean")
    page = report_html(release)
    for words in ("site-gaussian", "Two by two", "No delta beyond the encryption", "site1"):
        assert words in page
    assert dp.report.plan_page.plan_html(release.plan)


def test_the_manifest_says_that_there_is_no_delta_beyond_the_encryptions(life):
    manifest = json.loads((life / "mean" / "manifest.json").read_text())
    told = manifest["plan"]["derived"]["guarantee"]
    assert told["budget"] == {"kind": "gdp", "mu": "1"}
    assert any("no delta beyond the encryption's own" in text for text in told["caveats"])
    assert any("all records of a person are at one site" in text for text in told["caveats"])


def test_the_ledger_of_a_site_was_debited(life):
    book = dp.Ledger(life / "site0.db", key=life / "site0.ledger")
    (spent,) = book.account("patients").spendings
    assert spent.state == "published"
    assert book.account("patients").spent == dp.GDP(1)


def test_a_board_reads_what_leaves_the_house(life):
    said = " ".join(run("show", life / "consortium.json").split())
    for words in ("WHAT LEAVES EACH HOUSE", "WHO WOULD HAVE TO COLLUDE", "WHAT THE GROUP LEARNS"):
        assert words in said
    assert "1.41 times the mu" in said  # two honest sites: root 2
    assert "two rosters that differ by a site would tell its sum" in said
    run("show", life / "consortium.json", "--html", life / "plan.html")
    assert "What leaves each house" in (life / "plan.html").read_text()


def altered(life, folder, change):
    shutil.copytree(life / "mean", folder)
    file = folder / "manifest.json"
    document = json.loads(file.read_text())
    change(document["consortium"])
    file.write_text(json.dumps(document, indent=2) + "\n")
    return [str(problem) for problem in dp.verify(folder).problems]


def test_verify_follows_totals_roster_and_signatures(life, tmp_path):
    def other_total(found):
        found["totals"]["hub"]["total"] = found["totals"]["uni"]["total"]

    def shorter(found):
        found["roster"].pop()

    def nobody(found):
        del found["totals"]["hub"]

    for i, (change, said) in enumerate(
        ((other_total, "not signed"), (shorter, "not signed"), (nobody, "consortium"))
    ):
        problems = altered(life, tmp_path / str(i), change)
        assert any(said in problem for problem in problems), problems


def test_a_value_that_does_not_follow_from_the_totals_is_no_release(life, tmp_path):
    """Written as a release writes it, hashes and pages and all."""
    honest = dp.load_release(life / "mean")
    value = honest.value + 1e-3
    stated = {**honest.manifest, "value": array_to_json(value)}
    dp.Release(honest.plan, value, stated).save(tmp_path / "forged")
    (problem,) = dp.verify(tmp_path / "forged").problems
    assert "does not follow from the totals" in str(problem)


def test_without_the_encryption_verify_says_what_it_could_not_check(life, monkeypatch):
    monkeypatch.setitem(sys.modules, "nacl.public", None)
    verdict = dp.verify(life / "mean")
    assert verdict.verified
    assert any("pip install" in str(remark) for remark in verdict.remarks)
    said = run("consortium", "key", "--out", life / "other", code=1)
    assert "geomdp[consortium]" in said


def test_totals_beside_another_plan_do_not_belong_there(life, tmp_path):
    release = usual_plan().release(records())
    stated = dp.load_release(life / "mean").manifest["consortium"]
    other = dp.Release(release.plan, release.value, {**release.manifest, "consortium": stated})
    other.save(tmp_path / "out")
    assert [str(problem) for problem in dp.verify(tmp_path / "out").problems] == [
        "consortium: it does not belong here"
    ]


def test_refusals_by_the_command(life, tmp_path):
    plan, box = life / "consortium.json", life / "site0.box"
    hub = ("--key", life / "hub.key", "--out", tmp_path / "x.total")
    assert "is no box" in run("consortium", "add", plan, life / "plan.json", *hub, code=1)
    said = run("consortium", "add", life / "plan.json", box, *hub, code=1)
    assert "names no sites" in said
    held = run("release", plan, life / "site0.csv", "--out", tmp_path / "out", code=1)
    assert "never in one place" in " ".join(held.split())
    assert "--site" in run(
        "consortium", "plan", life / "plan.json", "--site", "nobody", "--colluding", 1,
        "--roster", 2, "--out", tmp_path / "c.json", code=2,
    )  # fmt: skip
    out = life / "site0.box"
    before = out.read_text()
    key = ("--key", life / "site0.key", "--out", out)
    run("consortium", "answer", plan, life / "no-such-file.csv", *key)  # the same bytes again
    assert out.read_text() == before


def test_a_pure_round(tmp_path):
    ball = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    asked = dp.plan(dp.FrechetMean(ball), n=60, budget=dp.Pure(2), mechanism="laplace")
    group = make_group(tmp_path, asked)
    data = np.random.default_rng(0).uniform(-0.5, 0.5, size=(60, 2))
    group.parts = lambda: dict(zip(group.sites, np.array_split(data, 5), strict=True))
    release = group.release(group.totals(group.boxes()))
    assert release.plan.mechanism == "site-laplace"
    assert release.plan.cost == dp.privacy.PureCost(2)
    assert np.max(np.abs(release.value - data.mean(axis=0))) < 1
    assert np.array_equal(release.denoised, release.value)  # nothing is proved of this law
    release.save(tmp_path / "out")
    assert dp.verify(tmp_path / "out").verified
    # The forecast is that of the drawn law.
    drawn = group.plan.simulate(np.zeros(2), size=4000)
    assert np.mean(np.linalg.norm(drawn, axis=1)) == pytest.approx(
        group.plan.expected_error, rel=0.05
    )


@pytest.mark.parametrize(("sites", "colluding"), [(8, 1), (17, 2), (20, 9)])
def test_the_error_is_the_central_one_times_the_root_of_sites_over_honest(
    tmp_path, sites, colluding
):
    group = make_group(tmp_path, usual_plan(), sites=sites, colluding=colluding, roster=sites)
    ratio = (sites / (sites - colluding)) ** 0.5
    assert group.plan.scale / usual_plan().scale == pytest.approx(ratio, rel=1e-6)


def test_a_regression_is_opened_too(tmp_path):
    flat = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
    asked = dp.plan(dp.Regression(flat, covariates={"age": (0, 100)}), n=60, budget=dp.GDP(1))
    group = make_group(tmp_path, asked)
    rng = np.random.default_rng(0)
    points, ages = rng.uniform(-0.4, 0.4, size=(60, 2)), rng.uniform(20, 80, size=60)
    group.parts = lambda: {
        name: dp.Records(points[i::5], covariates={"age": ages[i::5]})
        for i, name in enumerate(group.sites)
    }
    release = group.release(group.totals(group.boxes()))
    assert release.predict(age=50).shape == (2,)


def test_a_consortium_is_refused_what_is_not_linear(tmp_path):
    asked = dp.plan(dp.FrechetMean(BALL), n=60, budget=dp.Pure(1), mechanism="laplace")
    with pytest.raises(GeomdpError, match="TangentMean"):
        make_group(tmp_path, asked)


def test_a_plan_says_what_it_said_when_it_was_approved(tmp_path):
    group = make_group(tmp_path)
    group.plan.save(tmp_path / "c.json")
    again = dp.load_plan(tmp_path / "c.json")
    assert again.hash == group.plan.hash
    document = json.loads((tmp_path / "c.json").read_text())
    document["roster"] = 3
    (tmp_path / "d.json").write_text(json.dumps(document))
    with pytest.raises(GeomdpError, match="does not follow"):
        dp.load_plan(tmp_path / "d.json")
