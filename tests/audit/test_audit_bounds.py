"""Lower bounds hold, are not wasteful, and come from the half that did not choose the event."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

import geomdp as dp
from geomdp.audit.claims import Claim, claim_of, probability_bounds
from geomdp.audit.events import Outcome, best_event, blind_scores, float_draws
from geomdp.audit.findings import Settings
from geomdp.audit.likelihood import _delta_numbers, delta_over_draws
from geomdp.audit.neighbours import pairs
from geomdp.audit.suspects import law_of
from geomdp.mechanisms.pair_law import (
    PairLaw,
    gaussian_delta,
    laplace_delta,
    largest_loss,
    log_constant,
)
from geomdp.testing.samples import unit_vectors


def test_a_line_loses_half_of_its_mass_from_the_centre_to_the_end():
    line = dp.Ball(dp.Euclidean(1), np.zeros(1), 1.0)
    assert largest_loss(line, 1.0, 0.01) == pytest.approx(100.693, abs=1e-3)


def test_the_constant_around_the_centre_is_the_radial_integral():
    ball = dp.Ball(dp.Euclidean(3), np.zeros(3), 1.0)
    assert log_constant(ball, 0.0, 1.0) == pytest.approx(np.log(2 - 5 * np.exp(-1.0)))


@pytest.mark.parametrize("p", [0.002, 0.3, 0.999])
def test_clopper_pearson_covers_and_no_more_than_it_must(p):
    counts, size, miss = np.arange(301), 300, 0.02
    low, high = probability_bounds(counts, size, miss)
    weights = stats.binom.pmf(counts, size, p)
    assert np.sum(weights[low > p]) <= miss
    assert np.sum(weights[high < p]) <= miss
    # The defining equations: shifting a bound by 2% breaks coverage at that bound.
    inner = slice(1, 300)
    assert np.allclose(stats.binom.sf(counts[inner] - 1, size, low[inner]), miss)
    assert np.allclose(stats.binom.cdf(counts[inner], size, high[inner]), miss)


def test_events_without_hits_or_misses_prove_something_finite():
    claim = Claim("epsilon", 1.0)
    assert 3.5 < claim.lower_bound(np.array(1000), np.array(0), 1000, 1e-4) < np.log(1000)
    assert claim.lower_bound(np.array(0), np.array(1000), 1000, 1e-4) == 0.0


def test_delta_is_taken_off_before_the_ratio():
    with_delta, without = (Claim("epsilon", 1.0, d) for d in (0.3, 0.0))
    assert with_delta.loss(0.5, 0.1) == pytest.approx(np.log(2))
    assert without.loss(0.5, 0.1) == pytest.approx(np.log(5))


def test_the_half_that_chooses_the_event_is_not_the_half_that_tests_it():
    """An event that tells all about the first halves, and nothing about the second."""
    first = np.repeat([1.0, 0.0], 500)
    claim = Claim("epsilon", 1.0)
    assert best_event(claim, first, np.zeros(1000), 1e-4).bound == 0.0
    assert best_event(claim, np.ones(1000), np.zeros(1000), 1e-4).bound > 3


def test_blind_attack_finds_shifts_and_spreads_and_nothing_in_equal_samples():
    rng = np.random.default_rng(1)
    claim, shape = Claim("mu", 1.0), (6000, 3)
    cases = {
        "equal": (rng.normal(size=shape), rng.normal(size=shape)),
        "shifted": (rng.normal([1.0, 0.0, 0.0], size=shape), rng.normal(size=shape)),
        "wider": (rng.normal(size=shape) * 2, rng.normal(size=shape)),
        "wide values": (rng.normal(size=(2000, 90)) + 0.1, rng.normal(size=(2000, 90))),
    }
    bounds = {k: best_event(claim, *blind_scores(*v), 1e-4).bound for k, v in cases.items()}
    assert bounds["equal"] == 0.0
    assert 0.7 < bounds["shifted"] < 1.0
    assert bounds["wider"] > 0.6
    assert 0.3 < bounds["wide values"] < np.sqrt(90) * 0.1


def test_constants_of_restricted_laws_against_plain_integrals():
    """On S^2 by integrating over the ball itself, around its centre."""
    ball = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
    offset, scale = 0.35, 0.1

    t = (np.arange(1500)[:, None] + 0.5) * 0.5 / 1500
    angle = (np.arange(1500) + 0.5) * np.pi / 1500
    cosine = np.cos(t) * np.cos(offset) + np.sin(t) * np.sin(offset) * np.cos(angle)
    values = np.sin(t) * np.exp(-np.arccos(np.minimum(1.0, cosine)) / scale)
    whole = 2 * float(np.mean(values)) * 0.5 * np.pi
    assert np.exp(log_constant(ball, offset, scale)) * 2 * np.pi == pytest.approx(whole, rel=1e-4)


@pytest.mark.parametrize("space", [dp.Hyperbolic(2), dp.Euclidean(2)])
def test_constants_agree_with_draws(space):
    """The ratio of constants is a mean over draws of one law, of either side."""
    rng = np.random.default_rng(0)
    center = space.origin(np.zeros(2))
    ball = dp.Ball(space, center, 1.0)
    v = rng.uniform(-1.0, 1.0, size=(400_000, 2))
    length = np.linalg.norm(v, axis=1)
    inside = v[length < 1.0]
    points = space.frame_exp(center, inside)
    weight = np.exp(
        space.log_volume_density(length[length < 1.0], inside) - np.log(length[length < 1.0])
    )
    logs = []
    for offset in (0.3, 0.9):
        at = space.frame_exp(center, np.array([offset, 0.0]))
        logs.append(np.log(np.sum(weight * np.exp(-space.dist(at, points) / 0.2))))
    expected = log_constant(ball, 0.9, 0.2) - log_constant(ball, 0.3, 0.2)
    assert logs[1] - logs[0] == pytest.approx(expected, abs=0.02)
    assert abs(expected) > 0.3


@pytest.mark.parametrize("offset", [0.0, 0.4, 1.0])
def test_constants_on_a_line_in_closed_form(offset):
    ball = dp.Ball(dp.Euclidean(1), [0.0], 1.0)
    half = 2 - np.exp(-(1 - offset) / 0.3) - np.exp(-(1 + offset) / 0.3)
    assert log_constant(ball, offset, 0.3) == pytest.approx(np.log(0.3 * half / 2), abs=1e-9)


@pytest.mark.slow
def test_no_two_footpoints_lose_more_than_the_largest_loss():
    ball, apart, scale = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0), 0.3, 0.1
    rng = np.random.default_rng(0)
    here = ball.clip(1.2 * rng.standard_normal((100, 2)))
    there = ball.clip(here + apart * unit_vectors(rng, 100, 2))
    logs = [[log_constant(ball, np.linalg.norm(x), scale) for x in side] for side in (here, there)]
    seen = np.abs(np.subtract(*logs)) + np.linalg.norm(here - there, axis=1) / scale
    assert 0.95 < np.max(seen) / largest_loss(ball, apart, scale) <= 1 + 1e-9


def test_kng_on_flat_spaces_has_the_constants_of_a_restricted_laplace_law():
    ball = dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)
    plan = dp.plan(dp.FrechetMean(ball), n=5, budget=dp.Pure(5), mechanism="kng")
    (pair,) = (p for p in pairs(plan) if p.name == "all at one end, direction 1")
    law = law_of(plan, pair)
    drawn = [float_draws(plan, data, 20_000) for data in (pair.first, pair.second)]
    by_draws = replace(law, constant=None).parts(*drawn)
    assert by_draws == pytest.approx(law.parts(*drawn), abs=0.05)
    assert law.constant > 0.3


def test_claims_are_the_tightest_that_plans_state():
    ball = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    mean = dp.FrechetMean(ball)
    pure = claim_of(dp.plan(mean, n=50, budget=dp.Approximate(1, 1e-6), mechanism="laplace"))
    assert (pure.kind, pure.value, pure.delta) == ("epsilon", 1.0, 0.0)
    assert claim_of(
        dp.plan(mean, n=50, budget=dp.ZCDP(0.5), mechanism="wrapped-gaussian")
    ) == Claim("mu", 1.0)
    tried = claim_of(dp.plan(mean, n=50, budget=dp.Approximate(1, 1e-6), mechanism="kng"))
    assert (tried.kind, tried.delta) == ("epsilon", 1e-6)


@pytest.mark.parametrize("wrong", [{"draws": 3}, {"records": 0}, {"confidence": 1.0}])
def test_settings_that_prove_nothing_are_refused(wrong):
    with pytest.raises(dp.errors.GeomdpError):
        Settings(**wrong)


@pytest.mark.parametrize("dim", [1, 2, 6, 20])
def test_exact_delta_is_what_draws_show(dim):
    rng = np.random.default_rng(dim)
    size, loss, epsilon = 400_000, 3.0, 0.7
    direction = rng.standard_normal((size, dim))
    direction /= np.linalg.norm(direction, axis=1)[:, None]
    y = rng.gamma(dim, size=size)[:, None] * direction
    losses = np.linalg.norm(y + loss * np.eye(1, dim), axis=1) - np.linalg.norm(y, axis=1)
    exact = laplace_delta(dim, loss, epsilon)
    assert abs(delta_over_draws(losses, epsilon) - exact) < 0.005
    assert laplace_delta(dim, loss, epsilon + 1) < exact - 0.02


def test_gaussian_delta_is_what_draws_show():
    x = np.random.default_rng(0).standard_normal(400_000)
    assert abs(delta_over_draws(0.7 * x + 0.7**2 / 2, 0.4) - gaussian_delta(0.7, 0.4)) < 0.002


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize("constant", [0.3, None])
def test_an_event_attains_the_delta_at_its_own_level(swapped, constant):
    """In both directions, with a constant known or estimated from the draws."""
    rng, size = np.random.default_rng(1), 400_000
    # The log ratio of two Gaussian laws one deviation apart, without a constant of 0.3.
    first, second = (sign / 2 - 0.3 + rng.standard_normal(size) for sign in (1, -1))
    a, b = (-second, -first) if swapped else (first, second)
    hits, others = (int(np.sum(scores >= 0.4)) for scores in (a, b))
    tested = Outcome(0.0, hits, others, size, 0.4, swapped)
    numbers = _delta_numbers(PairLaw(np.asarray, 1.0, constant), tested, [first, second])
    assert numbers["epsilon"] == pytest.approx(0.1 if swapped else 0.7, abs=0.02)
    assert numbers["delta"] == pytest.approx(numbers["shown"], abs=0.006)
    p, q = hits / size, np.exp(numbers["epsilon"]) * np.sqrt(others) / size
    assert numbers["error"] == pytest.approx(np.sqrt(p / size + q**2))
    assert numbers["delta"] == pytest.approx(gaussian_delta(1.0, numbers["epsilon"]), abs=0.004)


def test_rare_events_are_tried():
    """A loss that one draw in a thousand shows is found by draws enough."""
    rng = np.random.default_rng(2)
    rare = [np.where(rng.random(400_000) < p, 1.0, 0.0) for p in (2e-3, 1e-4)]
    noise = [score + 1e-3 * rng.random(400_000) for score in rare]
    assert best_event(Claim("epsilon", 5.0), *noise, 1e-4).bound > 1.8
