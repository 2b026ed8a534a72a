"""Curves and surfaces along covariates: the stack of a regression, on coefficients."""

import csv
from dataclasses import replace

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.audit.findings import Settings
from geomdp.audit.records import record_findings
from geomdp.cli import app
from geomdp.curves import (
    FunctionMean,
    FunctionMoments,
    FunctionRegression,
    IntervalGrid,
    Matern,
)
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io import Choices, read_records
from geomdp.plans.release import Release
from geomdp.releases.verification import verify
from geomdp.report.pictures.public_pictures import edge_records, public_pictures
from geomdp.report.sections import consequences
from geomdp.surfaces import SurfaceMean, make_template
from geomdp.surfaces.mesh.meshio import write_surface
from geomdp.surfaces.mesh.procedural import procedural_face, template_face

T = np.linspace(0, 1, 20)
RNG = np.random.default_rng(0)
N = 400
AGE = RNG.uniform(20, 90, N)
SEX = RNG.choice(["f", "m"], N)
MEAN = FunctionMean(0 * T, 1.0, Matern(0.2), grid=IntervalGrid(T))
DECLARED = {"age": (20, 90), "sex": ("f", "m")}
CURVES = (
    0.3 * (AGE[:, None] - 55) / 35 * np.sin(np.pi * T)
    + 0.2 * (SEX == "m")[:, None] * T
    + 0.05 * RNG.standard_normal((N, 1)) * np.cos(np.pi * T)
)
DATA = dp.Records(CURVES, covariates={"age": AGE, "sex": SEX})


def fit(plan, records, seed=0):
    """What a release would say, with seeded noise."""
    return Release(plan, plan.simulate(records, 1, seed)[0], {}).regression


def test_the_plan_costs_two_roots_of_two_and_comes_back(tmp_path):
    made = dp.plan(FunctionRegression(MEAN, DECLARED), n=N, budget=dp.GDP(1))
    assert made.sensitivity.value == pytest.approx(2 * np.sqrt(2) / N, rel=1e-12)
    assert made.to_json()["derived"]["sensitivity_proof"] == "regression"
    assert 1 < made.statistic.functions.terms < T.size
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.to_json() == made.to_json()


def test_no_pair_of_neighbours_moves_farther_than_the_sensitivity_which_is_reached():
    asked = FunctionRegression(replace(MEAN, terms=4), {"age": (20, 90), "dose": (0, 1)})
    rng = np.random.default_rng(1)

    def moved(curves, ages, doses):
        records = dp.Records(curves, covariates={"age": ages, "dose": doses})
        rows = asked.encode(records)
        ends = [asked.mean_coordinates(np.stack([row, 0 * row])) for row in rows]
        return np.linalg.norm((ends[0] - ends[1]) / asked.noise_profile)

    bound = asked.sensitivity(2).value
    for _ in range(200):
        rows = rng.standard_normal((2, 4)) * rng.choice([0.1, 1.0, 50.0], (2, 1))
        ages, doses = rng.choice([20.0, 40, 90], 2), rng.choice([0.0, 0.5, 1, 7], 2)
        assert moved(asked.functions.decode(rows), ages, doses) <= bound
    opposite = asked.functions.decode(np.array([[99.0, 0, 0, 0], [-99.0, 0, 0, 0]]))
    assert moved(opposite, [90.0, 90.0], [1.0, 1.0]) == pytest.approx(bound, rel=1e-9)


def test_with_hardly_any_noise_it_is_least_squares_of_the_curves():
    asked = FunctionRegression(replace(MEAN, terms=T.size), DECLARED)
    plan = dp.plan(asked, n=N, budget=dp.GDP(100_000))
    found = fit(plan, DATA)
    design = np.column_stack([np.ones(N), AGE, SEX == "m"])
    slopes = np.linalg.lstsq(design, CURVES, rcond=None)[0]
    for age, sex in ((20, "f"), (50, "m"), (90, "f")):
        expected = np.array([1.0, age, sex == "m"]) @ slopes
        np.testing.assert_allclose(found.predict(age=age, sex=sex), expected, atol=2e-3)
    changed = found.predict(age=90, sex="f") - found.predict(age=20, sex="f")
    length = np.sqrt(np.mean(changed**2))  # lengths are root mean squares over the interval
    assert 70 * found.slope("age").length == pytest.approx(length, rel=0.05)
    assert found.difference("sex", "f", "m").length > 0


def test_errors_are_those_that_come_out():
    plan = dp.plan(FunctionRegression(MEAN, {"age": (20, 90)}), n=N, budget=dp.GDP(2))
    only_age = dp.Records(CURVES, covariates={"age": AGE})
    draws = [fit(plan, only_age, seed).slope("age") for seed in range(60)]
    middle = np.mean([one.vector for one in draws], axis=0)
    off = np.sqrt(np.mean([np.sum((one.vector - middle) ** 2) for one in draws]))
    assert off == pytest.approx(np.mean([one.privacy for one in draws]), rel=0.2)


def test_a_record_without_its_covariate_is_the_template_as_a_whole():
    asked = FunctionRegression(replace(MEAN, terms=4), DECLARED)
    records = dp.Records(CURVES[:2] + 1, covariates={"age": [np.nan, 50.0], "sex": ["f", "m"]})
    admitted = asked.admit(records)
    assert list(admitted.invalid) == [0]
    assert not np.any(admitted.records[0])
    assert np.any(admitted.records[1])
    with pytest.raises(InvalidRecordError):
        dp.plan(asked, n=2, budget=dp.GDP(1)).release(records)
    assert list(asked.check(records).invalid) == [0]
    with pytest.raises(InvalidRecordError, match="covariates beside the curves"):
        asked.admit(CURVES)


def test_groups_have_curves_each_and_none_together():
    made = dp.plan(FunctionRegression(MEAN, DECLARED), n={"a": 150, "b": 250}, budget=dp.GDP(1))
    labels = np.repeat(["a", "b"], [150, 250])
    data = dp.Records(CURVES, group=labels, covariates={"age": AGE, "sex": SEX})
    release = made.release(data)
    assert release.parts["b"].predict(age=30, sex="m").shape == T.shape
    with pytest.raises(GeomdpError, match="take a part"):
        release.predict(age=30, sex="m")


def test_pure_budgets_keep_fewer_terms():
    asked = FunctionRegression(MEAN, {"age": (20, 90)})
    pure, gaussian = (dp.plan(asked, n=N, budget=b) for b in (dp.Pure(1), dp.GDP(1)))
    assert pure.mechanism == "linear-laplace"
    assert pure.statistic.functions.terms < gaussian.statistic.functions.terms
    predicted = fit(pure, dp.Records(CURVES, covariates={"age": AGE})).predict(age=50)
    assert predicted.shape == T.shape


def test_what_is_asked_wrongly_is_refused():
    wide = FunctionMean(np.zeros((40, 30)), 1.0, Matern(0.5), terms=30)
    with pytest.raises(GeomdpError, match="at most 600"):
        FunctionRegression(wide, DECLARED)
    with pytest.raises(GeomdpError, match="FunctionRegression"):
        dp.Regression(MEAN, DECLARED)
    with pytest.raises(GeomdpError, match="a plan chooses"):
        _ = FunctionRegression(MEAN, DECLARED).stack
    found = fit(dp.plan(FunctionRegression(MEAN, DECLARED), n=N, budget=dp.GDP(1)), DATA)
    with pytest.raises(GeomdpError, match="no mesh"):
        found.mesh(age=50, sex="f")


# --- surfaces -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def faces():
    """A small grid over a face, and rings that grow with age along one direction."""
    template = make_template(template_face())
    mean = SurfaceMean(template, rings=6, points=16, tau=0.03, registration="homologous")
    rng = np.random.default_rng(2)
    age = rng.uniform(20, 90, 200)
    wave = np.sin(np.linspace(0, 2 * np.pi, 16, endpoint=False))[:, None] * [0.0, 0.0, 0.02]
    curves = mean.template_curves + (age / 90)[:, None, None, None] * wave
    return mean, dp.Records(curves, covariates={"age": age}), wave


def test_surfaces_have_a_predicted_mesh(faces):
    mean, data, wave = faces
    plan = dp.plan(FunctionRegression(mean, {"age": (20, 90)}), n=200, budget=dp.GDP(500))
    assert plan.guarantee.invalid == "public"
    release = Release(plan, plan.simulate(data, 1)[0], {})
    for age in (20, 90):
        expected = mean.template_curves + age / 90 * wave
        np.testing.assert_allclose(release.predict(age=age), expected, atol=2e-3)
    assert release.regression.mesh(age=20).faces.shape == mean.template.surface.faces.shape


def test_meshes_and_their_ages_are_read_as_for_the_mean(faces, tmp_path):
    mean, _, _ = faces
    (tmp_path / "scans").mkdir()
    for seed in range(2):
        write_surface(procedural_face(seed), tmp_path / "scans" / f"s{seed}.obj")
    (tmp_path / "labels.csv").write_text("file,age\ns1.obj,70\ns0.obj,30\n")
    asked = FunctionRegression(replace(mean, terms=4), {"age": (20, 90)})
    choices = Choices(keep=("age",), labels=tmp_path / "labels.csv", workers=1)
    loaded = read_records(tmp_path / "scans", asked, choices)
    assert [float(age) for age in loaded.columns["age"]] == [30, 70]
    alone = mean.prepare([procedural_face(0)], workers=1).curves[0]
    np.testing.assert_allclose(loaded.points[0], alone, atol=1e-6)


@pytest.mark.slow
def test_the_report_shows_faces_at_five_ages(faces):
    mean, data, _ = faces
    plan = dp.plan(FunctionRegression(mean, {"age": (20, 90)}), n=200, budget=dp.GDP(500))
    release = Release(plan, plan.simulate(data, 1)[0], {})
    told = str(consequences(release))
    assert all(f"age {value}" in told for value in ("20", "37.5", "55", "72.5", "90"))
    assert told.count("data:image/png") == 5


def test_the_plan_page_draws_records_and_not_their_coefficients():
    made = dp.plan(FunctionRegression(MEAN, DECLARED), n=N, budget=dp.GDP(1))
    edges = edge_records(made.statistic)
    assert [edge.shape for edge in edges] == [T.shape] * 3
    assert asked_length(made, edges[0]) == pytest.approx(1.0, rel=1e-6)
    drawn = str(public_pictures(made.statistic))
    assert drawn.count("<svg") == 4
    assert "coordinate</text>" not in drawn  # curves over t, no bars


def asked_length(made, curve):
    return float(np.linalg.norm(made.statistic.functions.encode(curve[None])[0]))


# --- the command ----------------------------------------------------------------------------------


def test_the_command_releases_curves_along_age(tmp_path):
    with (tmp_path / "curves.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*(f"t{i}" for i in range(T.size)), "age", "sex"])
        writer.writerows([*curve, a, s] for curve, a, s in zip(CURVES, AGE, SEX, strict=True))

    def run(*words, code=0):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == code, done.output
        return done.output

    on = ["--space", "functions:20", "--center", "origin", "--radius", 1, "--period", "no"]
    along = ["--statistic", "regression", "--covariate", "age=20:90", "--covariate", "sex=f,m"]
    run("plan", *on, *along, "--n", N, "--mu", 2, "--out", tmp_path / "plan.json")
    columns = [word for i in range(T.size) for word in ("--column", f"t{i}")]
    out = tmp_path / "out"
    run("release", tmp_path / "plan.json", tmp_path / "curves.csv", *columns, "--out", out)
    assert verify(out).problems == ()
    assert dp.load_release(out).predict(age=50, sex="f").shape == T.shape
    refused = run("plan", *on, "--covariate", "age=20:90", "--n", N, "--mu", 2, code=2)
    assert "go together" in " ".join(refused.split())


@pytest.mark.parametrize("statistic", [FunctionRegression, FunctionMoments])
def test_hostile_curves_and_covariates_move_no_release_farther_than_claimed(statistic):
    curves = replace(MEAN, terms=3)
    asked = FunctionMoments(curves) if statistic is FunctionMoments else statistic(curves, DECLARED)
    made = dp.plan(asked, n=30, budget=dp.GDP(1))
    (finding,) = record_findings(made, Settings(records=60))
    assert finding.verdict == "pass", finding
    assert finding.numbers["ratio"] > 0.3


def test_an_invalid_covariate_takes_its_curve_with_it():
    functions = FunctionMean(np.zeros(24), tau=1.0, kernel=Matern(0.5), phi=0.01, terms=3)
    statistic = FunctionRegression(functions, covariates={"age": (20, 90)})
    found = statistic.admit(dp.Records(np.ones((3, 24)), covariates={"age": [30, "?", 80]}))
    assert list(found.invalid) == [1]
    assert not np.any(found.records[1])
    assert np.all(found.records[[0, 2], 0] != 0)
