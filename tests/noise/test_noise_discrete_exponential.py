"""The discrete exponential mechanism: its law, and decisions near a boundary."""

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import chisquare

from geomdp.noise.discrete_exponential import draw_index, probabilities
from geomdp.noise.entropy import Entropy, SeededEntropy

WEIGHTS = [(j, Fraction(3 * k, 10)) for j, k in enumerate((0, 0, 2, 3, 9, 20, 30))]


class Scripted(Entropy):
    """Bytes that a test writes down; zeros after them."""

    exact = True
    name = "script, not private"

    def __init__(self, first: bytes) -> None:
        self.left = first
        self.taken = 0

    def take(self, count: int) -> bytes:
        given, self.left = self.left[:count], self.left[count:]
        self.taken += count
        return given.ljust(count, b"\0")


def test_law_is_proportional_to_the_weights():
    exact = np.array([2.0**a * np.exp(-float(b)) for a, b in WEIGHTS])
    assert probabilities(WEIGHTS) == pytest.approx(exact / exact.sum(), rel=1e-12)


@pytest.mark.parametrize("exact", [True, False])
def test_draws_follow_the_law_and_the_test_has_power(exact):
    entropy = SeededEntropy(3, exact=exact)
    drawn = [draw_index(WEIGHTS, entropy) for _ in range(4000)]
    counts = np.bincount(drawn, minlength=len(WEIGHTS))
    law = probabilities(WEIGHTS)
    assert chisquare(counts, counts.sum() * law).pvalue > 1e-3
    flatter = probabilities([(a, b * Fraction(4, 5)) for a, b in WEIGHTS])
    assert chisquare(counts, counts.sum() * flatter).pvalue < 1e-6


@pytest.mark.parametrize(
    ("bits", "index"), [(b"\x7f" + b"\xff" * 15, 0), (b"\x80" + b"\0" * 15 + b"\x01", 1)]
)
def test_a_number_next_to_the_boundary_takes_more_bits(bits, index):
    entropy = Scripted(bits)
    assert draw_index([(0, Fraction(0)), (0, Fraction(0))], entropy) == index
    assert entropy.taken > 16


def test_weights_of_all_sizes():
    tiny, huge = (0, Fraction(10**7)), (150, Fraction(0))
    entropy = SeededEntropy(0, exact=True)
    assert {draw_index([tiny, huge, tiny], entropy) for _ in range(50)} == {1}
    assert draw_index([tiny], entropy) == 0
    assert probabilities([tiny, huge, tiny]).tolist() == [0.0, 1.0, 0.0]
