"""Whatever happens to the float solver, the mean is certified, or at least the best point found."""

import sys
from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.intervals import Ambiguous, interval
from geomdp.statistics.solving import passes, precision, solver
from geomdp.statistics.solving.descent import plan_descent
from geomdp.statistics.solving.passes import Passes

#: The module; the function of the same name hides it in its package.
STATISTIC = sys.modules["geomdp.statistics.frechet"]

BALLS = [
    dp.Ball(dp.Sphere(2), [0, 0, 1], np.pi / 8),
    dp.Ball(dp.Sphere(2), [0, 0.6, 0.8], 0.999 * np.pi / 3),
    dp.Ball(dp.Sphere(4, curvature=4.0), [0, 0, 0.5, 0, 0], 0.3),
    dp.Ball(dp.Sphere(1), [1, 0], 0.999 * np.pi / 2),
    dp.Ball(dp.SPD(2), np.diag([1.0, 50.0]), 2.0),
    dp.Ball(dp.SPD(3), np.eye(3), 1.0),
    dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 2.0),
    dp.Ball(dp.Euclidean(3), np.ones(3), 10.0),
    dp.Ball(dp.Hyperbolic(2), [np.sinh(1), 0, np.cosh(1)], 2.0),
    dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.99 * np.pi / 6),
]
NAMES = [f"{ball.space.spec}-{ball.radius:.3g}" for ball in BALLS]
each_ball = pytest.mark.parametrize("ball", BALLS, ids=NAMES)


def in_ball(ball, directions):
    """Records at these multiples of the radius, seen from the centre, clipped."""
    v = np.asarray(directions, dtype=float) * ball.radius
    return ball.clip(ball.space.canonical(ball.space.frame_exp(ball.center, v)))


def neighbours(ball, n=5, seed=0):
    """Two data sets in a ball that differ in the last record, from one end to the other."""
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(n + 1, ball.space.dim))
    v /= np.linalg.norm(v, axis=1, keepdims=True)
    v[-1] = -v[-2]
    records = in_ball(ball, v)
    return records[:-1], np.concatenate([records[:-2], records[-1:]])


def astray(passes, *, tol, start):
    """A float solver that stops a little away from the mean, and says so."""
    space, mean = passes.space, solver.solve(passes, tol=tol, start=start).point
    off = np.full(space.dim, 1e-3)
    return passes.evaluate(space.canonical(space.frame_exp(mean, off)))


def broken(error):
    def fail(*_, **__):
        raise error

    return fail


def inside(ball, point):
    return float(ball.space.dist(ball.center, point)) <= ball.radius


# --- the road in high precision ------------------------------------------------------------------


@each_ball
def test_a_miss_is_solved_again_in_high_precision(ball, monkeypatch):
    monkeypatch.setattr(STATISTIC, "solve", astray)
    monkeypatch.setattr(STATISTIC, "descend", broken(np.linalg.LinAlgError("no")))
    statistic = dp.FrechetMean(ball)
    for records in neighbours(ball):
        tolerance = statistic.tolerance(len(records))
        point = statistic.estimate(records, tolerance)
        assert precision.gradient_norm(ball.space, point, records) <= tolerance
        assert inside(ball, point)


@each_ball
def test_one_odd_record_does_not_move_the_mean_further_than_its_sensitivity(ball, monkeypatch):
    """Floats fail on one data set and not on its neighbour: the old rule jumped to the centre."""
    plain, odd = neighbours(ball, n=9, seed=1)

    def brittle(passes, **options):
        if np.array_equal(passes.whole.records[-1], odd[-1]):
            raise np.linalg.LinAlgError("a record that floats cannot take")
        return solver.solve(passes, **options)

    monkeypatch.setattr(STATISTIC, "solve", brittle)
    monkeypatch.setattr(STATISTIC, "descend", broken(FloatingPointError("neither")))
    statistic = dp.FrechetMean(ball)
    tolerance = statistic.tolerance(len(plain))
    moved = ball.space.dist(*(statistic.estimate(data, tolerance) for data in (plain, odd)))
    assert 0 < moved <= statistic.sensitivity(len(plain), "sharp").value


@each_ball
def test_high_precision_resolves_what_floats_cannot(ball):
    """A tolerance below the rounding error of floats: they cannot certify, intervals can."""
    statistic = dp.FrechetMean(ball)
    records, _ = neighbours(ball, n=3, seed=2)
    tolerance = 0.5 * statistic._rounding(3)
    point = statistic.estimate(records, tolerance)
    assert precision.gradient_norm(ball.space, point, records) <= tolerance


@each_ball
def test_records_at_the_mean_itself_have_no_direction(ball):
    """A log towards the point itself is no division by zero, in another phase or not."""
    point = in_ball(ball, np.eye(ball.space.dim)[:1] / 2)
    again = point * (1j if np.iscomplexobj(point) else 1)
    records = np.concatenate([point, again, point])
    assert precision.gradient_norm(ball.space, point[0], records) <= 1e-14


def test_a_log_that_is_lost_far_away_is_no_zero(monkeypatch):
    ball = BALLS[0]
    records, _ = neighbours(ball)
    nothing = np.full((len(records), 2), interval("nan"), dtype=object)
    monkeypatch.setattr(type(ball.space), "frame_log", lambda *_: nothing)
    with pytest.raises(Ambiguous):
        precision.gradient_norm(ball.space, ball.center, records)


def test_rows_at_a_time_do_not_change_the_sum(monkeypatch):
    ball = BALLS[0]
    records, _ = neighbours(ball, n=7)
    whole = precision.gradient_norm(ball.space, ball.center, records)
    monkeypatch.setattr(precision, "ROWS", 3)
    assert precision.gradient_norm(ball.space, ball.center, records) == whole


# --- the last resort -----------------------------------------------------------------------------


def test_a_critical_point_outside_the_ball_is_no_mean(monkeypatch):
    """Newton's method may run to the other side, where the gradient vanishes too."""
    ball = BALLS[1]
    records, _ = neighbours(ball)

    def elsewhere(*_, **__):
        return solver.MeanResult(-ball.center, 0.0, 1)

    monkeypatch.setattr(STATISTIC, "solve", elsewhere)
    monkeypatch.setattr(STATISTIC, "refine_mean", broken(AssertionError("descent is enough")))
    statistic = dp.FrechetMean(ball)
    tolerance = statistic.tolerance(len(records))
    point = statistic.estimate(records, tolerance)
    assert precision.gradient_norm(ball.space, point, records) <= tolerance


@pytest.mark.parametrize("multiple", [0.5, 1.1])
def test_the_last_resort_is_the_best_point_in_the_ball(multiple, monkeypatch):
    ball = BALLS[0]
    records, _ = neighbours(ball)
    v = np.array([multiple * ball.radius, 0.0])
    last = ball.space.frame_exp(ball.center, v)
    worse = ball.space.frame_exp(ball.center, -v)
    results = iter([solver.MeanResult(worse, 0.5, 1), solver.MeanResult(last, 0.1, 1)])

    def stuck(*_, **__):
        return next(results)

    monkeypatch.setattr(STATISTIC, "solve", stuck)
    monkeypatch.setattr(STATISTIC, "descend", stuck)
    monkeypatch.setattr(
        Passes, "evaluate", lambda _, at, before=0: solver.MeanResult(at, 0.1, before)
    )
    monkeypatch.setattr(STATISTIC, "refine_mean", broken(Ambiguous()))
    point = dp.FrechetMean(ball).estimate(records, 1e-6)
    expected = last if multiple < 1 else worse
    np.testing.assert_array_equal(point, ball.clip(expected[None])[0])


@pytest.mark.parametrize(
    "error", [np.linalg.LinAlgError(), FloatingPointError(), OverflowError(), Ambiguous()], ids=repr
)
def test_nothing_is_raised_on_records_of_the_ball(error, monkeypatch):
    ball = BALLS[4]
    for name in ("solve", "descend", "refine_mean"):
        monkeypatch.setattr(STATISTIC, name, broken(error))
    records, _ = neighbours(ball)
    assert inside(ball, dp.FrechetMean(ball).estimate(records, 1e-6))


def test_the_caller_s_error_state_does_not_matter():
    ball = BALLS[4]
    records, _ = neighbours(ball)
    statistic = dp.FrechetMean(ball)
    usual = statistic.estimate(records, 1e-6)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(statistic.estimate(records, 1e-6), usual)


class Fragile(dp.Euclidean):
    """A plane on which eigenvalues, so to speak, do not converge beyond a line."""

    def exp(self, p, v):
        if (p + v)[0] > 4:
            raise np.linalg.LinAlgError("did not converge")
        return p + v

    def log_and_hessian(self, p, q):
        if not p[0] <= 3.5:
            raise np.linalg.LinAlgError("did not converge")
        return q - p, lambda v: v / 3  # too flat, so that steps are too long


def test_a_step_that_raises_is_shortened_too():
    points = np.array([[3.0, 0.0], [3.0, 2.0]])
    result = solver.solve(Passes.over(Fragile(2), points), tol=1e-9, start=np.zeros(2))
    np.testing.assert_allclose(result.point, [3.0, 1.0], atol=1e-8)
    lost = solver.solve(Passes.over(Fragile(2), points), tol=1e-9, start=np.array([4.0, 0.0]))
    assert np.isnan(lost.gradient_norm)


# --- the proved descent --------------------------------------------------------------------------


@each_ball
def test_descent_arrives_within_the_proved_passes_from_anywhere(ball):
    goal = 1e-9 * ball.radius
    plan = plan_descent(ball.radius, *ball.space.curvature_bounds, goal)
    for seed in range(3):
        records, _ = neighbours(ball, seed=seed)
        start = in_ball(ball, -np.eye(ball.space.dim)[:1])[0]
        passes = Passes.over(ball.space, records)
        found = solver.descend(passes, tol=goal, start=start, descent=plan)
        assert found.gradient_norm <= goal
        assert found.passes <= plan.passes


@pytest.mark.parametrize(
    "ball", [BALLS[0], BALLS[1], BALLS[2], BALLS[9]], ids=lambda b: f"{b.space.spec}-{b.radius:.3g}"
)
def test_steps_of_the_proved_length_stay_in_the_ball(ball):
    """From the boundary, where a step could leave, towards averages of boundary records."""
    space = ball.space
    plan = plan_descent(ball.radius, *space.curvature_bounds, 1e-9)
    rng = np.random.default_rng(5)
    v = rng.normal(size=(200, space.dim))
    rim = in_ball(ball, v / np.linalg.norm(v, axis=1, keepdims=True))
    for x in rim[:10]:
        logs = space.log(x, rim)
        means = (logs[:, None] + logs[None, :]) / 2
        for step in (plan.step / 2, plan.step):
            assert np.max(space.dist(ball.center, space.exp(x, step * means))) <= ball.radius
    assert np.max(space.dist(ball.center, space.exp(x, 1.2 * logs))) > ball.radius


@pytest.mark.parametrize("ball", [BALLS[4], BALLS[8]], ids=[NAMES[4], NAMES[8]])
def test_steps_are_short_enough_for_the_farthest_records(ball):
    k_min, k_max = ball.space.curvature_bounds
    farthest = 4 * ball.radius * np.sqrt(-k_min)
    step = plan_descent(ball.radius, k_min, k_max, 1e-9).step
    assert step == pytest.approx(np.tanh(farthest) / farthest, rel=1e-12)


def test_mixed_curvature_has_no_proved_rate():
    with pytest.raises(ValueError, match="both signs"):
        plan_descent(0.1, -1.0, 1.0, 1e-9)


# --- rounding ------------------------------------------------------------------------------------


def test_the_sum_of_many_logs_loses_no_more_than_is_counted():
    column = np.random.default_rng(3).uniform(0.5, 1.0, size=40_001)
    rows = np.stack([column, 0 * column], axis=1)
    assert len(list(passes.slices(rows))) > 1
    exact = float(sum(map(Fraction, column)) / len(column))
    found = Passes.over(dp.Euclidean(2), rows).evaluate(np.zeros(2)).gradient_norm
    counted = (np.ceil(np.log2(len(column))) + 6) * np.finfo(float).eps / 2 * exact
    plain = np.sum(rows / len(column), axis=0)[0]
    assert abs(found - exact) <= counted < abs(plain - exact)


@each_ball
def test_one_rounding_of_each_log_is_an_eighth_of_the_log_rounding(ball):
    """What the page on tolerance takes for granted: the sum costs an eighth for each addition."""
    space = ball.space
    rng = np.random.default_rng(4)
    records, _ = neighbours(ball, n=30)
    allowed = space.log_rounding(ball.center, ball.radius) / 8
    unit = np.finfo(float).eps / 2
    for p in (ball.center, *records[:5]):
        logs = space.log(p, records)
        signs = rng.choice([-1.0, 1.0], size=(200, 1, *space.point_shape))
        if len(space.point_shape) == 2:  # matrices stay symmetric
            signs = np.triu(signs) + np.swapaxes(np.triu(signs, 1), -1, -2)
        changes = space.norm(p, np.mean(unit * signs * np.abs(logs.real), axis=1))
        assert np.max(changes) <= allowed


WIDE = [
    dp.Ball(dp.SPD(2), np.eye(2), 9.0),
    dp.Ball(dp.SPD(3), [[1e4, 5e3, 1], [5e3, 1e4, 2], [1, 2, 1e-2]], 3.0),
    dp.Ball(dp.Hyperbolic(2), [np.sinh(8), 0, np.cosh(8)], 8.0),
    dp.Ball(dp.SPD(2, metric="log-euclidean"), np.diag([1e-6, 1.0]), 5.0),
]


@pytest.mark.parametrize("ball", BALLS + WIDE, ids=lambda b: f"{b.space.spec}-{b.radius:.3g}")
def test_float_gradients_err_by_no_more_than_the_rounding(ball):
    """At the centre, at records and at the mean; with the room for the length of the vector."""
    statistic = dp.FrechetMean(ball)
    for seed in range(3):
        records, _ = neighbours(ball, n=6, seed=seed)
        mean = statistic.estimate(records, statistic.tolerance(6))
        for at in (ball.center, records[0], mean):
            found = Passes.over(ball.space, records).evaluate(at).gradient_norm
            exact = precision.gradient_norm(ball.space, at, records)
            assert abs(found - exact) <= statistic._rounding(6) + exact / 16
        assert precision.gradient_norm(ball.space, mean, records) <= statistic.tolerance(6)


@each_ball
@pytest.mark.parametrize("n", [1, 1000, 10**9])
def test_the_tolerance_counts_the_sum_of_the_logs(ball, n):
    """With room for the projection, which the Hessian on the ball may stretch."""
    one = ball.space.log_rounding(ball.center, ball.radius)
    added = (np.ceil(np.log2(n)) + 6) * np.finfo(float).eps * ball.radius
    k_min, _ = ball.space.curvature_bounds
    widest = 2 * ball.radius * np.sqrt(max(0.0, -k_min))
    stretch = widest / np.tanh(widest) if k_min < 0 else 1.0
    statistic = dp.FrechetMean(ball)
    assert statistic._rounding(n) >= one + added
    assert statistic.tolerance(n) >= 3.999 * stretch * statistic._rounding(n)
