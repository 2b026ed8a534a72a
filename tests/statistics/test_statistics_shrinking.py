"""Shrinking towards a public record: never worse than what was drawn, and how much better."""

import numpy as np
import pytest

from geomdp.noise.directions import normals, uniforms_for_normals
from geomdp.noise.entropy import SeededEntropy
from geomdp.statistics.shrinking import (
    effective_dimension,
    kept_by_form,
    kept_share,
    most_risk,
    noise_radius,
    pooled,
    within,
)

DRAWS = 4000
DIMENSIONS = (3, 6, 26, 96)
#: Distances of the mean from the public record, in root mean square lengths of the noise.
DISTANCES = (0.0, 0.1, 0.5, 1.0, 3.0, 10.0)


def noise_of(dim, heavy, draws=DRAWS, seed=0):
    """Draw noise of deviation 1 a coordinate: normal, or l2-Laplace as a mixture of normals."""
    z = normals(SeededEntropy(seed).uniforms((draws, uniforms_for_normals(dim))), dim)
    if not heavy:
        return z
    sizes = np.random.default_rng(seed).gamma((dim + 1) / 2, 2 / (dim + 1), draws)
    return z * np.sqrt(sizes)[:, None]


def shrunk(drawn, effective):
    return np.array([kept_share(row, 1.0, effective) * row for row in drawn])


def gain(mean, noise, weights, effective):
    """How much smaller the mean squared error becomes, and its standard error, draw by draw."""
    drawn = mean + noise
    before = np.sum(weights * noise**2, axis=1)
    after = np.sum(weights * (shrunk(drawn, effective) - mean) ** 2, axis=1)
    saved = before - after
    return np.mean(saved), np.std(saved) / np.sqrt(len(saved)), after


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("dim", DIMENSIONS)
def test_the_risk_is_never_above_that_of_what_was_drawn(dim, heavy):
    noise = noise_of(dim, heavy)
    for distance in DISTANCES:
        length = distance * np.sqrt(dim)
        for at in (np.eye(dim)[0], np.full(dim, dim**-0.5)):
            saved, error, risk = gain(length * at, noise, np.ones(dim), dim)
            assert saved > -3 * error
            if not heavy:
                room = 4 * np.std(risk) / np.sqrt(DRAWS)
                assert np.mean(risk) < most_risk(dim, 1.0, length) + room
    saved, error, _ = gain(np.zeros(dim), noise, np.ones(dim), dim)
    assert saved > 10 * error


def excess(heavy):
    """Risk above what the best factor would leave, at d 96, in variances: the largest of six."""
    noise, found = noise_of(96, heavy, 10_000), []
    for length in (0.0, 2.0, 4.0, 6.0, 9.0, 13.0):
        _, _, risk = gain(length * np.eye(96)[0], noise, np.ones(96), 96)
        found.append(np.mean(risk) - most_risk(96, 1.0, length) + 2)
    return max(found)


def test_two_variances_are_enough_for_normal_noise_and_not_for_laplace_noise():
    """The mutant of the law: 2.6 variances at d 96."""
    assert excess(False) < 2.2
    assert excess(True) > 2.3


#: One axis of the error weighs most: D is little above 2, and d is 30.
SHAPED = np.r_[1.0, np.full(29, 0.04)]


@pytest.mark.parametrize("heavy", [False, True])
def test_shaped_noise_is_shrunk_by_bock_and_never_loses(heavy):
    effective = effective_dimension(SHAPED)
    assert 2 < effective < 3
    noise = noise_of(30, heavy, 20_000)
    for length in (0.0, 1.0, 3.0, 6.0, 12.0):
        for at in (np.eye(30)[0], np.eye(30)[5]):
            saved, error, _ = gain(length * at, noise, SHAPED, effective)
            assert saved > -3 * error


def test_whitened_james_stein_on_shaped_noise_would_lose_several_times_the_noise():
    """The mutant: d in place of Bock's D, where the mean lies along the axis that weighs most."""
    noise = noise_of(30, False)
    _, _, risk = gain(5.0 * np.eye(30)[0], noise, SHAPED, 30)
    assert np.mean(risk) > 3 * np.sum(SHAPED)


def test_where_bock_has_no_room_all_is_kept():
    drawn = np.array([1.0, 2.0])
    assert kept_share(drawn, 5.0, 2.0) == 1.0
    assert kept_share(np.zeros(9), 5.0, 9.0) == 0.0
    assert kept_share(np.full(9, 1e200), 1.0, 9.0) == 1.0


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("dim", DIMENSIONS)
def test_a_region_of_the_same_radius_covers_as_often_when_it_is_recentred(dim, heavy):
    noise = noise_of(dim, heavy, 20_000)
    radius = noise_radius(0.95, dim, 1.0, heavy)
    plain = np.mean(np.linalg.norm(noise, axis=1) <= radius)
    assert abs(plain - 0.95) < 0.006
    for distance in DISTANCES:
        mean = distance * np.sqrt(dim) * np.eye(dim)[0]
        off = shrunk(mean + noise, dim) - mean
        assert np.mean(np.linalg.norm(off, axis=1) <= radius) >= plain - 0.002


def test_the_posterior_ball_would_cover_far_less_than_it_says():
    """The mutant: the radius of what is left by an empirical Bayes posterior, not of the noise."""
    dim, worst = 10, 1.0
    noise = noise_of(dim, False, 8000)
    for distance in (0.25, 0.5, 0.75, 1.0):
        mean = distance * np.sqrt(dim) * np.eye(dim)[0]
        drawn = mean + noise
        shares = np.array([kept_share(row, 1.0, dim) for row in drawn])
        off = np.linalg.norm(shares[:, None] * drawn - mean, axis=1)
        radius = np.sqrt(shares) * noise_radius(0.95, dim, 1.0, False)
        worst = min(worst, float(np.mean(off <= radius)))
    assert worst < 0.85


def test_projection_on_the_ball_of_the_mean_never_loses():
    noise = noise_of(12, False, 500)
    mean = np.r_[1.0, np.zeros(11)]
    before = np.linalg.norm(noise, axis=1)
    after = np.array([np.linalg.norm(within(mean + row, 1.0) - mean) for row in noise])
    assert np.all(after <= before * (1 + 1e-12))
    assert np.mean(after) < 0.6 * np.mean(before)


FORM = np.arange(1, 61.0) ** -2


def fitted(mean, noise):
    drawn = mean + noise
    return np.array([row * kept_by_form(row, np.ones(60), FORM) for row in drawn]) - mean


def test_the_fit_of_a_form_halves_what_james_stein_leaves_on_smooth_means():
    noise = noise_of(60, False, 400)
    smooth = 40 * FORM * np.random.default_rng(1).standard_normal(60)
    by_form = np.mean(np.sum(fitted(smooth, noise) ** 2, axis=1))
    _, _, by_stein = gain(smooth, noise, np.ones(60), 60)
    assert by_form < 0.5 * np.mean(by_stein) < 0.5 * 60


def test_the_fit_of_a_form_has_no_bound_but_loses_less_than_twice():
    noise = noise_of(60, False, 400)
    lost = []
    for place in (20, 40, 59):
        rough = np.zeros(60)
        rough[place] = 8.0
        lost.append(np.mean(np.sum(fitted(rough, noise) ** 2, axis=1)) / 60)
    assert max(lost) < 2


def test_the_fit_keeps_all_without_noise_and_nothing_of_noise_alone():
    mean = 1e6 * FORM
    assert np.allclose(kept_by_form(mean, np.full(60, 1e-9), FORM), 1.0, atol=1e-3)
    noise = noise_of(60, False, 200)
    assert np.mean(np.sum(fitted(np.zeros(60), noise) ** 2, axis=1)) < 6


def test_pooled_groups_have_half_the_error_where_they_are_alike():
    rng = np.random.default_rng(0)
    axes = np.diag(np.arange(1, 11.0) ** -1)
    means = 5 + 0.5 * rng.standard_normal((40, 10)) @ axes
    sizes = np.where(np.arange(40) % 2, 1.0, 2.0)
    lost = []
    for seed in range(40):
        noise = noise_of(10, False, 40, seed) * sizes[:, None]
        off = pooled(means + noise, sizes) - means
        lost.append(np.sqrt(np.mean(off**2) / np.mean(noise**2)))
    assert np.mean(lost) < 0.5


def test_pooled_groups_far_apart_stay_where_they_are():
    means = 1000 * np.random.default_rng(0).standard_normal((12, 4))
    np.testing.assert_allclose(pooled(means, np.ones(12)), means, atol=0.1)
