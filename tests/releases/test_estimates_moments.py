"""What follows from released moments: coverage of regions, level of tests, samples."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.encoded import Encoded


def spread(space, n, rng, shift=0.0):
    """Records about a point that is not the centre, more spread out along one axis."""
    scale = 0.15 / np.sqrt(1 + np.arange(space.dim))
    logs = scale * rng.standard_normal((n, space.dim)) + np.r_[0.1 + shift, np.zeros(space.dim - 1)]
    return np.asarray(space.frame_exp(space.origin(np.zeros(space.dim)), logs))


def simulated(plan, points, seed):
    """A release with seeded noise, for tests that need many."""
    encoded = Encoded.of(plan.statistic.encode(points))
    value = plan._mechanism.draw(plan.calibration, encoded, SeededEntropy(seed))[0]
    return dp.moments_of(dp.Release(plan, value, {}))


def planned(space, n, budget=None):
    ball = dp.Ball(space, space.origin(np.zeros(space.dim)), 0.45)
    return dp.plan(dp.Moments(ball), n=n, budget=budget or dp.GDP(1))


@pytest.mark.parametrize(
    ("space", "n", "mu"),
    [(dp.Sphere(2), 150, "1"), (dp.SPD(2), 200, "1"), (dp.Sphere(2), 150, "0.2")],
)
def test_confidence_regions_cover_the_expected_clipped_log(space, n, mu):
    plan, rng = planned(space, n, dp.GDP(mu)), np.random.default_rng(1)
    many = plan.statistic.encode(spread(space, 50_000, rng))
    truth = np.mean(many, axis=0)
    covered = naive = 0
    for seed in range(150):
        found = simulated(plan, spread(space, n, rng), seed)
        region = found.confidence_region(0.95)
        covered += bool(region.contains_coordinates(truth))
        away = found.coordinates - truth
        sampling = found.n * away @ np.linalg.solve(np.cov(many.T), away)
        naive += bool(sampling <= region.threshold)
    assert covered / 150 >= 0.93
    assert naive / 150 < 0.9  # where privacy noise is ignored


def test_covariance_and_dispersion_are_right_where_noise_is_small():
    space = dp.Euclidean(3)
    plan, rng = planned(space, 200_000), np.random.default_rng(0)
    points = spread(space, 200_000, rng)
    logs = plan.statistic.encode(points)
    found = simulated(plan, points, 3)
    assert found.covariance == pytest.approx(np.cov(logs.T), abs=2e-4)
    assert found.dispersion == pytest.approx(np.trace(np.cov(logs.T)), abs=5e-4)
    pure = simulated(planned(space, 200_000, dp.Pure(1)), points, 3)
    assert pure.dispersion == pytest.approx(found.dispersion, abs=5e-4)
    assert found.edge == pytest.approx(4 * np.sqrt(3) * 0.45**2 / 200_000, rel=1e-6)


def test_principal_geodesics_are_those_above_the_noise():
    space, rng = dp.Sphere(2), np.random.default_rng(0)
    found = simulated(planned(space, 5000), spread(space, 5000, rng), 1)
    strongest, second = found.principal_geodesics()
    assert abs(strongest.direction[0]) > 0.95
    assert strongest.deviation == pytest.approx(0.15, rel=0.1)
    assert second.deviation < strongest.deviation
    points = strongest.points(np.array([-1.0, 0.0, 1.0]))
    assert points[1] == pytest.approx(found.mean, abs=1e-12)
    plan, points = planned(space, 60, dp.GDP("0.2")), spread(space, 60, rng)
    few = [simulated(plan, points, seed) for seed in range(40)]
    assert sum(len(one.principal_geodesics()) for one in few) <= 16  # of 80
    assert any("0 of 2 principal components" in one.describe() for one in few)


def test_synthetic_samples_have_the_released_moments():
    space, rng = dp.Sphere(2), np.random.default_rng(0)
    found = simulated(planned(space, 5000), spread(space, 5000, rng), 1)
    sample = found.synthetic(20_000, seed=0)
    assert space.contains(sample)
    logs = np.asarray(space.frame_log(found.ball.center, sample))
    assert np.mean(logs, axis=0) == pytest.approx(found.coordinates, abs=0.005)
    assert np.cov(logs.T) == pytest.approx(found.covariance, abs=0.001)


def test_comparisons_hold_their_level_and_have_power():
    space, rng = dp.Sphere(2), np.random.default_rng(4)
    plan = planned(space, 300)
    same = different = 0
    for seed in range(100):
        a, b, c = (
            simulated(plan, spread(space, 300, rng, shift), 3 * seed + i)
            for i, shift in enumerate((0.0, 0.0, 0.075))
        )
        same += dp.compare(a, b).p_value < 0.05
        different += dp.compare(a, c).p_value < 0.05
    assert same <= 5
    assert different > 50


def test_sites_combine_by_their_precision():
    space, rng = dp.Sphere(2), np.random.default_rng(4)
    sites = [simulated(planned(space, n), spread(space, n, rng), n) for n in (100, 400, 1600)]
    joint = dp.combine(sites)
    widths = [site.confidence_region().half_axes[0] for site in sites]
    assert joint.confidence_region().half_axes[0] < min(widths)
    assert space.dist(joint.mean, sites[2].mean) < space.dist(joint.mean, sites[0].mean)
    assert space.contains(joint.mean)
    with pytest.raises(GeomdpError, match="nothing to combine"):
        dp.combine([])


def test_what_does_not_belong_together_is_refused():
    space, rng = dp.Sphere(2), np.random.default_rng(4)
    one = simulated(planned(space, 100), spread(space, 100, rng), 0)
    moved = dp.Ball(space, [0.0, 0.6, 0.8], 0.45)
    wider = dp.Ball(space, one.ball.center, 0.5)
    for ball, reason in ((moved, "one centre"), (wider, "clipped")):
        plan = dp.plan(dp.Moments(ball), n=100, budget=dp.GDP(1))
        with pytest.raises(GeomdpError, match=reason):
            dp.compare(one, simulated(plan, spread(space, 100, rng), 0))
    pure = simulated(planned(space, 100, dp.Pure(1)), spread(space, 100, rng), 0)
    with pytest.raises(GeomdpError, match="no covariance"):
        pure.confidence_region()
    with pytest.raises(GeomdpError, match="level"):
        one.confidence_region(1.0)
    groups = dp.plan(dp.Moments(one.ball), n={"a": 50, "b": 50}, budget=dp.GDP(1))
    points = dp.Records(spread(space, 100, rng), group=["a"] * 50 + ["b"] * 50)
    with pytest.raises(GeomdpError, match="take a part"):
        dp.moments_of(groups.release(points))


def test_the_whole_pipeline_from_a_prior_that_knows_nothing():
    space = dp.Sphere(2)
    points = spread(space, 1000, np.random.default_rng(0))
    asked = dp.Refined(dp.Moments(dp.Ball.whole(space)))
    for budget in (dp.GDP(1), dp.ZCDP("0.5"), dp.Pure(1)):
        found = dp.moments_of(dp.plan(asked, n=1000, budget=budget).release(points))
        assert found.ball.radius < 2
        assert float(space.dist(found.mean, dp.frechet_mean(space, points).point)) < 0.1
    found = dp.moments_of(dp.plan(asked, n=1000, budget=dp.GDP(1)).release(points))
    assert found.bias_bound < 3
