"""Rounding in the direction that is safe.

An interval surely contains the ideal real number. Results leave interval arithmetic as floats or
short decimals a hair outside the interval, so that both the decimal and the float nearest to it err
on the safe side (docs/theory/gaussian-calibration.md, "Rounding").
"""

from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np

from geomdp.intervals.numbers import Interval

#: Significant digits of a certified result: short enough that its float prints as the same decimal.
DIGITS = 13
#: Added before rounding, so that the nearest float (relative error 2^-53) is on the safe side too.
MARGIN = Fraction(1, 2**50)


def float_above(value: Interval | Fraction) -> float:
    """Float certainly not below the value; the value itself if it is a fraction and a float.

    Examples
    --------
    >>> float_above(Fraction(10)), Fraction(float_above(Fraction(1, 3))) > Fraction(1, 3)
    (10.0, True)
    """
    if isinstance(value, Fraction):
        nearest = float(value)
        return nearest if Fraction(nearest) >= value else float(np.nextafter(nearest, np.inf))
    return float(np.nextafter(float(value.upper()), np.inf))


def float_below(value: Interval | Fraction) -> float:
    """Float certainly not above the value; the value itself if it is a fraction and a float.

    Examples
    --------
    >>> float_below(Fraction(10)), Fraction(float_below(Fraction(2, 3))) < Fraction(2, 3)
    (10.0, True)
    """
    return -float_above(-value)


def _fraction(endpoint: Interval) -> Fraction:
    mantissa, exponent = endpoint.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def round_up(value: Interval | Fraction) -> Fraction:
    """Return a positive 13-digit decimal above the value, or the value if it is a plain float.

    Examples
    --------
    >>> float(round_up(Fraction(1, 3))), float(round_up(Fraction(1, 4)))
    (0.3333333333334, 0.25)
    """
    exact = value if isinstance(value, Fraction) else _fraction(value.upper())
    return exact if _is_plain(exact) else _to_digits(exact * (1 + MARGIN), ROUND_CEILING)


def round_down(value: Interval | Fraction) -> Fraction:
    """Return a positive 13-digit decimal below the value, or the value if it is a plain float.

    Examples
    --------
    >>> float(round_down(Fraction(2, 3))), float(round_down(Fraction(1, 4)))
    (0.6666666666666, 0.25)
    """
    exact = value if isinstance(value, Fraction) else _fraction(value.lower())
    return exact if _is_plain(exact) else _to_digits(exact * (1 - MARGIN), ROUND_FLOOR)


def _is_plain(value: Fraction) -> bool:
    """Tell whether the nearest float is the value, and prints as the value."""
    return Fraction(1, 2**64) <= value <= 2**64 and Fraction(float(value)) == value == Fraction(
        repr(float(value))
    )


def _to_digits(value: Fraction, rounding: str) -> Fraction:
    # One division, so one rounding; the exponent range covers every float and far beyond.
    context = Context(prec=DIGITS, rounding=rounding, Emin=-999999, Emax=999999)
    return Fraction(context.divide(Decimal(value.numerator), Decimal(value.denominator)))


def largest(holds: Callable[[Fraction], bool], start: Fraction) -> Fraction:
    """Return a 13-digit decimal at which a certified, downward closed condition holds.

    Bisects from ``start`` until the bracket is below the rounding of the result.

    Examples
    --------
    >>> float(largest(lambda x: x * x <= 2, Fraction(1)))
    1.414213562373
    """
    low = high = start
    while not holds(low):
        low, high = low / 2, low
    while high == low or holds(high):
        low, high = high, high * 2
    while high - low > low * MARGIN:
        middle = (low + high) / 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return round_down(low)


def smallest(holds: Callable[[Fraction], bool], start: Fraction) -> Fraction:
    """Return a 13-digit decimal at which a certified, upward closed condition holds.

    Examples
    --------
    >>> float(smallest(lambda x: x * x >= 2, Fraction(1)))
    1.414213562374
    """
    low = high = start
    while not holds(high):
        low, high = high, high * 2
    while low == high or holds(low):
        low, high = low / 2, low
    while high - low > low * MARGIN:
        middle = (low + high) / 2
        low, high = (low, middle) if holds(middle) else (middle, high)
    return round_up(high)
