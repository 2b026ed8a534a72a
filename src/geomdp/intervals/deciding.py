"""Questions about real numbers, asked with more and more bits until the answer is certain."""

from collections.abc import Callable
from typing import TypeVar

from geomdp.intervals.numbers import Ambiguous, Interval, precision

#: Bits of the first attempt at a decision; each ambiguity doubles them.
FIRST_BITS = 128
#: An undecided draw at this many bits has probability below 2^-60000: a mistake in the program.
LAST_BITS = 1 << 16
#: Bits at which an undecided comparison gives up and takes the safe answer.
PATIENCE_BITS = 1 << 14

T = TypeVar("T")


class UndecidedError(ArithmeticError):
    """No precision that was tried separates the numbers."""


def decide(question: Callable[[int], T], last_bits: int = LAST_BITS) -> T:
    """Ask with more and more bits until the answer is certain.

    Parameters
    ----------
    question
        Called with the number of bits; raises :class:`Ambiguous` if they are too few.
    last_bits
        Give up beyond this many.

    Examples
    --------
    >>> from geomdp.intervals.numbers import nearest_integer, pi
    >>> len(str(decide(lambda bits: nearest_integer(10**200 * pi()))))
    201
    """
    bits = FIRST_BITS
    while bits <= last_bits:
        try:
            with precision(bits):
                return question(bits)
        except Ambiguous:
            bits *= 2
    raise UndecidedError(f"A draw could not be decided with {last_bits} bits; please report this.")


def surely(condition: Callable[[], tuple[Interval, Interval]]) -> bool:
    """Tell whether ``a <= b`` is certain, for the pair of intervals that ``condition`` computes.

    A pair that never separates (equality) counts as not certain, which is the safe answer for the
    calibrations that ask.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from geomdp.intervals.numbers import interval
    >>> surely(lambda: (interval(Fraction(1, 3)).exp().log(), interval(Fraction(34, 100))))
    True
    """

    def at_most(_bits: int) -> bool:
        small, large = condition()
        if small <= large:
            return True
        if small > large:
            return False
        raise Ambiguous

    try:
        return decide(at_most, PATIENCE_BITS)
    except UndecidedError:
        return False
