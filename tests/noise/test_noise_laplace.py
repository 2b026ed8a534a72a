"""Draws follow the Laplace law: moments, distribution, directions, acceptance."""

import json
from pathlib import Path

import numpy as np
import pytest
from noise_laws import (
    gamma_radius,
    hyperbolic_radius,
    law_id,
    spd2_plane_radius,
    spd2_radius,
    spd_radius,
    sphere_radius,
)
from scipy import stats

from geomdp.noise.directions import uniforms_for_normals, unit_vectors
from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.radial_law import BallLaplaceLaw, LaplaceLaw
from geomdp.noise.rejection import acceptance_rate, draw_floats
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, Sphere

REFERENCE = Path(__file__).parents[1] / "fixtures/reference/reference_values.json"
DRAWS = 40_000
#: A test statistic beyond these would be seen once in a million runs of a right program.
Z_LIMIT = 5.0
P_LIMIT = 1e-6


def footpoint(space):
    """A point away from the origin."""
    v = np.full(space.dim, 0.3 / np.sqrt(space.dim))
    return space.canonical(space.exp(space.origin(v), space.from_frame(v)))


def radii(space, scale, seed=0):
    foot = footpoint(space)
    # The fewer dimensions, the wider the radius spreads, and the more draws a 3% error needs.
    size = DRAWS if space.dim > 1 else 5 * DRAWS
    return space.dist(foot, draw_floats(LaplaceLaw(space, foot, scale), SeededEntropy(seed), size))


def z_scores(sample, first, second):
    """How many standard errors the sample's first two moments are off."""
    root = np.sqrt(sample.size)
    return [
        (np.mean(sample**power) - moment) / (np.std(sample**power) / root)
        for power, moment in ((1, first), (2, second))
    ]


def golden_moments():
    values = json.loads(REFERENCE.read_text(encoding="utf-8"))
    spheres = [(Sphere(v["d"]), v) for v in values["sphere_laplace"]]
    matrices = [(SPD(2), v) for v in values["spd2_affine_invariant_laplace"]["values"]]
    return [(s, v["sigma"], v["E_dist"], v["E_dist2"]) for s, v in spheres + matrices]


@pytest.mark.parametrize(("space", "scale", "first", "second"), golden_moments(), ids=law_id)
def test_moments_against_golden_values(space, scale, first, second):
    assert np.max(np.abs(z_scores(radii(space, scale), first, second))) < Z_LIMIT
    if scale <= 0.1:
        # Noise that is wrong by 3% is noticed (at larger scales the sphere ends before it shows).
        assert np.max(np.abs(z_scores(radii(space, 1.03 * scale), first, second))) > Z_LIMIT


LAWS = [
    (Sphere(1), 0.1, lambda s: sphere_radius(1, s)),
    (Sphere(2), 0.0166, lambda s: sphere_radius(2, s)),
    (Sphere(2), 0.3, lambda s: sphere_radius(2, s)),
    (Sphere(10), 0.02, lambda s: sphere_radius(10, s)),
    (Euclidean(3), 2.0, lambda s: gamma_radius(3, s)),
    (Hyperbolic(3), 0.3, lambda s: hyperbolic_radius(3, s)),
    (SPD(2), 0.1, spd2_radius),
    (SPD(2), 0.6, spd2_radius),
    (SPD(3), 0.25, lambda s: spd_radius(3, s)),
    (SPD(3, metric="log-euclidean"), 0.5, lambda s: gamma_radius(6, s)),
]


@pytest.mark.parametrize(("space", "scale", "distribution"), LAWS, ids=law_id)
def test_radius_has_the_right_distribution(space, scale, distribution):
    right = distribution(scale)
    assert stats.kstest(radii(space, scale), right).pvalue > P_LIMIT
    for wrong in (scale / 1.03, scale * 1.03):
        assert stats.kstest(radii(space, wrong), right).pvalue < P_LIMIT


def test_directions_on_spd_are_weighted_by_the_volume():
    """The distance in the hyperbolic plane inside SPD(2) shows whether J / B was paid."""
    scale, space = 0.7, SPD(2)

    def plane_distance(points):
        unit = points / np.sqrt(np.linalg.det(points))[:, None, None]
        return space.dist(np.eye(2), unit)

    law = LaplaceLaw(space, np.eye(2), scale)
    right = spd2_plane_radius(scale)
    assert (
        stats.kstest(plane_distance(draw_floats(law, SeededEntropy(1), DRAWS)), right).pvalue
        > P_LIMIT
    )
    # The mutant takes directions uniformly, with the right radii.
    rng = np.random.default_rng(0)
    t = space.dist(np.eye(2), draw_floats(law, SeededEntropy(2), DRAWS))
    v = rng.normal(size=(DRAWS, 3))
    v *= (t / np.linalg.norm(v, axis=1))[:, None]
    mutant = space.exp(np.eye(2), space.from_frame(v))
    assert stats.kstest(plane_distance(mutant), right).pvalue < P_LIMIT


@pytest.mark.parametrize("space", [Sphere(2), Sphere(6), Euclidean(4), Hyperbolic(3)], ids=law_id)
def test_directions_are_uniform(space):
    origin = space.origin(np.zeros(1))
    points = draw_floats(LaplaceLaw(space, origin, 0.1), SeededEntropy(3), DRAWS)
    logs = space.log(origin, points)[:, : space.dim]
    unit = logs / np.linalg.norm(logs, axis=1, keepdims=True)

    def worst_z(u):
        first = np.mean(u, axis=0) * np.sqrt(DRAWS * space.dim)
        products = u[:, :, None] * u[:, None, :] - np.eye(space.dim) / space.dim
        second = np.mean(products, axis=0) / (np.std(products, axis=0) / np.sqrt(DRAWS))
        return max(np.max(np.abs(first)), np.max(np.abs(second)))

    assert worst_z(unit) < Z_LIMIT
    squeezed = unit * np.concatenate([[1.08], np.ones(space.dim - 1)])
    assert worst_z(squeezed / np.linalg.norm(squeezed, axis=1, keepdims=True)) > Z_LIMIT


ENVELOPE_TABLE = [
    (2, (0.998, 0.973, 0.891, 0.749)),
    (10, (0.999, 0.986, 0.906, 0.595)),
    (30, (0.999, 0.973, 0.693, 0.072)),
]


@pytest.mark.parametrize(("k", "rates"), ENVELOPE_TABLE)
def test_acceptance_of_the_spd_envelope(k, rates):
    """Mean of J / B when the radius has the density of the envelope."""
    space = SPD(k)
    size = 8000 if k < 30 else 1500
    u = SeededEntropy(5).uniforms((size, uniforms_for_normals(space.dim)))
    directions = unit_vectors(u, space.dim)
    for share, rate in zip((0.05, 0.2, 0.4, 0.6), rates, strict=True):
        scale = share / space.laplace_rate_limit
        t = _envelope_radii(space, scale, size)
        ratio = np.exp(space.log_volume_density(t, directions) - space.log_volume_envelope(t))
        error = np.std(ratio) / np.sqrt(size)
        assert np.max(ratio) <= 1 + 1e-9
        assert abs(np.mean(ratio) - rate) < 0.0011 + 4 * error


def _envelope_radii(space, scale, size):
    """Stratified quantiles of the envelope law, in random order."""
    hat = LaplaceLaw(space, space.origin(np.zeros(1)), scale).hat
    t = np.linspace(0, hat.right + 40 / hat.fall, 200_001)[1:]
    logs = space.log_volume_envelope(t) - t / scale
    cdf = np.cumsum(np.exp(logs - np.max(logs)))
    u = (np.random.default_rng(6).permutation(size) + 0.5) / size
    return np.interp(u, cdf / cdf[-1], t)


def test_total_acceptance_is_hat_times_envelope():
    law = LaplaceLaw(SPD(2), np.eye(2), 0.05 / SPD(2).laplace_rate_limit)
    assert 0.88 < acceptance_rate(law, SeededEntropy(0)) < 0.99


def test_proposals_do_not_look_at_the_footpoint():
    u = SeededEntropy(8).uniforms((50, 5))
    for space in (Sphere(3), SPD(2)):
        here = LaplaceLaw(space, footpoint(space), 0.1)
        there = LaplaceLaw(space, space.origin(np.zeros(1)), 0.1)
        for a, b in zip(here.propose(u), there.propose(u), strict=True):
            assert np.array_equal(a, b)


def test_draws_are_moved_by_an_isometry():
    space = SPD(3)
    a, b = footpoint(space), space.origin(np.zeros(1))
    here, there = (draw_floats(LaplaceLaw(space, p, 0.1), SeededEntropy(8), 100) for p in (a, b))
    assert np.allclose(space.dist(a, here), space.dist(b, there), rtol=1e-9)
    assert np.allclose(here, space.move(a, there))


def test_draws_repeat_by_seed():
    law = LaplaceLaw(Sphere(2), np.array([0.0, 0.0, 1.0]), 0.1)
    first, again, other = (draw_floats(law, SeededEntropy(seed), 50) for seed in (1, 1, 2))
    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)


def test_restricted_law_is_the_free_law_given_the_ball():
    """Same law as throwing away what falls outside; the wrong scale is noticed."""
    ball = Ball(Sphere(2), [0, 0, 1], 0.5)
    foot = footpoint(ball.space)

    def heights(law, seed):
        points = draw_floats(law, SeededEntropy(seed), DRAWS)
        return points[ball.space.dist(ball.center, points) <= ball.radius] @ foot

    free = heights(LaplaceLaw(ball.space, foot, 0.2), 1)
    kept = heights(BallLaplaceLaw(ball, foot, 0.2), 2)
    assert kept.size == DRAWS
    assert stats.ks_2samp(free, kept).pvalue > P_LIMIT
    assert stats.ks_2samp(heights(LaplaceLaw(ball.space, foot, 0.22), 1), kept).pvalue < P_LIMIT
