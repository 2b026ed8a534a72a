"""Covariances on the released trace, and the test of two means, in many dimensions."""

import numpy as np
import pytest
from scipy.stats import chi2

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.releases.estimates import MomentsEstimate, telling_distance
from geomdp.releases.estimates.spectra import chi_square, on_simplex, on_trace, tail


def planned(dim, n=300, form=None):
    ball = dp.Ball(dp.Euclidean(dim), np.zeros(dim), 1.3, form=form, wide=True)
    return dp.plan(dp.Moments(ball), n=n, budget=dp.GDP(1))


def drawn(plan, logs, rng):
    """An estimate with the noise of a release, drawn by NumPy."""
    ball, scale, dim = plan.statistic.ball, plan.scale, logs.shape[1]
    white = ball.whitened(logs)
    white = white * np.minimum(1, ball.radius / np.linalg.norm(white, axis=1))[:, None]
    noise = np.sqrt(2) * ball.radius * scale * rng.standard_normal((dim, dim))
    mean = white.mean(axis=0) + scale * rng.standard_normal(dim)
    second = white.T @ white / len(logs) + (noise + noise.T) / 2
    colour = np.eye(dim) if ball.roots is None else ball.roots[0]
    mean, second = colour @ mean, colour @ second @ colour
    return MomentsEstimate(ball, len(logs), mean, second, float(np.trace(second)), scale)


def steep(dim):
    sd = 1 / np.arange(1.0, dim + 1)
    return sd / np.linalg.norm(sd)


def symmetric(rng, dim, size):
    noise = size * rng.standard_normal((dim, dim))
    return (noise + noise.T) / 2


def test_the_simplex_holds_no_nearer_point():
    rng = np.random.default_rng(0)
    for _ in range(50):
        values = rng.standard_normal(5) + 0.5
        found = on_simplex(values)
        assert np.all(found >= 0)
        assert np.sum(found) == pytest.approx(max(np.sum(values), 0.0))
        others = max(np.sum(values), 0.0) * rng.dirichlet(np.ones(5), size=200)
        away = np.linalg.norm(others - values, axis=1)
        assert np.min(away) >= np.linalg.norm(found - values) - 1e-12


def test_no_covariance_of_a_smaller_trace_becomes_farther():
    rng, lost = np.random.default_rng(1), 0
    for _ in range(400):
        dim = int(rng.integers(1, 9))
        root = rng.standard_normal((dim, dim)) * rng.random(dim) ** 3
        true = root @ root.T
        raw = true + symmetric(rng, dim, rng.exponential())
        gain = np.linalg.norm(raw - true) - np.linalg.norm(on_trace(raw) - true)
        short = np.trace(true) - max(np.trace(raw), 0.0)
        allowed = 2 * max(short, 0.0) * np.linalg.norm(true) / np.trace(true)
        assert gain >= -allowed - 1e-9
        lost += gain < -1e-9
    assert lost  # the hypothesis on the trace is needed: without it something is lost


def test_the_positive_part_alone_is_mostly_noise_and_told_by_length():
    rng, dim = np.random.default_rng(2), 96
    plan, logs = planned(dim), rng.standard_normal((300, dim)) * steep(dim)
    found = drawn(plan, logs, rng)
    values = np.linalg.eigvalsh(found.raw_covariance)
    true = np.trace(np.cov(logs.T))
    assert np.sum(np.maximum(values, 0)) > 2 * true  # the mutant
    assert np.trace(found.covariance) == pytest.approx(true, rel=0.3)
    assert np.trace(found.covariance) == pytest.approx(found.dispersion)
    assert np.linalg.eigvalsh(found.covariance)[0] > -1e-12
    real, made = (np.linalg.norm(x, axis=1) for x in (logs, found.synthetic(300, seed=0)))
    assert 0.25 < np.mean(made[:, None] > real) < 0.75


def test_a_shaped_ball_projects_where_noise_is_round():
    rng, dim = np.random.default_rng(3), 8
    form = np.diag(np.linspace(2.0, 0.2, dim))
    logs = 0.3 * rng.standard_normal((60, dim)) @ np.sqrt(form)
    shaped = drawn(planned(dim, 60, form), logs, np.random.default_rng(4))
    root = drawn(planned(dim, 60), shaped.ball.whitened(logs), np.random.default_rng(4))
    colour = shaped.ball.roots[0]
    assert shaped.covariance == pytest.approx(colour @ root.covariance @ colour, abs=1e-9)
    assert np.max(np.abs(shaped.covariance - on_trace(shaped.raw_covariance))) > 1e-6
    other = [drawn(planned(dim, 60, form), -logs, np.random.default_rng(5))]
    other += [drawn(planned(dim, 60), -shaped.ball.whitened(logs), np.random.default_rng(5))]
    pair = [dp.compare(a, b).p_value for a, b in zip((shaped, root), other, strict=True)]
    assert pair[0] == pytest.approx(pair[1], rel=1e-6)


def test_the_tail_is_that_of_weighted_squares():
    for dim in (1, 2, 10, 100):
        for p in (0.5, 0.05, 1e-6):
            assert tail(chi2.isf(p, dim), np.ones(dim)) == pytest.approx(p, rel=0.12)
    rng = np.random.default_rng(6)
    weights = np.array([3.0, 1.0, 0.2])
    sums = (rng.standard_normal((200_000, 3)) + np.sqrt(2.0)) ** 2 @ weights
    sums += 2.0 * rng.standard_normal(200_000)
    for x in (0.0, 5.0, 12.0, 30.0):
        assert tail(x, weights, 2.0, 6.0) == pytest.approx(np.mean(sums > x), abs=0.015)
    assert tail(1e300, weights) == 0.0
    assert tail(-1.0, weights) == 1.0


def test_equal_means_in_26_dimensions_are_rejected_as_often_as_said():
    rng, dim, plan = np.random.default_rng(7), 26, planned(26)
    p, edged = [], []
    for _ in range(200):
        a, b = (drawn(plan, rng.standard_normal((300, dim)) * steep(dim), rng) for _ in "ab")
        p.append(dp.compare(a, b).p_value)
        away = a.coordinates - b.coordinates
        size = away @ np.linalg.solve(a.mean_covariance + b.mean_covariance, away)
        edged.append(chi2.sf(size, dim))
    assert np.mean(np.array(p) < 0.05) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 200)
    assert np.mean(np.array(p) < 0.5) > 0.35
    assert np.mean(np.array(edged) < 0.5) < 0.1  # the mutant: regions' edge, never a small p


@pytest.mark.parametrize("dim", [2, 26])
def test_the_distance_that_is_told_beforehand_is_told(dim):
    rng, plan = np.random.default_rng(8), planned(dim)
    far = telling_distance(plan, plan, spread=0.7)
    assert far < telling_distance(plan, plan)
    seen = 0
    for _ in range(200):
        move = rng.standard_normal(dim)
        move *= far / np.linalg.norm(move)
        a, b = (
            drawn(plan, 0.7 / np.sqrt(dim) * rng.standard_normal((300, dim)) + shift, rng)
            for shift in (0.0, move)
        )
        seen += dp.compare(a, b).p_value < 0.05
    assert 0.65 < seen / 200 < 0.92


def test_a_distance_is_told_of_moments_alone():
    ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)
    mean = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.GDP(1))
    with pytest.raises(GeomdpError, match="plans of Moments"):
        telling_distance(mean, mean)


@pytest.mark.parametrize("freedom", [1, 2, 5.5, 55, 2080])
@pytest.mark.parametrize("level", [0.001, 0.5, 0.95, 0.999])
def test_the_quantile_is_that_of_scipy_stats(level, freedom):
    assert chi_square(level, freedom) == pytest.approx(chi2.ppf(level, freedom), rel=1e-12)
