"""The road from costs to (epsilon, delta): plain sums for some releases, one curve for the rest.

Every road is valid, so the shortest may be taken: docs/theory/composition.md, "Costs".
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import NamedTuple

from geomdp.privacy.budgets import GDP, ZCDP, Approximate
from geomdp.privacy.conversion import convert, implies

#: So many of the dearest releases are tried apart from the curve, besides none and all of them.
MOST_APART = 8


class Known(NamedTuple):
    """What is known about one release, made ``times`` times."""

    loss: Fraction | None
    mu_squared: Fraction
    rho: Fraction
    times: int


class Road(NamedTuple):
    """Epsilons that add up plainly, and a curve for the other releases."""

    plain: Fraction
    curve: GDP | ZCDP


def roads(known: Sequence[Known]) -> Iterator[Road]:
    """Every split that is tried: those apart that the curve would charge most, the rest on it.

    Examples
    --------
    >>> one = Known(Fraction(1), Fraction(2), Fraction(1, 2), times=1)
    >>> [road.plain for road in roads([one])]
    [Fraction(0, 1), Fraction(0, 1), Fraction(1, 1)]
    """
    bounded = [(release.loss, release) for release in known if release.loss is not None]
    bounded.sort(key=lambda pair: (pair[1].mu_squared, pair[0]), reverse=True)
    unbounded = [release for release in known if release.loss is None]
    for apart in sorted({*range(min(len(bounded), MOST_APART + 1)), len(bounded)}):
        plain = sum((loss * release.times for loss, release in bounded[:apart]), Fraction(0))
        rest = [release for _, release in bounded[apart:]] + unbounded
        yield Road(plain, GDP.from_parts(_sum(r.times * r.mu_squared for r in rest)))
        if rest:
            yield Road(plain, ZCDP.from_parts(_sum(r.times * r.rho for r in rest)))


def _sum(parts: Iterator[Fraction]) -> Fraction:
    return sum(parts, Fraction(0))


def best_epsilon(known: Sequence[Known], delta: Fraction) -> Fraction | None:
    """Smallest epsilon at ``delta`` over all roads, rounded up; None where there is none.

    Examples
    --------
    >>> best_epsilon([Known(None, Fraction(1), Fraction(1, 2), times=1)], Fraction(0)) is None
    True
    """
    if delta < 0:
        return None
    return min(
        (
            road.plain + convert(road.curve, Approximate, delta).parts[0]
            for road in roads(known)
            if delta or not road.curve
        ),
        default=None,
    )


def within(known: Sequence[Known], epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether some road proves (epsilon, delta)-privacy.

    Examples
    --------
    >>> within([Known(Fraction(1), Fraction(2), Fraction(1, 2), times=1)], Fraction(1), Fraction(0))
    True
    """
    return delta >= 0 and any(
        implies(road.curve, Approximate.from_parts(epsilon - road.plain, delta))
        for road in roads(known)
        if road.plain <= epsilon
    )
