"""Correct rounding against high precision, the law with power, and the float attack."""

from fractions import Fraction

import flint
import mpmath
import numpy as np
import pytest
from scipy import stats

from geomdp.noise import lattice_gaussian
from geomdp.noise.entropy import Entropy, SeededEntropy
from geomdp.noise.lattice_gaussian import rounded_gaussian


class Recorded(Entropy):
    """Seeded bytes that can be read again."""

    exact = True
    name = "recorded"

    def __init__(self, seed):
        self.bytes = []
        self._inner = SeededEntropy(seed)

    def take(self, count):
        self.bytes.append(self._inner.take(count))
        return self.bytes[-1]


def ideal_interval(means, spreads, words):
    """The ideal result lies between these numbers, whatever the bits that were not drawn are."""
    pairs = words.shape[1]
    out = []
    with mpmath.workdps(60):
        for j, (mean, spread) in enumerate(zip(means, spreads, strict=True)):
            u, v = (mpmath.mpf(int(w)) for w in words[:, j % pairs])
            corners = []
            for du in (0, 1):
                for dv in (0, 0.5, 1):
                    radius = mpmath.sqrt(-2 * mpmath.log((u + du) / 2**64))
                    angle = 2 * mpmath.pi * (v + dv) / 2**64
                    wave = mpmath.cos(angle) if j < pairs else mpmath.sin(angle)
                    center = mpmath.mpf(mean.numerator) / mean.denominator
                    corners.append(center + mpmath.mpf(spread) * radius * wave)
            out.append((min(corners), max(corners)))
    return out


@pytest.mark.parametrize("spread", [0.3, 1.0, 2.0**31, 2.0**50])
def test_every_result_is_the_rounding_of_the_ideal_number(spread):
    rng = np.random.default_rng(0)
    means = [Fraction(int(a), int(b)) for a, b in rng.integers(1, 10**9, (301, 2))]
    entropy = Recorded(1)
    spreads = np.full(301, spread)
    drawn = rounded_gaussian(means, spreads, entropy)
    words = np.frombuffer(entropy.bytes[0], dtype="<u8").reshape(2, -1)
    undecided = 0
    for value, (low, high) in zip(drawn, ideal_interval(means, spreads, words), strict=True):
        with mpmath.workdps(60):
            nearest = {int(mpmath.floor(end + 0.5)) for end in (low, high)}
        undecided += len(nearest) > 1
        assert value in range(min(nearest), max(nearest) + 1)
    assert undecided < (5 if spread < 2.0**40 else 302)


def test_the_float_bound_contains_the_true_error():
    words = np.frombuffer(SeededEntropy(2).take(16 * 2000), dtype="<u8").reshape(2, -1).copy()
    words[0, :6] = [1, 2, 2**64 - 1, 2**64 - 5, 2**63, 2**40]  # tails and numbers next to 1
    z, bound = lattice_gaussian._float_normals(words, 4000)
    assert np.median(bound) < 1e-12
    ideal = ideal_interval([Fraction(0)] * 4000, np.ones(4000), words)
    for value, error, (low, high) in zip(z, bound, ideal, strict=True):
        with mpmath.workdps(60):
            assert low - error <= value <= high + error


def test_a_word_of_zeros_is_decided_with_more_bits():
    words = np.zeros((2, 1), dtype=np.uint64)
    _, bound = lattice_gaussian._float_normals(words, 1)
    assert bound[0] == np.inf


class Zeros(Recorded):
    """The first word is 0, the second a quarter turn: decided only by the bits that follow."""

    def take(self, count):
        if not self.bytes:
            self.bytes.append(np.array([0, 2**62], dtype="<u8").tobytes())
            return self.bytes[0]
        return super().take(count)


def test_extreme_words_still_give_an_exact_answer():
    entropy = Zeros(3)
    (value, other) = rounded_gaussian([Fraction(0), Fraction(0)], np.array([1e3, 1e3]), entropy)
    assert len(entropy.bytes) > 1
    assert 9.4e3 < other < 2e4
    assert abs(value) < 10


def test_half_way_means_are_decided_in_balls(monkeypatch):
    """Forced doubt: every coordinate goes through the intervals and agrees with the float path."""
    means = [Fraction(k, 7) for k in range(60)]
    spreads = np.full(60, 1000.0)
    fast = rounded_gaussian(means, spreads, SeededEntropy(4))
    monkeypatch.setattr(lattice_gaussian, "FLOAT_ERROR", 1.0)
    assert rounded_gaussian(means, spreads, SeededEntropy(4)) == fast


def p_value(sample, spread):
    """Chi-square test of the integers against the rounded normal law."""
    edges = np.arange(-3 * spread, 3 * spread, spread / 4).round() - 0.5
    expected = np.diff(stats.norm.cdf(np.concatenate([[-np.inf], edges, [np.inf]]) / spread))
    counts = np.histogram(sample, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    return stats.chisquare(counts, expected * len(sample)).pvalue


@pytest.mark.parametrize("spread", [4.0, 1000.0])
def test_law_of_the_noise_with_power(spread):
    sample = rounded_gaussian([Fraction(0)] * 40_000, np.full(40_000, spread), SeededEntropy(5))
    assert p_value(np.array(sample), spread) > 1e-3
    assert p_value(np.array(sample), 1.03 * spread) < 1e-6


def test_neighbouring_coordinates_are_independent():
    sample = rounded_gaussian([Fraction(0)] * 40_000, np.full(40_000, 1e6), SeededEntropy(6))
    z = np.array(sample, dtype=float) / 1e6
    half = len(z) // 2
    for other in (z[half:], np.roll(z[:half], 1)):
        assert abs(np.mean(z[:half] * other)) < 4 / np.sqrt(half)
        assert abs(np.mean(z[:half] ** 2 * other**2) - 1) < 0.06


def test_floating_point_attack_finds_nothing():
    """A float release of m + sigma Z leaks m through the bits that can occur; ours are integers.

    The parity of the result is the low-order bit: its law must not depend on the mean.
    """
    share = []
    for mean in (Fraction(0), Fraction(1, 3), Fraction(10**6 + 1, 2)):
        drawn = rounded_gaussian([mean] * 20_000, np.full(20_000, 64.0), SeededEntropy(7))
        assert all(isinstance(value, int) for value in drawn[:10])
        share.append(np.mean(np.array(drawn) % 2))
    assert np.ptp(share) < 5 / np.sqrt(20_000)

    def float_release(mean):
        z = np.random.default_rng(8).normal(size=20_000)
        return np.mean((mean + 64.0 * z) * 2.0**44 % 2 == 0)  # multiples of a coarse step

    assert abs(float_release(0.0) - float_release(1e6)) > 0.2


def test_opendp_agrees_on_scale_and_distribution():
    dp = pytest.importorskip("opendp.prelude")
    dp.enable_features("contrib")
    domain, metric = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=float)
    measurement = dp.m.make_gaussian(domain, metric, scale=20.0)
    theirs = np.array(measurement([0] * 20_000))
    ours = np.array(
        rounded_gaussian([Fraction(0)] * 20_000, np.full(20_000, 20.0), SeededEntropy(9))
    )
    assert measurement.map(1.0) == pytest.approx(1 / (2 * 20.0**2))  # zCDP, the continuous rho
    assert stats.ks_2samp(ours, theirs).pvalue > 1e-3
    assert stats.ks_2samp(1.05 * ours, theirs).pvalue < 0.05


def test_flint_agrees_on_one_draw_of_many_bits():
    entropy = Recorded(10)
    (value, _) = rounded_gaussian([Fraction(0)] * 2, np.array([2.0**80, 1.0]), entropy)
    words = np.frombuffer(entropy.bytes[0], dtype="<u8")
    with flint.ctx.workprec(200):
        u, v = (flint.arb(int(w)) / 2**64 for w in words)
        ideal = (-2 * u.log()).sqrt() * (2 * flint.arb.pi() * v).cos() * 2**80
        assert abs(ideal - value) < 2**22  # the words alone leave 2^80 2^-64 open, times a few
