"""What a report says of a normative region: where most people lie, and centiles by distance."""

from functools import partial
from itertools import product
from typing import Any

import numpy as np

from geomdp.plans import Plan
from geomdp.plans.release import Release
from geomdp.releases.estimates import NormativeEstimate, normative_of
from geomdp.releases.estimates.normative import SHOWN
from geomdp.report import words
from geomdp.report.naming import subject_in
from geomdp.report.pictures.by_space import draw_subject, tiled
from geomdp.report.pictures.charts import centile_chart, curves_chart
from geomdp.report.pictures.scene import Scene
from geomdp.report.rendering import Figure, Section, Table, picture_or_words, pictures_or_words
from geomdp.report.sections import MOST_DRAWN, SECTIONS
from geomdp.report.words import capital


def normative_section(release: Release) -> Section | str:
    """Return where most people lie, and centiles by distance; nothing of the median's stage."""
    if not release.plan.statistic.median > 0:  # type: ignore[attr-defined]
        return ""
    found = normative_of(release)
    far = 1.5 * found.radius * np.linspace(0, 1, 200)
    chart = centile_chart(far, found.centiles(far), found.asked.level, found.radius)
    rows = [[str(centile), f"{found.radius_at(centile):.3g}"] for centile in SHOWN]
    told = [f"{capital(found.describe())}. {words.FOLLOWS}", *pictures(found, release.plan)]
    table = Table(["centile", "standard deviations from the mean"], rows)
    return Section("Where most people lie", [*told, Figure(chart, words.CENTILES), table])


def pictures(found: NormativeEstimate, plan: Plan) -> list[Any]:
    """Draw the region; with covariates a chart of centiles, or the region along each of them."""
    subject = subject_in(found.asked.ball.space, plan.reading)
    edge = f"The released mean (bold), and how far out the {100 * found.asked.level:g}% reach"

    def scene(one: NormativeEstimate) -> Scene:
        region = one.region(100 * one.asked.level)
        ring, ball = region.mean.size == 2, one.asked.ball
        return Scene(one.mean, region.boundary(), ring, ball, region, plan.names)

    def alone() -> Figure:
        return Figure(
            draw_subject(subject, scene(found), "normative", "Normative region"), f"{edge}."
        )

    def chart(place: int, name: str, group: dict[str, str]) -> Figure:
        ages, curves = found.curves(name, **group)
        whose = "".join(f", {other} {level}" for other, level in group.items())
        told = f"{words.CURVES_OF_CENTILES} {name}{whose}."
        return Figure(curves_chart(ages, curves, name, place), told)

    def along(name: str) -> Figure:
        scenes = {label: scene(found.at(**at)) for label, at in found.along(name)}
        return Figure(tiled(subject, f"normative-{name}", scenes), f"{edge}, along {name}.")

    design = found.asked.design
    if design is None:
        return [picture_or_words(alone)]
    numbers = [one.name for one in design.covariates if not one.level_names]
    made = [partial(along, name) for name in design.names]
    if found.asked.mean.size == 1 and numbers:
        every = enumerate(product(numbers, found.groups()))
        made = [partial(chart, place, *pair) for place, pair in every]
    return pictures_or_words(made[:MOST_DRAWN])


SECTIONS.register("normative", normative_section)
