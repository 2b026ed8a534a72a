"""Rotations against SciPy and the definition: quaternions and matrices, half turns, every noise."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from scipy.special import gammaincc, ndtr

import geomdp as dp
from geomdp.errors import InvalidBallError, InvalidRecordError, MechanismRefusedError
from geomdp.intervals import interval
from geomdp.mechanisms.riemannian_mu import constant_floor, projective_mu, projective_width_for
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.radial_law import LaplaceLaw
from geomdp.noise.rejection import draw_floats
from geomdp.testing import search_neighbours

SPACE = dp.Rotations()
IDENTITY = np.array([0.0, 0.0, 0.0, 1.0])


def some_rotations(n, spread=1.0, seed=0):
    return Rotation.from_rotvec(spread * np.random.default_rng(seed).standard_normal((n, 3)))


def test_distances_logs_and_matrices_are_those_of_scipy():
    p, q = some_rotations(300, seed=1), some_rotations(300, 3.0, seed=2)
    x, y = SPACE.require(p.as_quat()), SPACE.require(q.as_matrix())
    np.testing.assert_allclose(SPACE.dist(x, y), (p.inv() * q).magnitude(), atol=1e-14)
    np.testing.assert_allclose(SPACE.frame_log(x, y), (p.inv() * q).as_rotvec(), atol=1e-13)
    np.testing.assert_allclose(SPACE.matrices(y), q.as_matrix(), atol=1e-15)
    v = np.random.default_rng(3).standard_normal((300, 3))
    moved = Rotation.from_quat(SPACE.frame_exp(x, v))
    np.testing.assert_allclose(
        (moved.inv() * p * Rotation.from_rotvec(v)).magnitude(), 0, atol=1e-13
    )


def test_the_mean_is_that_of_a_plain_fixed_point():
    rotations = some_rotations(60, 0.3, seed=4)
    mean = Rotation.identity()
    for _ in range(60):
        mean = mean * Rotation.from_rotvec(np.mean((mean.inv() * rotations).as_rotvec(), axis=0))
    found = dp.frechet_mean(SPACE, SPACE.require(rotations.as_matrix())).point
    assert float(SPACE.dist(found, mean.as_quat())) < 1e-12


@pytest.mark.parametrize("flip", [1.0, -1.0])
def test_a_quaternion_and_its_opposite_are_one_point(flip):
    q = some_rotations(50, 2.0).as_quat()
    np.testing.assert_array_equal(SPACE.require(flip * q), SPACE.require(q))
    half = np.eye(4)[:3]  # half turns, real part 0
    np.testing.assert_array_equal(SPACE.require(flip * half), half)


def test_matrices_of_every_kind_become_records_one_by_one():
    good = some_rotations(4, 2.0).as_matrix()
    bad = [np.diag([1.0, 1.0, -1.0]), 2 * np.eye(3), np.full((3, 3), 1e308), np.zeros((3, 3))]
    gaps = np.full((1, 3, 3), np.nan)
    records = np.concatenate([good, bad, gaps])
    ball = dp.Ball(SPACE, IDENTITY, 1.0)
    admitted = ball.admit(records)
    assert sorted(admitted.invalid) == [4, 5, 6, 7, 8]
    assert "determinant 1" in admitted.invalid[4]
    assert "missing" in admitted.invalid[8]
    for i in range(len(records)):
        np.testing.assert_array_equal(
            ball.admit(records[i : i + 1]).records[0], admitted.records[i]
        )
    mixed = ball.admit([good[0], SPACE.require(good[1]), "no rotation"])
    np.testing.assert_array_equal(mixed.records[:2], ball.admit(good[:2]).records)
    assert sorted(mixed.invalid) == [2]
    with pytest.raises(InvalidRecordError, match=r"matrices have shape \(3, 3\)"):
        ball.admit(np.zeros((5, 3)))


def test_sensitivity_is_the_general_theorem_at_curvature_a_quarter():
    ball = dp.Ball(SPACE, IDENTITY, 1.2)
    stated = dp.FrechetMean(ball).sensitivity(10, "sharp").value
    assert stated == pytest.approx(4 * np.tan(0.6) / 10, rel=1e-4)
    worst = search_neighbours(dp.FrechetMean(ball), n=5, steps=5)
    assert worst.moved > 2 * ball.radius / 5 * 1.03  # 2r/n would not be private
    with pytest.raises(InvalidBallError, match=r"below 1\.5707"):
        dp.Ball(SPACE, IDENTITY, np.pi / 2)
    with pytest.raises(MechanismRefusedError, match=r"kng needs a radius below 1\.5"):
        dp.plan(
            dp.FrechetMean(dp.Ball(SPACE, IDENTITY, np.pi / 2 * (1 - 1e-7))),
            n=50,
            budget=dp.Pure(1),
            mechanism="kng",
        )


@pytest.mark.parametrize(
    ("mechanism", "budget"),
    [
        ("laplace", dp.Pure(1)),
        ("laplace-ball", dp.Pure(1)),
        ("kng", dp.Pure(1)),
        ("wrapped-laplace", dp.Pure(1)),
        ("wrapped-gaussian", dp.GDP(1)),
        ("riemannian-gaussian", dp.GDP(1)),
    ],
)
def test_every_mechanism_releases_a_rotation_near_the_mean(mechanism, budget):
    ball = dp.Ball(SPACE, IDENTITY, 0.8)
    records = some_rotations(400, 0.2, seed=5)
    release = dp.plan(dp.FrechetMean(ball), n=400, budget=budget, mechanism=mechanism).release(
        records.as_matrix()
    )
    mean = dp.frechet_mean(SPACE, SPACE.require(records.as_quat())).point
    assert SPACE.contains(release.value)
    assert float(SPACE.dist(mean, release.value)) < 0.2


def test_radii_of_laplace_noise_follow_the_volume():
    """Quadrature of ``4 sin^2(t/2) exp(-t/s)`` on [0, pi], by another code."""
    scale = 0.6
    draws = draw_floats(LaplaceLaw(SPACE, IDENTITY, scale), SeededEntropy(6), 4000)
    t = np.linspace(0, np.pi, 20001)
    cdf = np.cumsum(4 * np.sin(t / 2) ** 2 * np.exp(-t / scale))
    levels = np.interp(np.sort(SPACE.dist(IDENTITY, draws)), t, cdf / cdf[-1])
    assert np.max(np.abs(levels - np.arange(4000) / 4000)) < 1.95 / np.sqrt(4000)
    assert np.max(levels) > 0.99  # up to half a turn, and not beyond


@pytest.mark.parametrize("mu", [0.5, 2.0])
@pytest.mark.parametrize("shift", [0.01, 0.1])
def test_riemannian_gaussian_keeps_its_mu(shift, mu):
    """Errors of the likelihood ratio tests by quadrature on the group, against the proved mu."""
    sigma, certified = projective_width_for(shift, mu)
    t = min(np.pi / 2, 12 * sigma) * (np.arange(900) + 0.5)[:, None] / 900
    cosine = (np.arange(300) + 0.5)[None, :] / 150 - 1
    other = np.arccos(
        np.clip(np.abs(np.cos(shift) * np.cos(t) + np.sin(shift) * np.sin(t) * cosine), 0, 1)
    )
    mass = np.sin(t) ** 2 * np.exp(-(t**2) / (2 * sigma**2)) + 0 * cosine
    mass /= np.sum(mass)
    loss = (other**2 - t**2) / (2 * sigma**2)
    for epsilon in np.linspace(0, 3 * mu, 7):
        delta = np.sum(mass * np.maximum(1 - np.exp(epsilon - loss), 0))
        allowed = ndtr(mu / 2 - epsilon / mu) - np.exp(epsilon) * ndtr(-mu / 2 - epsilon / mu)
        assert delta <= allowed * (1 + 1e-3)
    assert certified <= mu
    # Little is given away: noise of four fifths the width is not private.
    assert projective_mu(shift, 0.8 * sigma) > mu


def test_riemannian_gaussian_pays_for_the_end_of_the_space():
    """Wide noise loses mass at half a turn; formula (9) of spheres alone would forget it."""
    t = np.pi / 2 * (np.arange(20000) + 0.5) / 20000
    for sigma in (0.1, 0.3, 0.5, 0.6):
        mass = np.mean(np.sin(t) ** 2 * np.exp(-(t**2) / (2 * sigma**2))) * np.pi / 2
        floor = float(constant_floor(interval(sigma)))
        assert floor <= mass / (np.sqrt(np.pi / 2) * sigma**3)
        beyond = gammaincc(1.5, (np.pi / 2) ** 2 / (2 * sigma**2))
        assert floor == pytest.approx(1 - sigma**2 - beyond, rel=1e-9)
    with pytest.raises(MechanismRefusedError, match="reach around"):
        projective_width_for(0.5, 0.2)


def test_half_turns_move_a_tangent_mean_by_twice_the_radius_at_most():
    ball = dp.Ball(SPACE, IDENTITY, np.pi, wide=True)
    mean = dp.TangentMean(ball)
    half = np.concatenate([np.eye(4)[:3], -np.eye(4)[:3], [[0.6, 0.8, 0, 1e-300]]])
    logs = mean.admit(half).records
    np.testing.assert_allclose(np.linalg.norm(logs, axis=1), np.pi)
    np.testing.assert_array_equal(logs[:3], logs[3:6])
    assert dp.Ball.whole(SPACE).radius == pytest.approx(np.pi)
