"""Audit of the Laplace mechanisms: the loss reaches the promised epsilon and never exceeds it.

The worst neighbours go through the package's own clipping, mean and calibration; the densities are
the audit's. Each mutant breaks one thing that the promise rests on, and the audit must notice.
"""

from dataclasses import replace

import numpy as np
import pytest
from mechanisms_audit import Density, losses, worst_loss

import geomdp as dp
from geomdp.audit.claims import probability_bounds
from geomdp.mechanisms.ball_constant import fixed_point_factor
from geomdp.noise.entropy import SeededEntropy

UP_TO_ROUNDING = 1 + 1e-9
RADIUS = np.pi / 8
POLE = np.array([0.0, 0.0, 1.0])
DRAWS = 100_000


def on_sphere(angle, toward):
    return np.cos(angle) * POLE + np.sin(angle) * np.asarray(toward, dtype=float)


def sphere_neighbours(n=51, radius=RADIUS):
    """Antipodal boundary points; the last record crosses the perpendicular diameter."""
    half = (n - 1) // 2
    side = [on_sphere(radius, [0, 1, 0])] * half + [on_sphere(radius, [0, -1, 0])] * half
    return tuple(np.array([*side, on_sphere(radius, [s, 0, 0])]) for s in (1, -1))


def spd_neighbours(n=20, radius=1.0):
    """All records on one geodesic; the last moves from one end to the other."""
    direction = np.diag([1.0, -1.0]) / np.sqrt(2)
    space = dp.SPD(2)
    lengths = np.concatenate([np.linspace(-radius, radius, n - 1), [radius]])
    first = space.exp(np.eye(2), lengths[:, None, None] * direction)
    second = np.array(first)
    second[-1] = space.exp(np.eye(2), -radius * direction)
    return first, second


def boundary_neighbours(n=50, radius=RADIUS):
    """All records at one boundary point; the last moves to the opposite one."""
    first = np.array([on_sphere(radius, [1, 0, 0])] * n)
    second = np.array(first)
    second[-1] = on_sphere(radius, [-1, 0, 0])
    return first, second


def sphere_plan(n, epsilon=1.0, mechanism="laplace"):
    ball = dp.Ball(dp.Sphere(2), POLE, RADIUS)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism=mechanism)


def spd_plan(n, epsilon=1.0, radius=1.0):
    ball = dp.Ball(dp.SPD(2), np.eye(2), radius)
    return dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(epsilon), mechanism="laplace")


def released(plan, records, scale=None):
    """Law of a release, with the scale that the plan has, or a mutant's."""
    footpoint = plan.calibration.estimate(plan.statistic.encode(records))
    ball = plan.statistic.ball if plan.mechanism == "laplace-ball" else None
    return Density(plan.statistic.space, footpoint, scale or plan.scale, ball)


CASES = {
    "sphere": (sphere_plan, sphere_neighbours, 51),
    "spd": (spd_plan, spd_neighbours, 20),
}


@pytest.fixture(params=CASES)
def case(request):
    return CASES[request.param]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_loss_reaches_epsilon_and_stays_below(case, epsilon):
    make_plan, neighbours, n = case
    plan = make_plan(n, epsilon)
    loss = worst_loss(*(released(plan, d) for d in neighbours(n)))
    assert 0.95 * epsilon <= loss <= epsilon * UP_TO_ROUNDING


def test_random_neighbours_stay_below(case):
    make_plan, _, n = case
    plan = make_plan(n)
    space, ball = plan.statistic.space, plan.statistic.ball
    rng = np.random.default_rng(0)
    for _ in range(5):
        v = rng.normal(size=(n + 1, space.dim)) * ball.radius
        points = space.move(ball.center, space.exp(space.origin(v), space.from_frame(v)))
        points = space.canonical(points)
        first, second = points[:-1], np.concatenate([points[:-2], points[-1:]])
        assert worst_loss(released(plan, first), released(plan, second)) <= UP_TO_ROUNDING


# --- mutants ----------------------------------------------------------------------------------


def test_mutant_with_too_small_a_scale_is_caught(case):
    make_plan, neighbours, n = case
    plan = make_plan(n)
    loss = worst_loss(*(released(plan, d, plan.scale / 1.2) for d in neighbours(n)))
    assert loss > 1.15


def far_record(space):
    """A record far outside the ball."""
    if space.spec == "spd:2":
        return np.diag([np.exp(6.0), 1.0])
    return on_sphere(3.0 * RADIUS, [1, 0, 0])


def test_mutant_without_clipping_is_caught(case):
    make_plan, neighbours, n = case
    plan = make_plan(n)
    first, second = neighbours(n)
    second[-1] = far_record(plan.statistic.space)
    assert worst_loss(released(plan, first), released(plan, second)) <= UP_TO_ROUNDING

    def unclipped(records):
        space = plan.statistic.space
        mean = dp.frechet_mean(space, records, start=plan.statistic.ball.center).point
        return Density(space, mean, plan.scale)

    first[-1] = plan.statistic.ball.center
    assert worst_loss(unclipped(first), unclipped(second)) > 1.2


def test_mutant_with_the_radius_from_the_data_is_caught(case):
    make_plan, _, n = case
    public = make_plan(n).statistic.ball
    space = public.space
    rng = np.random.default_rng(1)
    v = 0.02 * rng.normal(size=(n, space.dim))
    first = space.canonical(
        space.move(public.center, space.exp(space.origin(v), space.from_frame(v)))
    )
    second = np.array(first)
    second[-1] = public.clip(far_record(space)[None])[0]

    def from_the_data(records):
        radius = float(np.max(space.dist(public.center, records)))
        ball = dp.Ball(space, public.center, radius)
        plan = dp.plan(dp.FrechetMean(ball), n=n, budget=dp.Pure(1), mechanism="laplace")
        return released(plan, records)

    assert worst_loss(from_the_data(first), from_the_data(second)) > 2.0


RESTRICTED = [(1.0, 1.34), (0.1, 1.62)]


@pytest.mark.parametrize(("epsilon", "reached"), RESTRICTED)
def test_mutant_that_forgets_the_constant_of_the_restricted_law_is_caught(epsilon, reached):
    plan = sphere_plan(50, epsilon, "laplace-ball")
    too_small = plan.sensitivity.value / epsilon
    loss = worst_loss(*(released(plan, d, too_small) for d in boundary_neighbours()))
    assert loss > reached * epsilon


@pytest.mark.parametrize(("epsilon", "reached"), RESTRICTED)
def test_restricted_law_with_its_own_scale_is_private(epsilon, reached):
    plan = sphere_plan(50, epsilon, "laplace-ball")
    assert plan.scale < 2 * plan.sensitivity.value / epsilon
    loss = worst_loss(*(released(plan, d) for d in boundary_neighbours()))
    assert 0.75 * epsilon < loss <= epsilon * UP_TO_ROUNDING
    twice = 2 * plan.sensitivity.value / epsilon
    loss = worst_loss(*(released(plan, d, twice) for d in boundary_neighbours()))
    assert loss <= epsilon * UP_TO_ROUNDING


@pytest.mark.parametrize("epsilon", [1.0, 0.1])
def test_restricted_law_at_every_pair_of_footpoints(epsilon):
    """Footpoints a sensitivity apart along each radius, whether or not data can produce them."""
    plan = sphere_plan(50, epsilon, "laplace-ball")
    delta, ball = plan.sensitivity.value, plan.statistic.ball
    worst = 0.0
    for offset in np.linspace(delta, RADIUS, 12):
        pair = [
            Density(ball.space, on_sphere(a, [1, 0, 0]), plan.scale, ball)
            for a in (offset, offset - delta)
        ]
        # On the axis of the two footpoints the distances differ by delta, the most they can.
        worst = max(worst, delta / plan.scale + abs(np.subtract(*(p.log_constant() for p in pair))))
    assert 0.8 * epsilon < worst <= epsilon * UP_TO_ROUNDING


@pytest.mark.parametrize(("epsilon", "factor"), [(1.0, 1.663), (0.1, 1.790)])
def test_fixed_point_of_the_restricted_law(epsilon, factor):
    ball = dp.Ball(dp.Sphere(2), POLE, RADIUS)
    unit = 2 * np.tan(RADIUS) / 50 / epsilon
    assert fixed_point_factor(ball, unit) == pytest.approx(factor, abs=0.02)


# --- draws ------------------------------------------------------------------------------------


def audit_by_draws(plan, neighbours, scale=None, size=DRAWS):
    """Bounds on epsilon from the event that the loss is large, chosen on other draws."""
    laws = [released(plan, d, scale) for d in neighbours]
    calibration = replace(plan.calibration, scale=scale or plan.scale)

    def sampled_losses(seed):
        for i, records in enumerate(neighbours):
            entropy = SeededEntropy(2 * seed + i)
            encoded = plan.statistic.encode(records)
            yield losses(*laws, plan._mechanism.draw(calibration, encoded, entropy, size))

    def bounds(threshold, pair):
        counts = [np.sum(sample > threshold) for sample in pair]
        low, high = probability_bounds(np.array(counts), size, 5e-5)
        with np.errstate(divide="ignore"):
            return float(np.log(low[0] / high[1])), float(np.log(high[0] / low[1]))

    pilot = list(sampled_losses(0))
    candidates = np.linspace(0.3, 0.97, 15) * worst_loss(*laws)
    threshold = max(candidates, key=lambda t: bounds(t, pilot)[0])
    return bounds(threshold, list(sampled_losses(1)))


@pytest.mark.slow
def test_draws_bracket_epsilon(case):
    make_plan, neighbours, n = case
    plan = make_plan(n)
    low, high = audit_by_draws(plan, neighbours(n))
    assert 0.8 < low <= 1.0 <= 1.1 * high
    low, _ = audit_by_draws(plan, neighbours(n), scale=plan.scale / 1.2)
    assert low > 1.0


@pytest.mark.slow
def test_draws_of_the_restricted_law_bracket_epsilon():
    """The loss is large in a corner of the ball only, so that this takes more draws."""
    plan = sphere_plan(50, 1.0, "laplace-ball")
    low, high = audit_by_draws(plan, boundary_neighbours(), size=5 * DRAWS)
    assert 0.5 < low <= 1.0 <= 1.5 * high
    forgot = plan.sensitivity.value
    low, _ = audit_by_draws(plan, boundary_neighbours(), scale=forgot, size=5 * DRAWS)
    assert low > 1.0


# --- refusals ---------------------------------------------------------------------------------


def test_existence_condition_is_checked():
    with pytest.raises(dp.errors.MechanismRefusedError, match="exists only for a scale below") as e:
        spd_plan(2, epsilon=0.5)
    assert "times as many records" in str(e.value)
    assert spd_plan(2, epsilon=1.5).scale < 1 / dp.SPD(2).laplace_rate_limit


@pytest.mark.parametrize("mechanism", ["laplace", "laplace-ball"])
def test_other_budgets_are_refused(mechanism):
    ball = dp.Ball(dp.Sphere(2), POLE, RADIUS)
    with pytest.raises(ValueError, match="needs a pure"):
        dp.plan(dp.FrechetMean(ball), n=50, budget=dp.GDP(1), mechanism=mechanism)


def test_restriction_needs_a_ball():
    with pytest.raises(ValueError, match="public ball"):
        dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), mechanism="laplace-ball")
