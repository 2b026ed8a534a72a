"""Curves read off a released regression: least squares, geodesics, errors, hostile designs."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.noise.entropy import SeededEntropy
from geomdp.privacy import GaussianCost, LaplaceCost
from geomdp.releases.estimates import RegressionEstimate, regression_of
from geomdp.releases.verification import verify
from geomdp.statistics.encoded import Encoded, encode

AGE = {"age": (20, 90)}
BOTH = {"age": (20, 90), "sex": ("f", "m")}


def ball_of(space, radius=0.6):
    return dp.Ball(space, space.origin(np.zeros(space.dim)), radius)


def noiseless(statistic, data):
    """The fit of the exact means: as good as a release without noise."""
    value = statistic.estimate(encode(statistic, data, "refuse"))
    return RegressionEstimate(statistic, len(data), value, 1e-12)


def simulated(plan, data, seed):
    """A release with seeded noise, for tests that need many."""
    encoded = Encoded.of(plan.statistic.encode(data))
    value = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed))[0]
    return regression_of(dp.Release(plan, value, {}))


def columns(rng, n, names):
    made = {"age": rng.uniform(20, 90, n), "sex": rng.choice(["f", "m"], n)}
    return {name: made[name] for name in names}


def about_a_line(statistic, rng, n, slopes, spread=0.0, at=0.0):
    cols = columns(rng, n, statistic.covariate_names)
    t = statistic.design.codes(cols, n)[0]
    logs = at + t @ slopes + spread * rng.standard_normal((n, statistic.dim))
    points = statistic.ball.space.frame_exp(statistic.ball.center, logs)
    return dp.Records(np.asarray(points), covariates=cols), logs


@pytest.mark.parametrize(
    "space",
    [dp.Sphere(2), dp.SPD(2), dp.Hyperbolic(2), dp.PlanarShapes(5), dp.Euclidean(3)],
    ids=repr,
)
def test_geodesics_through_the_centre_are_recovered(space):
    statistic = dp.Regression(ball_of(space, 0.5), AGE)
    slopes = np.zeros((1, space.dim))
    slopes[0, :2] = [0.3, -0.2]
    data, _ = about_a_line(statistic, np.random.default_rng(0), 200, slopes)
    found = noiseless(statistic, data)
    for age in (20, 43.5, 90):
        t = (age - 55) / 35
        truth = space.frame_exp(statistic.ball.center, t * slopes[0])
        assert float(space.dist(found.predict(age=age), np.asarray(truth))) < 1e-5
    assert found.slope("age").vector == pytest.approx(slopes[0] / 35, abs=1e-7)
    assert found.residual < 1e-6
    assert found.floored == 0


def test_slopes_on_flat_data_are_those_of_least_squares():
    rng = np.random.default_rng(3)
    statistic = dp.Regression(dp.Ball(dp.Euclidean(3), np.zeros(3), 50.0), BOTH)
    data, logs = about_a_line(statistic, rng, 400, rng.standard_normal((2, 3)), 1.0, at=2.0)
    found = noiseless(statistic, data)
    age, male = data.covariates["age"], (data.covariates["sex"] == "m").astype(float)
    table = np.stack([np.ones(400), age, male], axis=1)
    plain, *_ = np.linalg.lstsq(table, logs, rcond=None)
    assert found.slope("age").vector == pytest.approx(plain[1], abs=1e-7)
    assert found.difference("sex", "f", "m").vector == pytest.approx(plain[2], abs=1e-5)
    assert found.predict(age=70, sex="m") == pytest.approx([1, 70, 1] @ plain, abs=1e-5)
    residual = np.sum((logs - table @ plain) ** 2) / (400 - 3)
    assert found.residual == pytest.approx(residual, rel=1e-5)


def test_shaped_balls_give_the_same_curve_and_errors_of_their_shape():
    space, form = dp.Euclidean(2), np.diag([1.8, 0.2])
    rng = np.random.default_rng(0)
    slopes = np.array([[0.5, 0.05]])
    balls = [dp.Ball(space, np.zeros(2), 2.0, form=f) for f in (None, form)]
    data, _ = about_a_line(dp.Regression(balls[0], AGE), rng, 500, slopes, 0.02)
    round_one, shaped = (noiseless(dp.Regression(ball, AGE), data) for ball in balls)
    assert shaped.predict(age=80) == pytest.approx(round_one.predict(age=80), abs=1e-5)
    plan = dp.plan(dp.Regression(balls[1], AGE), n=500, budget=dp.GDP(1))
    off = [simulated(plan, data, seed).slope("age") for seed in range(150)]
    errors = np.array([one.vector for one in off]) - shaped.slope("age").vector
    assert np.std(errors[:, 0]) / np.std(errors[:, 1]) == pytest.approx(3.0, rel=0.3)
    rms = np.sqrt(np.mean(np.sum(errors**2, axis=1)))
    assert 0.9 * rms < off[0].privacy < 2 * rms


@pytest.mark.parametrize("budget", [dp.GDP(1), pytest.param(dp.Pure(1), marks=pytest.mark.slow)])
def test_the_forecast_and_the_stated_error_are_those_of_releases(budget):
    """At the stated design: even covariates, and a curve that moves half the radius."""
    rng, n = np.random.default_rng(1), 800
    statistic = dp.Regression(ball_of(dp.Euclidean(2)), BOTH)
    plan = dp.plan(statistic, n=n, budget=budget)
    slopes = np.array([[0.3, 0.0], [0.0, 0.0]])
    data, _ = about_a_line(statistic, rng, n, slopes)
    truth = noiseless(statistic, data).slopes
    found = [simulated(plan, data, seed) for seed in range(120)]
    errors = np.array([one.slopes - truth for one in found])
    sizes = np.sqrt(np.sum(errors**2, axis=(1, 2))) / np.sqrt(2)
    assert np.mean(sizes) == pytest.approx(plan.expected_error, rel=0.15)
    of_age = errors[:, 0] / np.sqrt(2) / 35
    rms = np.sqrt(np.mean(np.sum(of_age**2, axis=1)))
    assert np.median([one.slope("age").privacy for one in found]) == pytest.approx(rms, rel=0.15)


@pytest.mark.parametrize(
    ("budget", "n", "times"),
    [
        (dp.GDP(1), 300, 60),
        (dp.GDP(1000), 300, 60),  # nothing but sampling
        pytest.param(dp.GDP(1), 300, 400, marks=pytest.mark.slow),
        pytest.param(dp.Pure(1), 1500, 150, marks=pytest.mark.slow),
    ],
)
def test_bands_cover_the_curve_of_the_population(budget, n, times):
    statistic = dp.Regression(ball_of(dp.Sphere(2), 0.8), AGE)
    slopes, rng = np.array([[0.3, 0.1]]), np.random.default_rng(7)
    plan = dp.plan(statistic, n=n, budget=budget)
    many, _ = about_a_line(statistic, rng, 60_000, slopes, 0.12, at=0.05)
    truth = noiseless(statistic, many)._at(np.array([25 / 35]))
    hits, naive = 0, 0
    for seed in range(times):
        data, _ = about_a_line(statistic, rng, n, slopes, 0.12, at=0.05)
        band = simulated(plan, data, seed).band(age=80)
        hits += bool(band.contains_coordinates(truth))
        alone = noiseless(statistic, data)
        own = alone._width(alone._spread(1.0, np.array([25 / 35])), 0.95)
        naive += bool(np.linalg.norm(band.middle - truth) <= own)
    assert hits / times >= (0.93 if times > 100 else 0.88)
    if budget != dp.GDP(1000):
        assert naive / times < 0.9  # where privacy noise is ignored


# --- hostile designs ------------------------------------------------------------------------------


def hostile(name, n, rng):
    return {
        "all equal": {"age": np.full(n, 50.0)},
        "huge": {"age": np.full(n, 1e300)},
        "two values": {"age": np.where(np.arange(n) % 2, 1e300, -1e300)},
        "collinear": {f"x{i}": np.linspace(-1, 1, n) for i in range(4)},
        "two records": {"age": np.linspace(20, 90, n)},
    }[name]


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(1)], ids=repr)
@pytest.mark.parametrize("name", ["all equal", "huge", "two values", "collinear", "two records"])
def test_hostile_designs_are_released_and_read(name, budget):
    rng, n = np.random.default_rng(0), 2 if name == "two records" else 60
    cols = hostile(name, n, rng)
    declared = AGE if "age" in cols else dict.fromkeys(cols, (-1, 1))
    statistic = dp.Regression(ball_of(dp.Sphere(2)), declared)
    points = dp.datasets.polar_sphere(n, radius=0.3, seed=1)
    release = dp.plan(statistic, n=n, budget=budget).release(dp.Records(points, covariates=cols))
    found = release.regression
    middle = {one.name: one.middle for one in statistic.design.covariates}
    assert statistic.ball.space.contains(release.predict(**middle))
    assert np.isfinite(found.band(**middle).radius)
    assert np.isfinite(found.slope(next(iter(cols))).error)
    moments = statistic.split(release.value)
    crossed = moments.products - np.outer(moments.covariates, moments.mean)
    longest = np.linalg.norm(crossed, 2) / found.floor  # no eigenvalue below the floor
    assert np.linalg.norm(found.slopes, 2) <= longest * (1 + 1e-9)
    if name in ("all equal", "huge", "collinear") and budget == dp.GDP(1):
        assert floored_often(dp.plan(statistic, n=n, budget=budget), points, cols) >= 12


def floored_often(plan, points, cols):
    """Of 16 seeded releases, how many tell that the floor was reached."""
    data = dp.Records(points, covariates=cols)
    found = [simulated(plan, data, seed) for seed in range(16)]
    assert all(("shrunk towards 0" in one.describe()) is (one.floored > 0) for one in found)
    return sum(one.floored > 0 for one in found)


@pytest.mark.parametrize("fill", [np.nan, np.inf, -np.inf, 1e308, -1e300, 1e-320, 0.0])
def test_whatever_was_released_can_be_read(fill):
    statistic = dp.Regression(ball_of(dp.SPD(2)), BOTH)
    value = np.full(statistic.noise_profile.size, fill)
    for values in (value, np.where(np.arange(value.size) % 3, value, 1.0)):
        found = RegressionEstimate(statistic, 10, values, 0.1)
        assert statistic.ball.space.contains(found.predict(age=30, sex="f"))
        assert found.describe()
        found.band(age=30, sex="f")
        found.slope("age")


def test_questions_that_were_not_declared_are_refused():
    statistic = dp.Regression(ball_of(dp.Sphere(2)), BOTH)
    found = RegressionEstimate(statistic, 10, statistic.public_value, 0.1)
    for at, reason in [
        ({"age": 50}, "each covariate"),
        ({"age": 50, "sex": "f", "iq": 1}, "each covariate"),
        ({"age": 91, "sex": "f"}, "from 20 to 90"),
        ({"age": float("nan"), "sex": "f"}, "from 20 to 90"),
        ({"age": 50, "sex": "x"}, "one of f, m"),
    ]:
        with pytest.raises(GeomdpError, match=reason):
            found.predict(**at)
    with pytest.raises(GeomdpError, match="difference"):
        found.slope("sex")
    with pytest.raises(GeomdpError, match="slope"):
        found.difference("age", "f", "m")
    with pytest.raises(GeomdpError, match="no covariate"):
        found.slope("iq")
    mean = dp.plan(dp.TangentMean(statistic.ball), n=9, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="Only a release of Regression"):
        mean.release(np.tile([0.0, 0.0, 1.0], (9, 1))).predict(age=50)


# --- plans ----------------------------------------------------------------------------------------


def study(n=900, seed=0, **more):
    rng = np.random.default_rng(seed)
    statistic = dp.Regression(ball_of(dp.Sphere(2)), BOTH)
    slopes = np.array([[0.3, 0.0], [0.0, 0.2]])
    data, _ = about_a_line(statistic, rng, n, slopes, 0.02)
    return statistic, dp.Records(data.points, covariates=data.covariates, **more)


def test_releases_are_verified_and_read_again(tmp_path):
    statistic, data = study()
    made = dp.plan(statistic, n=900, budget=dp.GDP(1))
    made.save(tmp_path / "plan.json")
    again = dp.load_plan(tmp_path / "plan.json")
    release = again.release(data, folder=tmp_path / "out")
    assert verify(tmp_path / "out", tmp_path / "plan.json").problems == ()
    read = dp.load_release(tmp_path / "out")
    assert np.array_equal(read.value, release.value)
    assert np.array_equal(read.predict(age=30, sex="m"), release.predict(age=30, sex="m"))


@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(2)], ids=repr)
def test_a_value_off_the_grid_is_not_verified(budget):
    statistic, data = study(100)
    made = dp.plan(statistic, n=100, budget=budget)
    value = made.release(data).value
    from geomdp.releases.verification.values import on_grid

    assert on_grid(made, value) is True
    assert on_grid(made, value + 1e-13) is False


def test_groups_have_a_curve_each():
    statistic, data = study(group=np.repeat(["a", "b"], 450))
    made = dp.plan(statistic, n={"a": 450, "b": 450}, budget=dp.GDP(1))
    release = made.release(data)
    assert statistic.ball.space.contains(release.parts["a"].predict(age=50, sex="f"))
    with pytest.raises(GeomdpError, match="take a part"):
        release.predict(age=50, sex="f")


def test_a_found_ball_serves():
    statistic, data = study(3000)
    wide = dp.Regression(dp.Ball.whole(dp.Sphere(2)), BOTH)
    for budget in (dp.GDP(1), dp.Pure(2)):
        release = dp.plan(dp.Refined(wide), n=3000, budget=budget).release(data)
        truth = noiseless(statistic, data).predict(age=80, sex="f")
        assert float(dp.Sphere(2).dist(release.predict(age=80, sex="f"), truth)) < 0.2
        assert dp.ball_of(release).radius < 2


def test_what_a_later_stage_would_refuse_is_refused_before_anything_is_spent():
    _, data = study(3000)
    broken = dp.Records(data.points, covariates={**data.covariates, "sex": ["?"] * 3000})
    made = dp.plan(
        dp.Refined(dp.Regression(dp.Ball.whole(dp.Sphere(2)), BOTH)), n=3000, budget=dp.GDP(1)
    )
    with pytest.raises(InvalidRecordError, match="'sex' is no level"):
        made.prepare(broken)


# --- invalid records and persons ------------------------------------------------------------------


def test_invalid_covariates_follow_the_policy():
    statistic, data = study(60)
    ages = np.array(data.covariates["age"])
    ages[7] = np.nan
    broken = dp.Records(data.points, covariates={**data.covariates, "age": ages})
    with pytest.raises(InvalidRecordError, match="Record 8: its 'age' is no number"):
        dp.plan(statistic, n=60, budget=dp.GDP(1)).release(broken)
    encoded = encode(statistic, broken, "public")
    assert list(encoded.invalid) == [7]
    assert not np.any(np.asarray(encoded)[7])
    dp.plan(statistic, n=60, budget=dp.GDP(1), invalid="public").release(broken)


def pooled_rows(statistic, points, who, cols, n, policy="refuse"):
    from geomdp.plans.pooling import absent_rows, one_record_a_person

    data = dp.Records(points, person=who, covariates=cols)
    pooled = one_record_a_person(statistic, data, n, policy)
    return np.asarray(encode(statistic, pooled, policy, absent_rows(data, n)))


def test_a_person_is_one_record_with_mean_numbers_and_the_usual_level():
    statistic = dp.Regression(ball_of(dp.Euclidean(1)), BOTH)
    points = np.array([[0.1], [0.3], [0.2], [0.5]])
    cols = {"age": [30.0, 200.0, 40.0, 55.0], "sex": ["m", "m", "f", "f"]}
    rows = pooled_rows(statistic, points, ["p", "p", "p", "q"], cols, 3)
    expected = statistic.design.at(age=(30 + 90 + 40) / 3, sex="m")
    assert rows[0] == pytest.approx([0.2, *(0.6 * expected)], abs=1e-12)
    assert rows[1] == pytest.approx([0.5, *(0.6 * statistic.design.at(age=55, sex="f"))])
    assert not np.any(rows[2])  # no records
    tied = {"age": [30.0] * 4, "sex": ["m", "f", "?", "f"]}
    assert not np.any(pooled_rows(statistic, points, list("ppqr"), tied, 3, "public")[1])
    first = pooled_rows(statistic, points, list("ppqr"), {**tied, "sex": list("mfff")}, 3)[0]
    assert first[2] == pytest.approx(0.6 * statistic.design.at(age=30, sex="f")[1])


@pytest.mark.parametrize("count", [0, 1, 500])
def test_a_person_moves_the_stack_by_no_more_than_one_record(count):
    from geomdp.mechanisms.gaussian_noise import exact_mean

    statistic, data = study(200)
    who = np.array([f"P{i % 40:02d}" for i in range(200)])
    keep = who != "P07"
    rng = np.random.default_rng(count)
    base = exact_mean(statistic, pooled_rows(statistic, data.points, who, data.covariates, 40))
    points = np.concatenate(
        [data.points[keep], dp.datasets.polar_sphere(count or 1, 3.0, 1)[:count]]
    )
    cols = {
        "age": np.r_[data.covariates["age"][keep], rng.choice([-1e300, 1e300], count)],
        "sex": np.r_[data.covariates["sex"][keep], rng.choice(["f", "m"], count)],
    }
    there = exact_mean(
        statistic, pooled_rows(statistic, points, np.r_[who[keep], ["P07"] * count], cols, 40)
    )
    moved = np.sqrt(float(sum((a - b) ** 2 for a, b in zip(base, there, strict=True))))
    assert moved <= statistic.sensitivity(40).value


def test_persons_are_released_in_one_and_in_several_groups():
    statistic, data = study(200)
    who = [f"P{i % 50}" for i in range(200)]
    records = dp.Records(data.points, person=who, covariates=data.covariates)
    made = dp.plan(statistic, n=60, budget=dp.GDP(1), unit=dp.Unit.person())
    rows = np.asarray(made.prepare(records).encoded)
    assert np.flatnonzero(~np.any(rows, axis=1)).tolist() == list(range(50, 60))  # without records
    assert made.release(records).predict(age=50, sex="f").shape == (3,)
    few = dp.plan(statistic, n=200, budget=dp.GDP(1), unit=dp.Unit.person(max_records=2))
    few.release(records)
    group = ["a" if i % 50 < 25 else "b" for i in range(200)]
    both = dp.Records(data.points, group=group, person=who, covariates=data.covariates)
    dp.plan(statistic, n={"a": 25, "b": 30}, budget=dp.GDP(1), unit=dp.Unit.person()).release(both)


@pytest.mark.parametrize("budget", [dp.ZCDP("0.5"), dp.Approximate(3, 1e-6)], ids=repr)
def test_every_kind_of_budget_serves(budget):
    statistic, data = study(100)
    made = dp.plan(statistic, n=100, budget=budget)
    assert made.cost.fits(budget)
    dims = statistic.noise_profile.size
    assert made.cost in (GaussianCost(1.0), LaplaceCost(3, dims))
    assert dims == 3 * 2 + 2 + 3 + 1
    assert made.release(data).predict(age=30, sex="m").shape == (3,)
