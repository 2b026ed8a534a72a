"""Intervals leave as floats on the safe side, and open questions get the safe answer."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from geomdp.intervals import (
    Ambiguous,
    decide,
    dyadic,
    float_above,
    float_below,
    interval,
    nearest_integer,
    precision,
    surely,
)

fractions = st.fractions(-(10**9), 10**9)


@given(fractions)
def test_floats_enclose_the_interval_and_hardly_more(value):
    with precision(200):
        enclosed = interval(value)
        low, high = float_below(enclosed), float_above(enclosed)
    assert Fraction(low) < value < Fraction(high)
    assert high - low <= 4 * np.spacing(abs(float(value)))


@given(fractions)
def test_fractions_become_the_nearest_floats_on_either_side(value):
    low, high = float_below(value), float_above(value)
    assert Fraction(low) <= value <= Fraction(high)
    assert high <= np.nextafter(low, np.inf)
    assert (low == high) == (Fraction(float(value)) == value)


def test_the_room_of_an_interval_counts():
    assert float_above(interval(1, 0.5)) >= 1.5
    assert float_below(interval(1, 0.5)) <= 0.5
    third = dyadic(3, -3, radius=1)
    assert third.contains(interval(0.25))
    assert third.contains(interval(0.5))


def test_equal_numbers_are_never_surely_ordered():
    third = Fraction(1, 3)
    assert not surely(lambda: (interval(third).exp().log(), interval(third)))
    assert surely(lambda: (interval(third), interval(third + Fraction(1, 2**3000))))
    assert not surely(lambda: (interval(third + Fraction(1, 2**3000)), interval(third)))


def test_a_decision_takes_as_many_bits_as_it_needs():
    asked = []

    def question(bits):
        asked.append(bits)
        return nearest_integer(interval(Fraction(1, 3)) * 3 * 2**400)

    assert decide(question) == 2**400
    assert asked == [128, 256, 512]
    with pytest.raises(Ambiguous), precision(64):
        question(64)
