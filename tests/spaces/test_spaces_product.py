"""Products: distances, limits and noise of records that have several parts."""

import array_api_strict
import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidBallError, InvalidRecordError, MechanismRefusedError
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.noise.rejection import draw_floats
from geomdp.spaces import space_from_spec
from geomdp.testing import check_door, check_space, geometry, search_neighbours
from geomdp.testing.space import OF_ARRAYS, PROPERTIES

MIXED = dp.Product(dp.SPD(2), dp.Rotations(), weights=(2.0, 1.0))
COMPACT = dp.Product(dp.PlanarShapes(4), dp.Sphere(1))
TORUS = dp.Product(dp.Sphere(1), dp.Sphere(1), weights=(1.0, 4.0))
POSES = dp.Product(dp.Rotations(), dp.Euclidean(3), weights=(1.0, 0.25))


def some_records(space, n, spread=0.2, seed=0):
    v = spread * np.random.default_rng(seed).standard_normal((n, space.dim)) / np.sqrt(space.dim)
    return space.canonical(space.frame_exp(space.origin(np.zeros(1)), v))


def at_origin(space, radius, wide=False):
    return dp.Ball(space, space.canonical(space.origin(np.zeros(1))), radius, wide=wide)


def test_properties():
    # Parallel transport is that of the factors, and slow to climb on a ladder.
    quick = tuple(p for p in PROPERTIES if p is not geometry.transport_is_parallel)
    check_space(MIXED, properties=quick)


@pytest.mark.slow
def test_properties_of_a_compact_product():
    check_space(COMPACT)


def test_properties_of_arrays_of_another_library():
    check_space(POSES, properties=OF_ARRAYS, xp=array_api_strict)


@pytest.mark.parametrize("space", [MIXED, COMPACT, POSES], ids=lambda space: space.spec)
def test_hostile_records_become_points_of_the_ball(space):
    check_door(space, 25)


def test_the_torus_is_flat_and_wider_than_its_injectivity_radius():
    assert TORUS.curvature_bounds == (0.0, 0.0)
    assert TORUS.injectivity_radius == pytest.approx(np.pi)
    assert TORUS.farthest == pytest.approx(np.pi * np.sqrt(5))
    ball = dp.Ball.whole(TORUS)
    assert ball.radius == pytest.approx(np.pi * np.sqrt(5))
    angles = np.random.default_rng(1).uniform(-np.pi, np.pi, (200, 2))
    records = np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(200, 4)
    logs = dp.TangentMean(ball).admit(records).records
    assert np.max(np.linalg.norm(logs, axis=1)) > TORUS.injectivity_radius
    np.testing.assert_allclose(np.linalg.norm(logs, axis=1), TORUS.dist(ball.center, records))


def test_bounds_are_those_of_the_factors_over_their_weights():
    assert MIXED.curvature_bounds == (-0.25, 0.25)
    assert dp.Product(dp.Sphere(2), dp.SPD(2), weights=(0.5, 2)).curvature_bounds == (-0.25, 2.0)
    assert dp.Product(dp.Sphere(2), dp.Sphere(3)).curvature_bounds == (0.0, 1.0)
    assert dp.Product(dp.Sphere(2), dp.Euclidean(1), weights=(4, 1)).injectivity_radius == (
        pytest.approx(2 * np.pi)
    )


def test_means_are_those_of_the_factors():
    records = some_records(MIXED, 30, 0.5)
    found = MIXED.split(dp.frechet_mean(MIXED, records).point)
    for factor, part, mean in zip(MIXED.factors, MIXED.split(records), found, strict=True):
        assert float(factor.dist(dp.frechet_mean(factor, part).point, mean)) < 1e-9


def test_parts_join_into_rows_and_split_again():
    space = dp.Product(dp.PlanarShapes(3), dp.SPD(2), dp.Rotations())
    shapes = np.random.default_rng(2).standard_normal((7, 3, 2))
    turns = np.stack([np.eye(3)] * 7)
    rows = space.join(shapes, np.stack([np.eye(2)] * 7), turns)
    assert rows.shape == (7, 6 + 4 + 4)
    back = space.split(rows)
    np.testing.assert_allclose(back[0], shapes[..., 0] + 1j * shapes[..., 1])
    np.testing.assert_array_equal(back[2], np.tile([0.0, 0, 0, 1], (7, 1)))
    with pytest.raises(InvalidRecordError, match="3 parts"):
        space.join(shapes, turns)
    with pytest.raises(InvalidRecordError, match="equally many"):
        space.join(shapes, np.stack([np.eye(2)] * 6), turns)
    bad = rows.copy()
    bad[3, 6:10] = 0
    told = at_origin(space, 0.2).admit(bad).invalid
    assert "part 2 (spd:2)" in told[3]


@pytest.mark.parametrize("text", ["product:sphere:2", "product:sphere:2+nothing:1", "product"])
def test_what_is_no_product_is_refused(text):
    with pytest.raises(GeomdpError):
        space_from_spec(text)
    with pytest.raises(GeomdpError, match="product of products"):
        dp.Product(MIXED, dp.Euclidean(1))
    assert space_from_spec("product:sphere:2+euclidean:1") == dp.Product(
        dp.Sphere(2), dp.Euclidean(1)
    )


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [
        ("laplace", dp.Pure(1)),
        ("laplace-ball", dp.Pure(1)),
        ("kng", dp.Pure(1)),
        ("wrapped-laplace", dp.Pure(1)),
        ("wrapped-gaussian", dp.GDP(1)),
    ],
)
def test_mechanisms_release_points_near_the_mean(mechanism, budget):
    statistic = dp.FrechetMean(at_origin(POSES, 0.5))
    release = dp.plan(statistic, n=800, budget=budget, mechanism=mechanism).release(
        some_records(POSES, 800)
    )
    assert POSES.contains(release.value)
    assert float(POSES.dist(statistic.ball.center, release.value)) < 0.2


def test_kng_is_refused_where_curvature_has_both_signs():
    statistic = dp.FrechetMean(at_origin(MIXED, 0.3))
    with pytest.raises(MechanismRefusedError, match="one sign"):
        dp.plan(statistic, n=100, budget=dp.Pure(1), mechanism="kng")
    assert dp.plan(statistic, n=100, budget=dp.Pure(1)).mechanism in ("laplace", "wrapped-laplace")


def test_laplace_noise_fills_a_compact_product():
    """Angles on the torus by quadrature: the density of both at once, beyond its smaller radius."""
    scale = 2.0
    center = TORUS.origin(np.zeros(1))
    draws = draw_floats(LaplaceLaw(TORUS, center, scale), SeededEntropy(3), 4000)
    far = TORUS.dist(center, draws) > TORUS.injectivity_radius
    a = np.pi * (np.arange(400) + 0.5) / 400
    d = np.hypot(a[:, None], 2 * a[None, :])
    mass = np.exp(-d / scale)
    expected = np.sum(mass[d > np.pi]) / np.sum(mass)
    assert abs(np.mean(far) - expected) < 4 * np.sqrt(expected / 4000)
    assert 0.2 < expected < 0.8


def test_sensitivity_uses_the_largest_curvature():
    ball = at_origin(dp.Product(dp.Sphere(2), dp.Euclidean(1), weights=(0.25, 1.0)), 0.5)
    assert dp.FrechetMean(ball).sensitivity(10, "sharp").value == pytest.approx(
        2 * np.tan(0.5 * 2) / 2 / 10, rel=1e-4
    )
    worst = search_neighbours(dp.FrechetMean(ball), n=4, steps=0)
    assert worst.moved > 1.05 * 2 * ball.radius / 4
    with pytest.raises(InvalidBallError):
        at_origin(ball.space, np.pi / 2 / 2)


def test_a_factor_that_is_a_chart_makes_the_product_one():
    space = dp.Product(dp.SizeAndShape(5), dp.Rotations(), weights=(1.0, 0.5))
    center = space.join(np.random.default_rng(4).standard_normal((5, 3)), np.eye(3))
    ball = dp.Ball(space, center, 0.5)
    check_space(space)
    with pytest.raises(MechanismRefusedError, match="is a chart"):
        dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1))
    plan = dp.plan(dp.TangentMean(ball), n=50, budget=dp.GDP(1))
    assert space.contains(plan.release(np.tile(center, (50, 1))).value)
    line = space.join(np.outer(np.arange(5.0), [1, 2, 3]), np.eye(3))
    with pytest.raises(InvalidBallError, match="lie on a line"):
        dp.Ball(space, line, 0.5)
