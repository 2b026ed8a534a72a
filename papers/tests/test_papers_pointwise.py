"""Noise on every landmark: public bounds, the paper's scale, with and without alignment."""

import numpy as np
import pytest
from scipy.stats import ks_2samp, laplace

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp_papers.mechanisms.pointwise import coordinate_bound

OUTLINE = np.exp(2j * np.pi * np.arange(10) / 10) * (1 + 0.3 * np.cos(np.arange(10)))
BALL = dp.Ball(dp.PlanarShapes(10), OUTLINE, 0.2)


def plan_for(name="pointwise-laplace", n=40, epsilon=1.0):
    return dp.plan(dp.FrechetMean(BALL), n=n, budget=dp.Pure(epsilon), mechanism=name)


def shapes(n, seed=0, spread=1.0):
    rng = np.random.default_rng(seed)
    v = rng.normal(size=(n, 16))
    v *= spread * BALL.radius / np.linalg.norm(v, axis=1)[:, None]
    turned = np.exp(2j * np.pi * rng.uniform(size=(n, 1)))
    return turned * BALL.space.frame_exp(BALL.center, v)


def test_coordinates_of_turned_shapes_stay_within_the_public_bound():
    turned = BALL.space.align(shapes(2000, spread=0.999), to=BALL.center)
    change = turned - BALL.center
    largest = max(np.abs(change.real).max(), np.abs(change.imag).max())
    assert 0.5 * coordinate_bound(BALL) < largest <= coordinate_bound(BALL)


def test_the_scale_is_the_papers_with_a_public_bound():
    plan = plan_for()
    assert plan.scale == pytest.approx(4 * coordinate_bound(BALL) * 10 / 40)
    assert plan_for("pointwise-laplace-unaligned").scale == pytest.approx(4 * 10 / 40)


def test_every_coordinate_has_laplace_noise():
    # A tiny noise loses three of its 2k dimensions: two to centring, one to the norm.
    plan = plan_for(epsilon=1e4)
    draws = plan.simulate(BALL.center, 20_000) - BALL.center
    assert np.mean(np.sum(np.abs(draws) ** 2, axis=1)) == pytest.approx(
        17 * 2 * plan.scale**2, rel=0.02
    )
    difference = (draws[:, 0] - draws[:, 1]).real
    law = laplace(scale=plan.scale)
    pairs = law.rvs((2, 200_000), random_state=0)
    assert ks_2samp(difference, pairs[0] - pairs[1]).pvalue > 1e-3
    assert ks_2samp(difference, 1.1 * (pairs[0] - pairs[1])).pvalue < 1e-3


def test_alignment_matters():
    records = shapes(40, spread=0.3)
    mean = dp.frechet_mean(BALL.space, records).point
    aligned = plan_for(epsilon=300.0).simulate(records, 50)
    unaligned = plan_for("pointwise-laplace-unaligned", epsilon=300.0).simulate(records, 50)
    errors = [np.mean(BALL.space.dist(mean, x)) for x in (aligned, unaligned)]
    assert 3 * errors[0] < errors[1]


def test_values_are_shapes_and_the_manifest_says_comparison():
    release = plan_for().release(shapes(40))
    assert BALL.space.contains(release.value)
    assert release.manifest["comparison"] is True
    assert release.guarantee.strength == "idealised"
    assert plan_for().expected_error > plan_for("laplace").expected_error


def test_other_spaces_are_refused():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    with pytest.raises(MechanismRefusedError, match="planar shapes only"):
        dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1), mechanism="pointwise-laplace")
