"""Rules of denoising: which one a ball gets, that bands never lose, and what they leave."""

from itertools import pairwise

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces.forms import smooth_form
from geomdp.statistics.denoising import Bands, Fit, Parts, Whole, bands_of, rule_in
from geomdp.statistics.shrinking import noise_radius

DRAWS = 1000
OUTLINE = np.exp(2j * np.pi * np.arange(40) / 40)
SHAPES = dp.PlanarShapes(40)


def ball_with(denoiser, **how):
    return dp.Ball(SHAPES, OUTLINE, 0.2, denoiser=denoiser, **how)


def noise_of(dim, heavy, seed=0):
    rng = np.random.default_rng(seed)
    normal = rng.standard_normal((DRAWS, dim))
    if not heavy:
        return normal
    lengths = rng.gamma(dim, size=(DRAWS, 1)) / np.sqrt(dim + 1)
    return lengths * normal / np.linalg.norm(normal, axis=1, keepdims=True)


def test_which_rule_a_ball_gets():
    assert isinstance(rule_in(ball_with(None)), Bands)
    assert isinstance(rule_in(ball_with(dp.Denoiser("none"))), Whole)
    assert isinstance(rule_in(ball_with(dp.Denoiser("smooth"))), Fit)
    assert isinstance(rule_in(ball_with(dp.Denoiser(np.eye(76)))), Fit)
    assert isinstance(rule_in(ball_with(None, form=smooth_form(SHAPES, OUTLINE))), Whole)
    assert isinstance(rule_in(dp.Ball(dp.Sphere(3), [0, 0, 0, 1], 0.5)), Whole)
    assert rule_in(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)) is None
    moments = dp.Moments(dp.Ball(dp.Euclidean(5), np.zeros(5), 1.0))
    assert isinstance(moments.rule, Parts)


def test_only_what_is_proved_says_so():
    forms = (None, "none", "smooth")
    proved = {form: rule_in(ball_with(dp.Denoiser(form))).known for form in forms}
    assert (proved[None].proved, proved["none"].proved, proved["smooth"].proved) == (1, 1, 0)
    assert "no bound" in proved["smooth"].risk
    assert "never above" in proved[None].risk


@pytest.mark.parametrize("heavy", [False, True])
def test_bands_never_lose_wherever_the_mean_lies(heavy):
    """Each band has James and Stein's theorem for itself, with the noise of all of them."""
    dim = 76
    directions = np.linalg.qr(np.random.default_rng(5).standard_normal((dim, dim)))[0]
    rule, noise = Bands(np.ones(dim), directions, np.inf), noise_of(dim, heavy)
    raw = np.sum(noise**2, axis=1)
    for at in ([75], [0, 9, 30]):  # in one band, and in each
        for length in (0.0, 8.0, 12.0):
            mean = length * np.sum(directions[:, at], axis=1)
            off = np.array([rule.moved(mean + one, 1.0) - mean for one in noise])
            saved = raw - np.sum(off**2, axis=1)
            assert np.mean(saved) > -3 * np.std(saved) / np.sqrt(DRAWS)


def test_a_band_too_short_for_the_theorem_would_lose_nothing_and_gain_nothing():
    """The mutant of the cut: bands of two coordinates have no room, and keep all."""
    pair = Bands(np.ones(2), np.eye(2), np.inf)
    drawn = np.array([0.3, -0.2])
    np.testing.assert_allclose(pair.moved(drawn, 5.0), drawn)
    assert all(np.diff(bands_of(dim)).min() > 2 for dim in range(3, 400))


def test_the_wrong_constant_in_each_band_would_lose():
    """The mutant of the constant: that of all coordinates, in each band."""
    dim, noise = 76, noise_of(76, False)
    ends = bands_of(dim)
    mean = np.zeros(dim)
    mean[:8] = 3.0
    off = []
    for one in noise:
        drawn = mean + one
        kept = [
            max(0.0, 1 - (dim - 2) / np.sum(drawn[a:b] ** 2)) * drawn[a:b]
            for a, b in pairwise(ends)
        ]
        off.append(np.sum((np.concatenate(kept)[:8] - mean[:8]) ** 2))
    assert np.mean(off) > 2 * np.mean(np.sum(noise[:, :8] ** 2, axis=1))


@pytest.mark.parametrize("heavy", [False, True])
def test_the_region_about_bands_covers(heavy):
    dim, directions = 76, np.eye(76)
    rule, noise = Bands(np.ones(dim), directions, np.inf), noise_of(dim, heavy)
    reach = noise_radius(0.95, dim, 1.0, heavy)
    plain = np.mean(np.sum(noise**2, axis=1) <= reach**2)
    for at in (0, 75):
        for length in (0.0, 4.0, 12.0):
            mean = length * directions[:, at]
            off = np.array([rule.moved(mean + one, 1.0) - mean for one in noise])
            assert np.mean(np.sum(off**2, axis=1) <= reach**2) >= plain - 0.004


def test_smooth_means_have_less_error_by_bands_and_by_the_fit_than_as_a_whole():
    rng = np.random.default_rng(1)
    left = {}
    for form in ("none", None, "smooth"):
        rule = rule_in(ball_with(dp.Denoiser(form)))
        axes = dp.Denoiser("smooth").axes(SHAPES, ball_with(None).center)
        mean = axes.directions @ (0.05 * axes.sizes / np.linalg.norm(axes.sizes))
        off = [rule.moved(mean + 0.006 * rng.standard_normal(76), 0.006) - mean for _ in range(100)]
        left[form] = np.mean(np.linalg.norm(off, axis=1))
    assert left[None] < 0.8 * left["none"]
    assert left["smooth"] < 0.8 * left["none"]


def test_landmarks_without_an_order_lose_nothing_by_bands():
    """The default rests on a theorem, and not on the order of landmarks."""
    rng = np.random.default_rng(2)
    order = rng.permutation(40)
    mixed = dp.Ball(SHAPES, OUTLINE[order], 0.2)
    rule, mean = rule_in(mixed), 0.03 * rng.standard_normal(76) / np.sqrt(76)
    assert isinstance(rule, Bands)
    noise = 0.01 * rng.standard_normal((500, 76))
    off = np.array([rule.moved(mean + one, 0.01) - mean for one in noise])
    assert np.sum(off**2) < 0.5 * np.sum(noise**2)


@pytest.mark.parametrize("shaped", [False, True])
def test_a_form_of_the_ball_and_one_of_the_denoiser_go_together(shaped):
    """Of both, the fit knows that noise is unlike along its axes."""
    form = smooth_form(SHAPES, OUTLINE) if shaped else None
    rule = rule_in(ball_with(dp.Denoiser("smooth"), form=form))
    assert isinstance(rule, Fit)
    spread = rule.variances / np.mean(rule.variances)
    assert bool(spread.max() > 5) == shaped
    rng = np.random.default_rng(3)
    mean = rule.directions @ (np.sqrt(rule.sizes) * 0.001 * rng.standard_normal(76))
    noise = 0.004 * rng.standard_normal((200, 76))
    off = np.array([rule.moved(mean + one, 0.004) - mean for one in noise])
    assert np.mean(off**2) < 0.8 * np.mean(noise**2)
    assert rule.left(0.004, 0.03) < 1


def test_forecasts_come_true_where_the_mean_varies_as_they_say():
    for form in ("none", None, "smooth"):
        rule = rule_in(ball_with(dp.Denoiser(form)))
        axes = dp.Denoiser("smooth").axes(SHAPES, ball_with(None).center)
        rng, shares = np.random.default_rng(4), []
        for _ in range(100):
            weights = np.sqrt(axes.sizes / np.sum(axes.sizes))
            mean = axes.directions @ (0.05 * weights * rng.standard_normal(76))
            noise = 0.006 * rng.standard_normal(76)
            off = rule.moved(mean + noise, 0.006) - mean
            shares.append(np.sum(off**2) / np.sum(noise**2))
        assert np.mean(shares) == pytest.approx(rule.left(0.006, 0.05), rel=0.2)
