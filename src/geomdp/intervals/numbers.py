"""Real and complex intervals: the one file that names python-flint.

An *interval* is a midpoint and a radius that certainly contain the ideal number. Its methods
(``exp``, ``log``, ``upper``, ...) are python-flint's; how intervals are made, integrated and
collected in matrices is written here.
"""

import copyreg
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from threading import RLock
from typing import Any, TypeAlias


class _Late:
    """Stands for python-flint until something is first computed with it: help comes without."""

    def __getattr__(self, name: str) -> Any:
        global flint  # noqa: PLW0603  (from now on the name is the module)
        import flint

        copyreg.pickle(flint.arb, _reduced)
        copyreg.pickle(flint.acb, _reduced_complex)
        return getattr(flint, name)


flint: Any = _Late()

#: ``flint.arb``, or ``flint.acb`` for complex numbers: python-flint ships no types.
Interval: TypeAlias = Any
#: ``flint.arb_mat``.
Matrix: TypeAlias = Any


class Ambiguous(ArithmeticError):  # noqa: N818  (control flow: "use more bits", not a failure)
    """The intervals at hand are too wide to decide a comparison; more precision will."""


#: python-flint has one precision for a whole process: another thread must not change it meanwhile.
_one_at_a_time = RLock()


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Work with ``bits`` bits inside the block; other threads that set a precision wait.

    So nothing inside may wait for such a thread.

    >>> with precision(200):
    ...     working_bits()
    200
    """
    with _one_at_a_time, flint.ctx.workprec(bits):
        yield


def working_bits() -> int:
    """Bits with which intervals are computed now."""
    return int(flint.ctx.prec)


def interval(value: Fraction | float | Interval, radius: float | Interval = 0) -> Interval:
    """Interval that contains a fraction, or is a float exactly; with room around it if asked for.

    >>> third = interval(Fraction(1, 3))
    >>> bool(third * 3 == 1), bool((third * 3).contains(1)), bool(interval(1, 0.5).contains(1.25))
    (False, True, True)
    """
    # Asking a float whether it is a fraction takes as long as the rest.
    if type(value) is not float and isinstance(value, Fraction):
        value = flint.fmpq(value.numerator, value.denominator)
    return flint.arb(value, radius)


def dyadic(numerator: int, exponent: int, radius: int = 0) -> Interval:
    """Interval ``(numerator +- radius) * 2**exponent``, however many bits that takes.

    >>> float(dyadic(3, -2))
    0.75
    """
    return flint.arb((numerator, exponent), (radius, exponent))


def _whole(middle: tuple[int, int], radius: tuple[int, int]) -> Interval:
    return flint.arb(middle, radius)


def _reduced(value: Interval) -> tuple[Any, ...]:
    """Say how a finite interval is built again, no narrower: python-flint pickles none."""
    ends = ([int(number) for number in part.man_exp()] for part in (value.mid(), value.rad()))
    return _whole, tuple(tuple(end) for end in ends)


def _reduced_complex(value: Interval) -> tuple[Any, ...]:
    return complex_interval, (value.real, value.imag)


def complex_interval(real: Interval, imaginary: Interval) -> Interval:
    """Complex interval with these real and imaginary parts."""
    return flint.acb(real, imaginary)


def is_interval(value: Any) -> bool:
    """Tell whether a value is a real or complex interval."""
    return isinstance(value, flint.arb | flint.acb)


def is_complex(value: Any) -> bool:
    """Tell whether a value is a complex interval."""
    return isinstance(value, flint.acb)


def middle(value: Interval) -> Interval:
    """Midpoint, as an interval of radius 0.

    >>> float(middle(interval(1, 0.5)).rad())
    0.0
    """
    return flint.acb(value.real.mid(), value.imag.mid()) if is_complex(value) else value.mid()


def pi() -> Interval:
    """Interval around pi.

    >>> bool(pi() > 3.14159265358979), float(pi().rad()) > 0
    (True, True)
    """
    return flint.arb.pi()


def infinity() -> Interval:
    """Plus infinity."""
    return flint.arb.pos_inf()


def arctan2(y: Interval, x: Interval) -> Interval:
    """Angle of the point (x, y)."""
    return flint.arb.atan2(y, x)


def nearest_integer(value: Interval) -> int:
    """Nearest integer with proof, halves upwards, else raise :class:`Ambiguous`.

    >>> nearest_integer(interval(5) / 3)
    2
    """
    integer = (value + 0.5).floor().unique_fmpz()
    if integer is None:
        raise Ambiguous
    return int(integer)


def integral(
    integrand: Callable[[Interval, bool], Interval],
    end: Interval,
    relative_bits: int,
    absolute: Interval | None = None,
) -> Interval:
    """Integral from 0 to ``end`` of an analytic function; the error bound is part of the interval.

    Parameters
    ----------
    integrand
        Called with a complex argument, and with whether it has to be analytic there.
    end
        Upper limit.
    relative_bits, absolute
        When the quadrature may stop: these decide about time and width, not about correctness.

    Examples
    --------
    >>> round(float(integral(lambda t, _: t * t, interval(3), 60)), 12)
    9.0
    """
    relative = flint.arb(2) ** -relative_bits
    return flint.acb.integral(integrand, 0, end, rel_tol=relative, abs_tol=absolute).real


def matrix(rows: Sequence[Sequence[Any]]) -> Matrix:
    """Matrix of intervals, or of floats taken as exact."""
    return flint.arb_mat(rows)


def eigenvalues(symmetric: Matrix) -> list[Interval]:
    """Eigenvalues of a symmetric matrix, in no particular order.

    A spectrum that cannot be separated at this precision is :class:`Ambiguous`.
    """
    try:
        return [value.real for value in flint.acb_mat(symmetric).eig()]
    except ValueError as error:
        raise Ambiguous from error
