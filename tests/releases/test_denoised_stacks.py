"""What stacks of means, releases over time and distributions become with less error."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import FunctionMean, FunctionRegression, Matern
from geomdp.plans import course_of
from geomdp.releases.estimates.tables import released_points
from geomdp.report.plan_page import plan_html
from geomdp.statistics.denoising import whole
from geomdp.statistics.regression import OfTheCurve

DIM, N = 20, 300
BALL = dp.Ball(dp.Euclidean(DIM), np.zeros(DIM), 1.0)
AGE = {"age": (0.0, 10.0)}
FIRST = np.eye(DIM)[0]


def aged(slope=0.0, middle=0.0, ages=(0, 10), seed=0):
    """Records on a line: at age 5 in the middle, ``slope`` farther at 10."""
    age = np.random.default_rng(seed).uniform(*ages, N)
    points = middle * np.eye(DIM)[1] + slope * ((age - 5) / 5)[:, None] * FIRST
    return dp.Records(points, covariates={"age": age})


def mean_and_error(numbers):
    return np.mean(numbers), np.std(numbers) / np.sqrt(len(numbers))


# --- regressions -----------------------------------------------------------------------------


def of_the_curve(plan, stack):
    """Mean, and slopes where the covariates are on average, of a stack."""
    found = plan.statistic.split(stack)
    return found.mean, found.products - np.outer(found.covariates, found.mean)


@pytest.mark.parametrize("middle", [0.0, 0.8])
@pytest.mark.parametrize("slope", [0.0, 0.02, 0.3])
@pytest.mark.parametrize("ages", [(0, 10), (7, 10)])
def test_slopes_and_mean_never_lose_given_the_released_covariates(slope, middle, ages):
    plan = dp.plan(dp.Regression(BALL, covariates=AGE), n=N, budget=dp.GDP(1))
    data = aged(slope, middle, ages)
    exact = plan.statistic.split(plan.statistic.estimate(plan.statistic.encode(data)))
    saved = []
    for value in plan.simulate(data, 300, 1):
        seen = plan.statistic.split(value).covariates
        # What the exact means would give at the covariates as they were released.
        truth = exact.mean, exact.products - np.outer(seen, exact.mean)
        errors = [
            [np.sum((a - b) ** 2) for a, b in zip(of_the_curve(plan, one), truth, strict=True)]
            for one in (value, plan.denoised(value))
        ]
        saved.append(np.subtract(*errors))
    for gain, error in map(mean_and_error, np.transpose(saved)):
        assert gain > -3 * error


def test_the_curve_that_is_read_off_has_less_error_and_bands_stay():
    asked = dp.Regression(BALL, covariates={**AGE, "sex": ("f", "m")})
    plan = dp.plan(asked, n=N, budget=dp.GDP(0.5))
    data = aged(0.1)
    sex = np.random.default_rng(1).choice(["f", "m"], N)
    data = dp.Records(data.points, covariates={**data.covariates, "sex": sex})
    raw, better = [], []
    for _ in range(30):
        found = plan.release(data).regression
        for curve, errors in ((found, raw), (found.denoised, better)):
            at = [curve.predict(age=age, sex="f") for age in (0, 10)]
            errors.append(np.linalg.norm(at[1] - at[0] - 0.2 * FIRST))
        middle = found.band(age=5, sex="f").middle
        np.testing.assert_allclose(middle, found.predict(age=5, sex="f"))
    assert np.mean(better) < 0.8 * np.mean(raw)
    assert plan.denoising.center < plan.denoising.typical < plan.expected_error
    told = dict(released_points(plan.release(data)))
    assert {"at age 5", "denoised, at age 5", "denoised, at sex m"} <= told.keys()


def test_under_a_pure_budget_a_regression_stays_as_it_is():
    """Given the covariates, Laplace noise in all coordinates together has a law of its own."""
    plan = dp.plan(dp.Regression(BALL, covariates=AGE), n=N, budget=dp.Pure(1))
    assert isinstance(plan.statistic.rule, OfTheCurve)
    assert plan.denoising is None
    drawn = plan.release(aged(0.1))
    assert drawn.denoised is drawn.value
    found = drawn.regression
    np.testing.assert_array_equal(found.denoised.predict(age=3), found.predict(age=3))
    assert "denoised, at age 5" not in dict(released_points(drawn))


def test_regressions_of_functions_lose_error_too():
    mean = FunctionMean(np.zeros(30), 1.0, Matern(0.5), terms=8)
    asked = FunctionRegression(mean, covariates=AGE)
    plan = dp.plan(asked, n=N, budget=dp.GDP(0.3))
    age = np.linspace(0, 10, N)
    drawn = plan.release(dp.Records(np.zeros((N, 30)), covariates={"age": age}))
    assert np.linalg.norm(drawn.denoised) < np.linalg.norm(drawn.value)


# --- classes ---------------------------------------------------------------------------------


@pytest.mark.parametrize("budget", [dp.GDP(0.5), dp.Pure(1)])
@pytest.mark.parametrize("away", [0.0, 0.2, 0.9])
@pytest.mark.parametrize("dim", [6, 40])
def test_sums_of_classes_never_lose_wherever_they_lie(budget, away, dim):
    ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.0)
    plan = dp.plan(dp.Classes(ball, ("a", "b", "c")), n=N, budget=budget)
    asked = plan.statistic
    labels = np.repeat(["a", "b", "c"], [200, 80, 20])
    points = np.where(labels[:, None] == "a", away, -away) * np.eye(dim)[0]
    data = dp.Records(points, group=labels)
    exact = asked.split(asked.estimate(asked.encode(data))).sums
    saved = []
    for value in plan.simulate(data, 200, 2):
        both = (asked.split(one).sums for one in (value, plan.denoised(value)))
        saved.append(np.subtract(*[np.sum((one - exact) ** 2, axis=1) for one in both]))
    for gain, error in map(mean_and_error, np.transpose(saved)):
        assert gain > -3 * error
    assert away > 0 or np.mean(saved) > 0.3 * np.mean(np.sum(exact**2) + np.mean(saved))


def test_one_factor_for_all_classes_would_lose_the_small_ones():
    """The mutant: a class far from the centre keeps the noise of all others."""
    rng, dim = np.random.default_rng(0), 20
    sums = np.vstack([np.full(dim, 5.0), np.zeros((5, dim))])
    one, each = [], []
    for _ in range(100):
        drawn = sums + rng.standard_normal(sums.shape)
        together = whole(sums.size, np.inf).moved(drawn.ravel(), 1.0).reshape(sums.shape)
        alone = np.array([whole(dim, np.inf).moved(row, 1.0) for row in drawn])
        one.append(np.sum((together - sums) ** 2))
        each.append(np.sum((alone - sums) ** 2))
    assert np.mean(each) < 0.4 * np.mean(one)


def test_class_means_are_read_off_denoised_and_all_else_as_released(tmp_path):
    plan = dp.plan(dp.Classes(BALL, ("a", "b")), n=N, budget=dp.GDP(0.3))
    data = dp.Records(np.zeros((N, DIM)), group=["a", "b"] * (N // 2))
    drawn = plan.release(data, folder=tmp_path / "out")
    found = dp.classes_of(drawn)
    assert np.linalg.norm(found.denoised_means) < 0.7 * np.linalg.norm(found.means)
    np.testing.assert_array_equal(
        plan.statistic.split(drawn.denoised).second, plan.statistic.split(drawn.value).second
    )
    assert drawn.manifest["denoised"]["on_top"] is False
    told = dict(released_points(drawn))
    np.testing.assert_array_equal(told["denoised mean of b"], found.denoised_means[1])
    assert dp.verify(tmp_path / "out").verified


# --- what stays as it is drawn says why --------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "budget", "mechanism", "why"),
    [
        (dp.FrechetMean(dp.Ball(dp.SPD(3), np.eye(3), 0.5)), dp.Pure(2), "laplace", "this law"),
        (dp.FrechetMean(dp.Ball(dp.SPD(3), np.eye(3), 0.5)), dp.Pure(2), "kng", "this law"),
        (dp.ExtrinsicMean(dp.Sphere(4)), dp.GDP(1), "auto", "embedded records"),
        (dp.Regression(BALL, covariates=AGE), dp.Pure(1), "auto", "Laplace noise on slopes"),
        (dp.OverTime(dp.ExtrinsicMean(dp.Sphere(4))), dp.GDP(1), "auto", "embedded records"),
        (dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)), dp.Pure(2), "auto", ""),
    ],
)
def test_what_stays_as_drawn_says_why_where_more_could_be(asked, budget, mechanism, why):
    plan = dp.plan(asked, n=N, budget=budget, mechanism=mechanism)
    assert plan.denoising is None
    assert why in plan.as_drawn
    assert bool(plan.as_drawn) == bool(why)
    assert (f"Denoised     {plan.as_drawn}" in str(plan)) == bool(why)
    assert (f"The value {plan.as_drawn}." in plan_html(plan)) == bool(why)


def test_a_plan_says_how_to_ask_what_clipping_does():
    mean = dp.TangentMean(BALL)
    assert "--clipped" in str(dp.plan(mean, n=N, budget=dp.GDP(1)))
    assert "--clipped" not in str(dp.plan(dp.Clipped(mean), n=N, budget=dp.GDP(1)))
    whole = dp.ExtrinsicMean(dp.Sphere(4))
    assert "--clipped" not in str(dp.plan(whole, n=N, budget=dp.GDP(1)))


# --- over time -------------------------------------------------------------------------------


def test_each_period_loses_error_by_the_law_of_its_own_noise(tmp_path):
    data = dp.Records(np.full((N, DIM), 0.001), period=np.repeat([1, 2, 3], N // 3))
    plan = dp.plan(dp.OverTime(dp.TangentMean(BALL), periods=3), n=N, budget=dp.GDP(1))
    assert "Denoised" in str(plan)
    before, memory = None, tmp_path / "kept"
    for period in (1, 2, 3):
        out = tmp_path / f"{period}"
        drawn = plan.release(data, period=period, after=before, kept=memory, folder=out)
        truth = np.full(DIM, 0.001)
        assert np.linalg.norm(drawn.denoised - truth) < np.linalg.norm(drawn.value - truth)
        assert drawn.plan.noise_deviation == pytest.approx(
            float(course_of(drawn).deviations[-1, 0]), rel=1e-12
        )
        assert dp.verify(out).verified
        before = out
    moved = np.load(out / "denoised.npy")
    np.save(out / "denoised.npy", 1.1 * moved + 0.1)
    assert not dp.verify(out).verified


# --- distributions, and what curves forecast ---------------------------------------------------


def test_a_denoised_distribution_is_the_one_that_pages_show(tmp_path):
    plan = dp.plan(dp.DistributionMean(0, 1, levels=9), n=100, budget=dp.GDP(1))
    levels = (np.arange(9) + 0.5) / 9
    drawn = plan.release(np.tile(levels**2, (100, 1)), folder=tmp_path / "out")
    np.testing.assert_array_equal(drawn.denoised, dp.distribution_of(drawn).quantiles)
    assert np.all(np.diff(drawn.denoised) >= 0)
    assert drawn.denoised.min() >= 0
    assert drawn.denoised.max() <= 1
    assert dp.verify(tmp_path / "out").verified


def test_forecasts_of_distributions_come_true():
    plan = dp.plan(dp.DistributionMean(0, 1), n=300, budget=dp.GDP(1))
    asked = plan.statistic
    side = np.sqrt(np.minimum(asked.places, 1 - asked.places) / 2)
    truth = np.where(asked.places < 0.5, side, 1 - side)
    noise = plan.simulate(asked.public_record, 60, 5) - asked.public_value
    off = [plan.denoised(truth + one) - truth for one in noise]
    found = np.mean(np.sqrt(np.mean(np.square(off), axis=1)))
    assert found == pytest.approx(plan.denoising.typical, rel=0.15)


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.GDP(0.1), dp.Pure(20)])
def test_forecasts_of_curves_come_true_at_the_template_and_where_it_was_guessed(budget):
    samples = 80
    plan = dp.plan(FunctionMean(np.zeros(samples), 1.0, Matern(0.3)), n=500, budget=budget)
    asked, found = plan.statistic, {1.0: [], 0.0: []}
    for seed in range(40):
        white = np.random.default_rng(seed).standard_normal(asked.spectrum.values.size)
        shape = asked.spectrum.synthesise(np.sqrt(asked.spectrum.values) * white)
        for part in (1.0, 0.0):
            truth = part * float(asked.typical_offset) * shape
            drawn = plan.simulate(truth[None], 2, seed)
            again = np.array([plan.denoised(one) for one in drawn])
            found[part] += np.sqrt(np.mean((again - truth) ** 2, axis=1)).tolist()
    assert np.mean(found[1.0]) == pytest.approx(plan.denoising.typical, rel=0.3)
    assert np.mean(found[0.0]) == pytest.approx(plan.denoising.center, rel=0.6)
    assert plan.denoising.center < 0.3 * plan.expected_error
