"""What a release says beyond its value: the section that its statistic names.

Another package adds its own: ``SECTIONS.register("name", function)`` with a function from a release
to a :class:`~geomdp.report.rendering.Section`, and ``section = "name"`` in its statistic.
"""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np

from geomdp.curves import error_band
from geomdp.plans.release import Release
from geomdp.readings import Reading
from geomdp.registry import Registry
from geomdp.releases.estimates import (
    Combined,
    FunctionMomentsEstimate,
    MomentsEstimate,
    classes_of,
    compare_distributions,
    distribution_of,
    extrinsic_of,
    function_moments_of,
    moments_of,
)
from geomdp.releases.estimates.document import ESTIMATES, SYNTHETIC
from geomdp.report import words
from geomdp.report.naming import subject_in
from geomdp.report.numbers import listed, value_table
from geomdp.report.pictures.by_space import draw_subject, tiled
from geomdp.report.pictures.ink import own_settings
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import style_of
from geomdp.report.rendering import (
    Figure,
    Section,
    Table,
    picture_or_words,
    pictures_or_words,
    render,
)
from geomdp.report.words import capital
from geomdp.typing import Array

#: Components that a table lists at most.
MOST_COMPONENTS = 10
#: Principal geodesics, components of curves and curves of covariates that are drawn at most.
MOST_DRAWN = 3
#: Levels of a covariate that are drawn at most.
MOST_LEVELS = 6
#: Standard deviations from the mean at which a principal geodesic is shown, and their names.
STEPS = {-2.0: "−2", -1.0: "−1", 0.0: "mean", 1.0: "+1", 2.0: "+2"}
#: Standard deviations to either side at which a component of curves is shown.
AWAY = 2.0

#: What follows from a release, by the name that its statistic has for it.
SECTIONS: "Registry[Callable[[Release], Section | str]]" = Registry(
    "section",
    own=(
        "geomdp.report.sections",
        "geomdp.report.normative_section",
        "geomdp.report.regression_section",
    ),
)
#: How the groups of a release differ, by the same names.
COMPARED: "Registry[Callable[[Release], Section | str]]" = Registry(
    "comparison", own=("geomdp.report.sections",)
)


def consequences(release: Release) -> Section | str:
    """Return a section on what follows from a value; nothing where there is nothing to add."""
    return SECTIONS.named(release.plan.statistic.section)(release)


def nothing(release: Release) -> str:
    """Add nothing to a value that is shown as it is."""
    return ""


# Moments of points.


def moments_section(release: Release) -> Section:
    """Return error bars, dispersion and variation in words, numbers and pictures."""
    found, plan = moments_of(release), release.plan
    content = [
        f"{capital(found.describe())}. {words.FOLLOWS}",
        picture_or_words(lambda: region_picture(found, "moments-region", plan.reading, plan.names)),
        f"Dispersion, the mean squared distance from the mean: {found.dispersion:.4g}. The "
        "released mean, as a point of the space:",
        *value_table(found.mean, ESTIMATES, plan.names, plan.reading),
    ]
    if found.second is not None:
        content += [
            *_components(found),
            *geodesic_pictures(found, plan.reading, plan.names),
            words.SYNTHETIC.format(file=ESTIMATES, count=SYNTHETIC),
        ]
    return Section("What follows from it", content)


def _components(found: MomentsEstimate) -> list[Any]:
    rows = [
        [str(i), f"{one.deviation:.4g}"]
        for i, one in enumerate(found.principal_geodesics()[:MOST_COMPONENTS], start=1)
    ]
    half = listed(found.confidence_region().half_axes[:3], 3)
    axes = f"Half axes of the 95% confidence region of the mean, the longest first: {half}."
    heads = ["principal geodesic", "standard deviation along it"]
    return [axes, Table(heads, rows)] if rows else [axes]


def region_picture(
    found: MomentsEstimate | Combined,
    name: str = "region",
    reading: Reading | None = None,
    names: tuple[str, ...] = (),
) -> Figure:
    """Draw the released mean with its confidence region: a cone, a band or nested ellipsoids."""
    subject = subject_in(found.ball.space, reading)
    scene = region_scene(found, names)
    picture = draw_subject(subject, scene, name, "Mean and confidence region")
    style = style_of(subject)
    filled = words.REGION_FILLED if style.fills else words.REGION_EDGE
    around = "" if scene.region is None else filled
    return Figure(picture, f"The released mean (bold) {style.caption}.{around}")


def region_scene(found: MomentsEstimate | Combined, names: tuple[str, ...] = ()) -> Scene:
    """Return the released mean with its confidence region, where it has one."""
    if not found.has_region:
        return Scene(found.mean, found.mean[None], ball=found.ball, names=names)
    region = found.confidence_region()
    ring = found.ball.space.dim == 2
    return Scene(
        found.mean, region.boundary(), ring=ring, ball=found.ball, region=region, names=names
    )


def geodesic_pictures(
    found: MomentsEstimate, reading: Reading | None = None, names: tuple[str, ...] = ()
) -> list[Any]:
    """Draw the principal geodesics that stand above the noise, a row of tiles each."""
    count = len(found.principal_geodesics()[:MOST_DRAWN])
    drawings = [partial(_geodesic, found, i, reading, names) for i in range(count)]
    return pictures_or_words(drawings) or [words.NO_GEODESIC]


def _geodesic(
    found: MomentsEstimate, number: int, reading: Reading | None, names: tuple[str, ...]
) -> Figure:
    one = found.principal_geodesics()[number]
    points = one.points(np.array(list(STEPS)))
    scenes = {
        label: Scene(point, found.mean[None], ball=found.ball, names=names)
        for label, point in zip(STEPS.values(), points, strict=True)
    }
    caption = (
        f"Principal geodesic {number + 1}, in standard deviations ({one.deviation:.3g} each) from "
        "the released mean."
    )
    subject = subject_in(found.ball.space, reading)
    return Figure(tiled(subject, f"moments-geodesic{number + 1}", scenes), caption)


# Means by an embedding.


def extrinsic_section(release: Release) -> Section:
    """Return the nearest point, and how far the records agree."""
    found, plan = extrinsic_of(release), release.plan
    table = value_table(found.mean, "value.npy", plan.names, plan.reading)
    told = [f"{capital(found.describe())}. {words.FOLLOWS}", words.EXTRINSIC]
    return Section("What follows from it", [*told, *table])


# Classes with private labels.


def classes_section(release: Release) -> Section:
    """Return sizes and means of the classes with their errors, and pictures of the means."""
    found, plan = classes_of(release), release.plan
    subject = subject_in(found.asked.ball.space, plan.reading)
    errors, sizes = found.errors, found.sizes

    def drawn() -> Figure:
        scenes = {
            label: Scene(mean, mean[None], ball=found.asked.ball, names=plan.names)
            for label, mean in list(zip(found.labels, found.means, strict=True))[:MOST_LEVELS]
        }
        return Figure(tiled(subject, "classes", scenes), "The released class means.")

    heads = ["class", "size", "error of its mean by noise", "by sampling"]
    rows = [
        [label, f"{sizes[label]:.0f}", *(f"{number:.3g}" for number in errors[label])]
        for label in found.labels
    ]
    told = f"{capital(found.describe())}. {words.FOLLOWS}"
    return Section("The classes", [told, picture_or_words(drawn), Table(heads, rows, "stack")])


# Distributions.

#: Levels whose quantiles a table lists.
LISTED = (0.05, 0.25, 0.5, 0.75, 0.95)


def distribution_section(release: Release) -> Section:
    """Return quantiles and shares with their band, in words and as a picture."""
    found = distribution_of(release)

    def banded() -> Figure:
        scene = Scene(found.quantiles, np.stack([found.lower, found.upper]))
        drawn = draw_subject(found.statistic, scene, "band", "Mean distribution and band")
        return Figure(drawn, f"The mean distribution (bold). {words.BAND_OF_DISTRIBUTION}")

    rows = [[f"{100 * p:g}% of readings below", str(found.quantile(p))] for p in LISTED]
    rows += [[f"share above {t:g}", str(found.share_above(t))] for t in found.statistic.above]
    heads = ["of the mean distribution", "with the ends of its 95% band"]
    told = [f"{capital(found.describe())}. {words.FOLLOWS}", picture_or_words(banded)]
    return Section("What follows from it", [*told, Table(heads, rows), words.BARYCENTRE])


def distributions_differ(release: Release) -> Section:
    """Compare the mean distributions of groups, two by two."""
    thresholds = next(iter(release.parts.values())).plan.statistic.above  # type: ignore[attr-defined]
    rows = []
    for a, b in combinations(release.parts, 2):
        found = compare_distributions(release.parts[a], release.parts[b])
        shares = [str(found.share_above(t)) for t in thresholds]
        seen = "yes" if found.differ else "not beyond the noise"
        rows.append([f"{a} less {b}", f"{found.distance:.3g}", seen, *shares])
    heads = ["groups", "Wasserstein distance", "do they differ?"]
    heads += [f"difference of shares above {t:g}" for t in thresholds]
    return Section("Do the groups differ?", [Table(heads, rows, "stack"), words.DIFFERENCES])


# Curves.


def curve_section(release: Release) -> Section | str:
    """Return the mean curve with its band, where a line on either side would show one."""
    statistic: Any = release.plan.statistic
    if style_of(statistic).axes is None or len(statistic.grid.shape) > 1:
        return ""

    def banded() -> Figure:
        caption = f"The released mean (bold). {words.BAND_OF_MEAN}"
        away = error_band(release.plan.single)
        return _drawn(statistic, release.value, away, "band", "Mean and band", caption)

    return Section("How far the mean may be", [picture_or_words(banded)])


def curve_moments_section(release: Release) -> Section:
    """Return the mean curve with its band, and how curves vary."""
    found = function_moments_of(release)
    components = found.principal_components()
    drawings = [partial(_component, found, i) for i in range(len(components[:MOST_DRAWN]))]
    deviations = listed((one.deviation for one in components), 4)
    told = f"Standard deviations along the components that stand above the noise: {deviations}."
    return Section(
        "What follows from it",
        [
            words.CURVES_FOLLOW,
            *pictures_or_words([partial(_mean, found), *drawings]),
            told if components else words.NO_COMPONENT,
        ],
    )


def _mean(found: FunctionMomentsEstimate) -> Figure:
    caption = (
        f"The released mean (bold) {style_of(found.functions).caption}. {words.BAND_OF_MOMENTS}"
    )
    named = "moments-mean", "Mean and band", caption
    return _drawn(found.functions, found.mean, found.band(), *named)


def _component(found: FunctionMomentsEstimate, number: int) -> Figure:
    one = found.principal_components()[number]
    caption = (
        f"Component {number + 1}: the mean (bold), and {AWAY:g} standard deviations "
        f"({one.deviation:.3g} each) to either side."
    )
    away = AWAY * one.deviation * one.function
    named = f"component{number}", f"Component {number + 1}", caption
    return _drawn(found.functions, found.mean, away, *named)


def _drawn(subject: Any, mean: Array, away: Array, name: str, alt: str, caption: str) -> Figure:
    """Draw the mean, and curves that lie so far to either side of it."""
    scene = Scene(mean, np.stack([mean - away, mean + away]))
    return Figure(draw_subject(subject, scene, name, alt), caption)


# Several sites.


@own_settings()
def combined_html(joint: Combined, sites: Mapping[str, MomentsEstimate]) -> str:
    """Return the page: the mean with its region, and each site's beside it."""
    rows = [
        [name, str(one.n), f"{one.confidence_region().half_axes[0]:.4g}"]
        for name, one in sites.items()
    ]
    total = str(sum(one.n for one in sites.values()))
    rows.append(["all together", total, f"{joint.confidence_region().half_axes[0]:.4g}"])
    return render(
        "combined",
        title=f"Combined private mean on {joint.ball.space.title}",
        region=picture_or_words(lambda: region_picture(joint)),
        value=value_table(joint.mean, "combined.json"),
        sites=Table(["release", "n", "half axis of the 95% region"], rows),
        script="",
    )


for _name in ("value", "radius"):
    SECTIONS.register(_name, nothing)
SECTIONS.register("moments", moments_section)
SECTIONS.register("extrinsic", extrinsic_section)
SECTIONS.register("distribution", distribution_section)
COMPARED.register("distribution", distributions_differ)
SECTIONS.register("classes", classes_section)
SECTIONS.register("curve", curve_section)
SECTIONS.register("curve-moments", curve_moments_section)
