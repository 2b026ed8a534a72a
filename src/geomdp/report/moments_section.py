"""What a release of moments says beyond its numbers: error bars, variation, the mean itself."""

from functools import singledispatch
from typing import Any

from geomdp.readings import Reading
from geomdp.releases.estimates import MomentsEstimate, moments_of
from geomdp.releases.estimates.document import ESTIMATES, SYNTHETIC
from geomdp.releases.release import Release
from geomdp.report.markup import Html, table
from geomdp.report.meaning_of_distance import spoken, title_of
from geomdp.report.numbers import value_table
from geomdp.report.page import paragraphs, section
from geomdp.report.pictures.by_space import picture_or_words
from geomdp.report.pictures.moments_pictures import geodesic_pictures, region_picture
from geomdp.report.pictures.scene import single_plan
from geomdp.statistics import CoverRadius
from geomdp.statistics.moments import MeanAndDispersion, Moments

#: Components that the table lists at most.
MOST_COMPONENTS = 10


@singledispatch
def consequences(statistic: Any, release: Release) -> Html:
    """Return a section on what follows from a value; nothing where there is nothing to add."""
    return Html("")


@consequences.register(Moments)
@consequences.register(MeanAndDispersion)
def _(statistic: Moments | MeanAndDispersion, release: Release) -> Html:
    made = single_plan(release)
    return moments_section(moments_of(release), reading=made.reading, names=made.names)


def moments_section(
    found: MomentsEstimate,
    name: str = "moments",
    reading: Reading | None = None,
    names: tuple[str, ...] = (),
) -> Html:
    """Return error bars, dispersion and variation in words, numbers and pictures."""
    words = found.describe()
    parts = [
        paragraphs(f"{words[:1].upper()}{words[1:]}. All of it follows from the release alone."),
        picture_or_words(lambda: region_picture(found, f"{name}-region", reading, names)),
        paragraphs(
            f"Dispersion, the mean squared distance from the mean: {found.dispersion:.4g}. The "
            "released mean, as a point of the space:"
        ),
        value_table(found.mean, ESTIMATES, names, reading),
    ]
    if found.second is not None:
        parts.append(_components(found))
        parts.append(
            picture_or_words(lambda: geodesic_pictures(found, f"{name}-geodesic", reading, names))
        )
        parts.append(
            paragraphs(
                f"{ESTIMATES} holds all of this as numbers, with {SYNTHETIC} synthetic records "
                "that have the released mean and covariance; more of them cost nothing."
            )
        )
    return section("What follows from it", parts)


def _components(found: MomentsEstimate) -> Html:
    rows = [
        [str(i), f"{one.deviation:.4g}"]
        for i, one in enumerate(found.principal_geodesics()[:MOST_COMPONENTS], start=1)
    ]
    half = ", ".join(f"{axis:.3g}" for axis in found.confidence_region().half_axes[:3])
    axes = f"Half axes of the 95% confidence region of the mean, the longest first: {half}."
    if not rows:
        return paragraphs(axes)
    heads = ["principal geodesic", "standard deviation along it"]
    return Html(paragraphs(axes) + table(heads, rows))


@title_of.register
def _(statistic: Moments) -> str:
    return f"Private mean and covariance on {spoken(statistic.ball.space)}"


@title_of.register
def _(statistic: MeanAndDispersion) -> str:
    return f"Private mean and dispersion on {spoken(statistic.ball.space)}"


@title_of.register
def _(statistic: CoverRadius) -> str:
    return f"Private radius of a ball on {spoken(statistic.space)}"
