"""The papers' chains: correct, marked as asymptotic, never chosen."""

import numpy as np
import pytest
from scipy.stats import ks_1samp

import geomdp as dp
from geomdp.errors import MechanismRefusedError
from geomdp.mechanisms.forecast import radial_forecast
from geomdp.noise.entropy import SeededEntropy
from geomdp_papers.mechanisms.metropolis import CHAINS, Chain, LaplaceMetropolis, run_chain

BALL = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)


def uniform_on_interval(x):
    return 0.0 if abs(float(x[0])) <= 1 else -np.inf


def redrawing_chain(rng, size, step):
    """The paper's slip: propose again until something is accepted."""
    here, kept = 0.0, []
    while len(kept) < size:
        there = here + step * rng.normal()
        if abs(there) <= 1:
            here = there
            kept.append(here)
    return np.array(kept)


def test_the_chain_keeps_its_state_on_rejection():
    chain = Chain(step=0.7, burn_in=50, thinning=10)
    points = run_chain(
        dp.Euclidean(1), uniform_on_interval, np.zeros(1), 1.0, chain, SeededEntropy(0), 4000
    )
    cdf = lambda x: (np.clip(x, -1, 1) + 1) / 2  # noqa: E731
    assert ks_1samp(points[:, 0], cdf).pvalue > 1e-3
    wrong = redrawing_chain(np.random.default_rng(0), 40_000, 0.7)[::10]
    assert ks_1samp(wrong, cdf).pvalue < 1e-3


@pytest.mark.slow
def test_the_laplace_chain_follows_the_laplace_law():
    plan = dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Pure(1), mechanism="laplace-metropolis")
    target = LaplaceMetropolis()._log_density(plan.calibration, BALL.center[None])
    chain = Chain(step=1.5, burn_in=500, thinning=12)
    points = run_chain(BALL.space, target, BALL.center, plan.scale, chain, SeededEntropy(1), 4000)
    distance = BALL.space.dist(BALL.center, points)
    law, wrong = (
        radial_forecast(BALL.space, plan.scale),
        radial_forecast(BALL.space, 1.15 * plan.scale),
    )
    assert ks_1samp(distance, lambda x: np.interp(x, law.radii, law.cdf)).pvalue > 1e-3
    assert ks_1samp(distance, lambda x: np.interp(x, wrong.radii, wrong.cdf)).pvalue < 1e-3


def test_the_papers_settings_are_the_defaults():
    assert CHAINS["sphere"] == Chain(0.5, 20_000, 600)
    assert (CHAINS["spd"].burn_in, CHAINS["spd"].thinning) == (5_000, 5_000)
    assert CHAINS["planar-shapes"].burn_in == 7_500


@pytest.mark.parametrize(
    ("name", "exact"), [("kng-metropolis", "kng"), ("laplace-metropolis", "laplace")]
)
def test_calibration_is_that_of_the_exact_mechanism(name, exact):
    chain = dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Pure(1), mechanism=name)
    direct = dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Pure(1), mechanism=exact)
    assert chain.scale == direct.scale
    assert chain.expected_error == direct.expected_error
    assert chain.guarantee.strength == "asymptotic"
    assert "infinitely long Markov chain" in str(chain)
    with pytest.raises(MechanismRefusedError, match="needs a pure"):
        dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Approximate(1, 1e-6), mechanism=name)


def test_a_release_says_that_it_is_a_comparison(monkeypatch):
    monkeypatch.setitem(CHAINS, "sphere", Chain(0.5, 200, 1))
    records = np.repeat(BALL.center[None], 50, axis=0)
    for name in ("kng-metropolis", "laplace-metropolis"):
        release = dp.plan(dp.FrechetMean(BALL), n=50, budget=dp.Pure(1), mechanism=name).release(
            records
        )
        assert release.manifest["comparison"] is True
        assert release.guarantee.strength == "asymptotic"
        assert 0 < BALL.space.dist(BALL.center, release.value) < 0.3
