"""Persons with any number of curves: one curve each, for means, moments and regressions."""

import csv
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli.app import app
from geomdp.curves import FunctionMean, FunctionMoments, FunctionRegression, IntervalGrid, Matern
from geomdp.errors import InvalidRecordError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.plans import tau_of
from geomdp.plans.pooling import one_record_a_person
from geomdp.plans.tau_stages import TauStages
from geomdp.releases.verification import verify

pytestmark = pytest.mark.usefixtures("without_reports")
PERSON = dp.Unit.person()
T = np.linspace(0.0, 1.0, 20)
MEAN = FunctionMean(np.sin(T), 1.0, Matern(0.3), grid=IntervalGrid(T), terms=5)
ASKED = {
    "mean": replace(MEAN, phi=0.01, terms=None),
    "moments": FunctionMoments(MEAN),
    "regression": FunctionRegression(MEAN, {"age": (20, 90), "sex": ("f", "m")}),
}
N = 30


def study(persons=N, seed=0, most=4):
    rng = np.random.default_rng(seed)
    who = np.repeat([f"P{i:03d}" for i in range(persons)], rng.integers(1, most + 1, persons))
    curves = MEAN.template + 0.3 * rng.standard_normal((len(who), 1)) * np.cos(3 * T)
    age = rng.uniform(20, 90, len(who))
    return dp.Records(
        curves, person=who, covariates={"age": age, "sex": np.where(age > 50, "f", "m")}
    )


def joined(*parts):
    return dp.Records(
        np.concatenate([part.points for part in parts]),
        person=np.concatenate([part.person for part in parts]),
        covariates={
            name: np.concatenate([part.covariates[name] for part in parts])
            for name in ("age", "sex")
        },
    )


def rows_of(asked, data, n=N):
    ready = dp.plan(asked, n=n, budget=dp.GDP(1), unit=PERSON, invalid="public").prepare(data)
    return np.concatenate(list(ready.encoded.chunks()))


@pytest.mark.parametrize("name", ASKED)
@pytest.mark.parametrize("count", [0, 7, 3000])
def test_a_person_moves_the_sum_by_no_more_than_one_record(name, count):
    asked, data, rng = ASKED[name], study(), np.random.default_rng(count)
    others = data.rows(data.person != "P007")
    whole = exact_mean(asked, rows_of(asked, data))
    for size in (1e-300, 3.0, -1e300):
        mine = dp.Records(
            size * rng.standard_normal((count, T.size)),
            person=["P007"] * count,
            covariates={"age": rng.choice([-1e300, 90.0, 1e300], count), "sex": ["m"] * count},
        )
        there = exact_mean(asked, rows_of(asked, joined(others, mine)))
        moved = sum(  # in exact fractions, and in units of the noise
            ((a - b) / Fraction(unit)) ** 2
            for a, b, unit in zip(whole, there, asked.noise_profile.tolist(), strict=True)
        )
        assert moved <= (Fraction(asked.diameter) / N) ** 2
        assert moved > 0


def test_a_person_is_the_mean_of_their_curves_clipped_after_it():
    curves = MEAN.template + np.outer([3.0, -1.0, 0.1], np.ones(T.size))
    data = dp.Records(curves, person=["a", "a", "b"])
    rows = rows_of(ASKED["mean"], data, n=3)
    lengths = np.linalg.norm(rows, axis=1)
    assert lengths == pytest.approx([1.0, 0.1, 0.0], rel=1e-6)
    np.testing.assert_allclose(rows[1], ASKED["mean"].encode(curves[2:])[0], atol=1e-15)


@pytest.mark.parametrize("registration", [None, "elastic"])
def test_nobody_elses_curves_change_a_persons_value(registration):
    asked, data = replace(ASKED["mean"], registration=registration), study(12)
    whole = rows_of(asked, data, 12)
    mine = np.flatnonzero(data.person == "P003")
    order = np.random.default_rng(1).permutation(np.delete(np.arange(len(data)), mine))
    np.testing.assert_array_equal(rows_of(asked, data.rows(np.r_[order, mine]), 12)[3], whole[3])
    np.testing.assert_array_equal(rows_of(asked, data.rows(mine), 12)[0], whole[3])


def test_curves_are_laid_over_the_template_before_they_are_averaged_and_not_again():
    laid = replace(ASKED["mean"], registration="elastic", tau=9.0)
    rng = np.random.default_rng(2)
    curves = np.sin(T ** rng.uniform(0.6, 1.6, (6, 1))) + 0.2 * np.cos(5 * T)
    alone = laid.encode(curves)
    rows = rows_of(laid, dp.Records(curves, person=list("aabbbb")), n=2)
    means = [alone[:2].mean(axis=0), alone[2:].mean(axis=0)]
    np.testing.assert_allclose(rows, means, atol=1e-12)
    again = laid.encode(
        one_record_a_person(laid, dp.Records(curves, person=list("aabbbb")), 2, "refuse").points
    )
    assert np.max(np.abs(again - means)) > 1e-4  # what a second registration would make of it


def test_curves_with_their_own_times_are_brought_to_the_grid_first():
    times = np.linspace(0.0, 1.0, 33)
    curves = [(times, np.sin(times) + 0.1), MEAN.template - 0.1, MEAN.template + 0.2]
    asked = replace(ASKED["mean"], resampling="pchip")
    rows = rows_of(asked, dp.Records(curves, person=["a", "a", "b"]), n=2)
    assert np.linalg.norm(rows[0]) < 0.01


def test_what_is_no_curve_follows_the_policy():
    data = study()
    points = np.array(data.points)
    points[3] = np.nan
    bad = dp.Records(points, person=data.person)
    with pytest.raises(InvalidRecordError, match="Record 4"):
        dp.plan(ASKED["mean"], n=N, budget=dp.GDP(1), unit=PERSON).prepare(bad)
    rows = rows_of(ASKED["mean"], bad)
    owner = sorted(set(data.person)).index(data.person[3])
    share = np.mean(data.person == data.person[3])
    assert share > 0
    clean = rows_of(
        ASKED["mean"],
        dp.Records(np.where(np.isnan(points), MEAN.template, points), person=data.person),
    )
    np.testing.assert_array_equal(rows[owner], clean[owner])


def test_an_invalid_covariate_makes_a_person_the_public_record():
    data = study()
    data.covariates["age"][data.person == "P004"] = np.nan
    rows = rows_of(ASKED["regression"], data)
    assert np.all(rows[4] == 0)
    assert np.all(np.any(np.delete(rows, 4, axis=0) != 0, axis=1))


def slopes_study():
    rng = np.random.default_rng(5)
    who = np.repeat(np.arange(400), rng.integers(1, 4, 400))
    age = rng.uniform(20, 90, 400)[who]
    curves = MEAN.template + ((age - 55) / 350)[:, None] * LEADING
    curves += 0.01 * rng.standard_normal(curves.shape)
    return dp.Records(curves, person=who, covariates={"age": age})


#: Ten times too wide, and few terms, so that forecasts are quick.
WIDE = FunctionRegression(replace(MEAN, tau=20.0, terms=2), {"age": (20, 90)})
#: A curve that two terms hold.
LEADING = WIDE.functions.decode(np.array([0.8, 0.8])) - MEAN.template


def test_slopes_of_persons_in_a_tau_that_is_found():
    made = dp.plan(dp.Refined(WIDE), n=400, budget=dp.GDP(20), unit=PERSON)
    assert isinstance(made.rule, TauStages)
    assert made.cost.fits(dp.GDP(20))
    release = made.release(slopes_study())
    assert 0.05 < tau_of(release) < 2.0
    truth = MEAN.template + 25 / 350 * LEADING
    assert np.max(np.abs(release.predict(age=80) - truth)) < 0.05


@pytest.mark.slow
def test_plan_and_release_of_a_tau_found_for_persons_come_back(tmp_path):
    made = dp.plan(dp.Refined(WIDE), n=400, budget=dp.GDP(20), unit=PERSON)
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.to_json() == made.to_json()
    release = again.release(slopes_study(), folder=tmp_path / "release")
    assert verify(tmp_path / "release").problems == ()
    assert tau_of(dp.load_release(tmp_path / "release")) == tau_of(release)


def test_records_outside_are_counted_by_the_coefficients_and_not_by_the_stack():
    rule = dp.plan(dp.Refined(WIDE), n=400, budget=dp.Pure(20)).rule
    share = float(rule.budgets[1].epsilon)
    assert rule.outside == int(np.ceil(6 * 2 / share))


def test_moments_of_persons():
    data = study(400, most=3)
    made = dp.plan(FunctionMoments(MEAN), n=400, budget=dp.GDP(5), unit=PERSON)
    from geomdp.releases.estimates import function_moments_of

    release = made.release(dp.Records(data.points, person=data.person))
    found = function_moments_of(release).mean - MEAN.template
    assert np.max(np.abs(found)) < 0.1


def test_the_command_releases_curves_of_persons_along_age(tmp_path):
    data = study()
    with (tmp_path / "curves.csv").open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow([*(f"t{i}" for i in range(T.size)), "age", "who"])
        columns = zip(data.points, data.covariates["age"], data.person, strict=True)
        writer.writerows([*curve, age, who] for curve, age, who in columns)

    def run(*words):
        done = CliRunner().invoke(app, [str(word) for word in words])
        assert done.exit_code == 0, done.output

    on = ["--space", "functions:20", "--center", "origin", "--radius", 2, "--period", "no"]
    along = ["--statistic", "regression", "--covariate", "age=20:90", "--unit", "person"]
    run("plan", *on, *along, "--n", N, "--mu", 2, "--out", tmp_path / "plan.json")
    columns = [word for i in range(T.size) for word in ("--column", f"t{i}")]
    out = tmp_path / "out"
    files = (tmp_path / "plan.json", tmp_path / "curves.csv")
    run("release", *files, *columns, "--person", "who", "--out", out)
    assert verify(out).problems == ()
    assert dp.load_release(out).predict(age=50).shape == T.shape
