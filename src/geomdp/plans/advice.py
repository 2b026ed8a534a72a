"""What another question would cost: a sentence beside a plan, by public things alone."""

from collections.abc import Iterator
from dataclasses import replace

from geomdp.errors import GeomdpError
from geomdp.mechanisms import MECHANISMS, Request
from geomdp.privacy import Budget, Unit
from geomdp.registry import foreign_package

#: Another question is named where its forecast is at most this part of the plan's.
FAR_SMALLER = 2 / 3


def wide_data(request: Request, expected: float) -> Iterator[str]:
    """Name the mean by an embedding where its forecast is far smaller than this one.

    Diameters are compared first, so that no other plan is made in a small ball.
    """
    other = request.statistic.embedded()
    if other is None:
        return
    stretch = other.embedding.stretch  # type: ignore[attr-defined]
    moved = other.sensitivity(request.n, "sharp").value / stretch
    if moved > FAR_SMALLER * request.statistic.sensitivity(request.n, request.bound).value:
        return
    least = least_error(replace(request, statistic=other))
    if least is not None and least <= FAR_SMALLER * expected:
        yield (
            f"the ball is wide: an extrinsic mean of the same records (ExtrinsicMean, --statistic "
            f"extrinsic-mean) would err by {least:.3g} where they lie together, and by that over "
            "their resultant length where they do not; it is another mean, and has no cut locus"
        )


def private_labels(
    request: Request, sizes: dict[str, int], unit: Unit, budget: Budget, expected: float
) -> Iterator[str]:
    """Name classes where labels are private and their means err less for the whole budget."""
    if unit.labels != "private" or unit.of != "record":
        return
    other = request.statistic.of_classes(tuple(sizes))
    if other is None:
        return
    n = sum(sizes.values())
    asked = replace(
        request, statistic=other.under(budget, n), n=n, budget=budget, unit=Unit.record()
    )
    least = least_error(asked)
    # The error of a class of average size, in the smallest one.
    least = None if least is None else least * n / len(sizes) / min(sizes.values())
    if least is not None and least < expected:
        yield (
            f"labels are private: Classes (--classes {','.join(sizes)}) gives tangent means of all "
            f"groups for the whole budget, with an error of {least:.3g} in the smallest, and "
            "hides the sizes of groups too"
        )


def least_error(request: Request) -> float | None:
    """Return the least forecast error of our mechanisms; None where none serves."""
    found = []
    for mechanism in MECHANISMS.values():
        if mechanism.comparison or foreign_package(mechanism) is not None:
            continue
        if not mechanism.concerns(request.statistic):
            continue
        try:
            found.append(mechanism.forecast(mechanism.calibrate(request)).expected)
        except GeomdpError:
            continue
    return min(found, default=None)
