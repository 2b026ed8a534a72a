"""Shares of discrete Laplace noise: exact draws, and laws that add up."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare, nbinom

from geomdp.noise.entropy import SeededEntropy
from geomdp.noise.negative_binomial import laplace_share, negative_binomial

RATE = Fraction(1, 2)


def expected(shape: float, most: int = 200) -> np.ndarray:
    return nbinom.pmf(np.arange(most), shape, 1 - np.exp(-float(RATE)))


def p_value(draws: list[int], law: np.ndarray) -> float:
    seen = np.bincount(np.minimum(draws, 5), minlength=6)
    bins = np.append(law[:5], 1 - law[:5].sum())
    return float(chisquare(seen, bins * len(draws)).pvalue)


def test_draws_follow_the_negative_binomial_law_and_no_other():
    entropy = SeededEntropy(3, exact=True)
    draws = [negative_binomial(RATE, 3, entropy) for _ in range(6000)]
    assert p_value(draws, expected(1 / 3)) > 1e-3
    assert p_value(draws, expected(1 / 2.5)) < 1e-3


@pytest.mark.parametrize("sites", [1, 3, 8])
def test_so_many_shares_are_discrete_laplace_noise(sites):
    one = np.convolve(expected(1 / sites), expected(1 / sites)[::-1])
    total = np.ones(1)
    for _ in range(sites):
        total = np.convolve(total, one)
    middle = len(total) // 2
    near = np.log(total[middle - 20 : middle + 21])
    assert np.max(np.abs(np.diff(near))) < float(RATE) + 1e-9
    # One share fewer keeps no such promise.
    fewer = np.ones(1)
    for _ in range(sites - 1):
        fewer = np.convolve(fewer, one)
    if sites > 1:
        around = fewer[len(fewer) // 2 - 20 : len(fewer) // 2 + 21]
        assert np.max(np.abs(np.diff(np.log(around)))) > float(RATE) + 1e-3


def test_wide_noise_is_drawn_too():
    entropy = SeededEntropy(5, exact=True)
    rate = Fraction(1, 2**31)
    draws = np.array([sum(laplace_share(rate, 2, entropy) for _ in range(2)) for _ in range(300)])
    assert 0.7 < np.mean(np.abs(draws.astype(float))) / 2**31 < 1.3
