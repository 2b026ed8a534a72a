"""The splitting lemma against exact laws of the opened total, and mutants of its hypotheses."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import norm

from geomdp.consortia.splitting import common_scale, honest_sites, loss_squared, root_above
from geomdp.errors import GeomdpError

SITES, SPREADS, SHIFTS = (1, 2, 3, 5, 8), (0.3, 0.5, 1.0, 2.0, 4.0), (1, 2, 3, 7, 10)
#: What floats lose in laws of a few hundred numbers.
ROUNDING = 1e-11


def law(sites: int, spread: float, reach: int = 60) -> np.ndarray:
    """Exact law of the sum of rounded Gaussians."""
    edges = np.arange(-reach, reach + 2) - 0.5
    one = np.diff(norm.cdf(edges / spread))
    total = np.ones(1)
    for _ in range(sites):
        total = np.convolve(total, one)
    return total


def excess(p: np.ndarray, q: np.ndarray, mu: float) -> float:
    """Most by which a pair of laws exceeds mu-GDP, over all thresholds of the likelihood ratio."""
    seen = (p > 1e-300) & (q > 1e-300)
    ratio = np.log(q[seen] / p[seen])
    thresholds = np.unique(np.concatenate([ratio, np.linspace(-6, 6, 61)]))
    thresholds = thresholds[np.abs(thresholds) < 30]
    delta = np.array([np.sum(np.maximum(q - np.exp(e) * p, 0)) for e in thresholds])
    allowed = norm.cdf(mu / 2 - thresholds / mu) - np.exp(thresholds) * norm.cdf(
        -mu / 2 - thresholds / mu
    )
    return float(np.max(delta - allowed))


def shifted(p: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    return np.pad(p, (0, k)), np.pad(p, (k, 0))


@pytest.mark.parametrize("sites", SITES)
def test_no_exact_law_of_the_opened_total_exceeds_the_claim(sites):
    for spread, k in product(SPREADS, SHIFTS):
        mu = float(loss_squared([k], [Fraction(spread)], sites)) ** 0.5
        assert excess(*shifted(law(sites, spread), k), mu) < ROUNDING, (sites, spread, k)


def test_without_the_term_for_rounding_some_laws_exceed_the_claim():
    found = [
        excess(*shifted(law(h, s), k), k / (s * h**0.5))
        for h, s, k in product(SITES, SPREADS, SHIFTS)
    ]
    assert max(found) > 0.01
    assert sum(one > ROUNDING for one in found) > 5


def test_scales_of_two_coordinates_add_up():
    """The law of both coordinates together, with scales of their own."""
    for k, m in ((1, 3), (2, 1)):
        p, q = shifted(law(3, 0.5, 12), k)
        r, s = shifted(law(3, 1.0, 20), m)
        mu = float(loss_squared([k, m], [Fraction(1, 2), Fraction(1)], 3)) ** 0.5
        assert excess(np.outer(p, r).ravel(), np.outer(q, s).ravel(), mu) < ROUNDING


def test_a_short_roster_or_a_message_counted_twice_costs_more():
    spread = float(common_scale(Fraction(7), [Fraction(1)], 8, Fraction(1)))
    assert excess(*shifted(law(8, spread), 7), 1.0) < ROUNDING
    assert excess(*shifted(law(1, spread), 7), 1.0) > 0.01  # seven honest sites are missing
    doubled = np.convolve(law(7, spread), np.kron(law(1, spread), [1, 0]))
    assert excess(*shifted(doubled, 14), 1.0) > 0.01


def test_the_scale_keeps_the_promise_and_costs_next_to_nothing():
    step = Fraction(1, 2**31)
    for honest in (1, 6, 1000):
        t = common_scale(Fraction(1), [step] * 20, honest, Fraction(1))
        square = (1 / Fraction(honest) + 20 * step**2 * honest / 4) / t**2
        assert 1 - Fraction(1, 2**100) < square <= 1
        assert float(t) * honest**0.5 - 1 < 1e-10
    assert root_above(Fraction(1, 10**40)) >= Fraction(1, 10**20)


def test_a_consortium_has_an_honest_site_and_suspects_one():
    assert honest_sites(8, 1) == 7
    with pytest.raises(GeomdpError, match="own noise off"):
        honest_sites(8, 0)
    with pytest.raises(GeomdpError, match="no honest one left"):
        honest_sites(2, 2)
