"""Exact numbers: read as the decimal they print as, held as fractions, printed without loss."""

import math
import operator
import re
from decimal import Decimal
from fractions import Fraction
from typing import TypeAlias

from geomdp.errors import BudgetError

#: What a budget's number may be given as.
Number: TypeAlias = int | float | str | Decimal | Fraction

#: Larger numbers are no budget that anybody means, and would overflow a float.
LARGEST = 10**300
#: Bits of numerator and denominator: sums of many budgets fit, and print within 4300 digits.
_MOST_BITS = 2400
#: No number within these limits prints longer, or with a larger power of ten.
_LONGEST_TEXT, _LARGEST_EXPONENT = 5000, 1000
#: A decimal with an exponent, whatever its size.
_EXPONENT = re.compile(r"[+-]?[\d_.]+[eE][+-]?[\d_]+")


def read_number(value: Number, name: str) -> Fraction:
    """Read a number as the decimal it prints as.

    A float stands for the short decimal a person typed, not for its binary neighbour, so that ten
    times 0.1 is exactly 1. What is not a finite number is refused.
    """
    try:
        if isinstance(value, bool):
            raise TypeError  # True is an int to Python, but nobody means a budget of True
        # float() first: NumPy's scalars are floats whose repr is not a bare decimal.
        number = _fraction(repr(float(value)) if isinstance(value, float) else value)
    except (TypeError, ValueError, OverflowError, ZeroDivisionError):
        point = "; write a decimal point" if isinstance(value, str) and "," in value else ""
        raise BudgetError(f"{name} must be a finite number, not {_shown(value)}{point}.") from None
    if number is None or abs(number) > LARGEST:
        raise BudgetError(
            f"{name} must be at most 1e300 and written in fewer digits, not {_shown(value)}."
        )
    return number


def _fraction(value: int | str | Decimal | Fraction) -> Fraction | None:
    """Return an exact number, or None where it would take ages to write out."""
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return None
    if isinstance(value, str | Decimal):
        try:
            decimal = Decimal(value)
        except ArithmeticError:  # no decimal: perhaps 1/3, which is as long as it is written
            decimal = Decimal(0)
            if _EXPONENT.fullmatch(str(value).strip()):
                return None  # an exponent beyond those of decimals
        if decimal.is_finite() and decimal and abs(decimal.adjusted()) > _LARGEST_EXPONENT:
            return None
    number = Fraction(value)
    size = max(abs(number.numerator), number.denominator).bit_length()
    return number if size <= _MOST_BITS else None


def _shown(value: object) -> str:
    try:
        text = repr(value)
    except ValueError:  # an integer too long for Python to print
        return "one of thousands of digits"
    return text if len(text) <= 60 else f"{text[:60]}..."


def read_positive(value: Number, name: str) -> Fraction:
    """Read a number as :func:`read_number` does and insist that it is positive."""
    number = read_number(value, name)
    if number <= 0:
        raise BudgetError(
            f"{name} must be greater than 0, not {_shown(value)}; give a positive number."
        )
    return number


def read_amount(value: Number, name: str) -> Fraction:
    """Read a number as :func:`read_number` does and insist that it is not negative."""
    number = read_number(value, name)
    if number < 0:
        raise BudgetError(f"{name} must be 0 or greater, not {_shown(value)}.")
    return number


def read_failure(value: Number) -> Fraction:
    """Read a failure probability that may be zero."""
    number = read_number(value, "delta")
    if not 0 <= number < 1:
        raise BudgetError(f"delta must be at least 0 and below 1, not {_shown(value)}.")
    return number


def read_delta(value: Number) -> Fraction:
    """Read a failure probability, strictly between 0 and 1."""
    number = read_number(value, "delta")
    if not 0 < number < 1:
        raise BudgetError(f"delta must lie strictly between 0 and 1, not {_shown(value)}.")
    return number


def read_count(value: int, name: str) -> int:
    """Read a whole number of at least 1."""
    try:
        count = 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        count = 0
    if count < 1:
        raise BudgetError(f"{name} must be a whole number of at least 1, not {_shown(value)}.")
    return count


def exact_text(value: Fraction) -> str:
    """Print a fraction without loss: as a decimal where it is one, else as a quotient."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    if rest != 1:
        return str(value)
    places = max(twos, fives)
    digits = value.numerator * 10**places // value.denominator
    # scaleb would round to the ambient decimal context; building from the digits does not.
    number = Decimal((int(digits < 0), tuple(map(int, str(abs(digits)))), -places))
    return str(number).replace("E", "e")


def short_text(value: Fraction) -> str:
    """Print a number as people read it: in full where it is short, else to six digits."""
    text = f"{float(value):.6g}"
    if "e" in text:
        head, power = text.split("e")
        return f"{head}e{int(power)}"
    return text


def literal(text: str) -> str:
    """Quote a text that Python would not read back as the same exact number."""
    try:
        return text if Fraction(repr(float(text))) == Fraction(text) else repr(text)
    except ValueError:
        return repr(text)


def exact_sqrt(value: Fraction) -> Fraction | None:
    """Square root of a non-negative fraction where it is a fraction itself, else None."""
    top, bottom = math.isqrt(value.numerator), math.isqrt(value.denominator)
    return Fraction(top, bottom) if Fraction(top, bottom) ** 2 == value else None


def root_above(square: Fraction) -> Fraction:
    """Root of a fraction, exact or the next decimal of six digits above it."""
    root = exact_sqrt(square)
    if root is not None:
        return root
    return Fraction(1 + math.isqrt(10**12 * square.numerator // square.denominator), 10**6)
