"""What a report says of a normative region: where most people lie, and centiles by distance."""

import numpy as np

from geomdp.plans.release import Release
from geomdp.releases.estimates import normative_of
from geomdp.releases.estimates.normative import SHOWN
from geomdp.report import words
from geomdp.report.naming import subject_in
from geomdp.report.pictures.by_space import draw_subject
from geomdp.report.pictures.charts import centile_chart
from geomdp.report.pictures.scene import Scene
from geomdp.report.rendering import Figure, Section, Table, picture_or_words
from geomdp.report.sections import SECTIONS
from geomdp.report.words import capital


def normative_section(release: Release) -> Section | str:
    """Return where most people lie, and centiles by distance; nothing of the median's stage."""
    if not release.plan.statistic.median > 0:  # type: ignore[attr-defined]
        return ""
    found = normative_of(release)
    subject = subject_in(found.asked.ball.space, release.plan.reading)
    region, names = found.region(100 * found.asked.level), release.plan.names

    def drawn() -> Figure:
        ring = region.mean.size == 2
        scene = Scene(found.mean, region.boundary(), ring, found.asked.ball, region, names)
        return Figure(
            draw_subject(subject, scene, "normative", "Mean and normative region"),
            f"The released mean (bold), and how far out the {100 * found.asked.level:g}% reach.",
        )

    far = 1.5 * found.radius * np.linspace(0, 1, 200)
    chart = centile_chart(far, found.centiles(far), found.asked.level, found.radius)
    rows = [[str(centile), f"{found.radius_at(centile):.3g}"] for centile in SHOWN]
    told = [f"{capital(found.describe())}. {words.FOLLOWS}", picture_or_words(drawn)]
    table = Table(["centile", "standard deviations from the mean"], rows)
    return Section("Where most people lie", [*told, Figure(chart, words.CENTILES), table])


SECTIONS.register("normative", normative_section)
