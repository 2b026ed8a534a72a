"""Pictures of what released moments say: the region of the mean, and how records vary."""

import numpy as np

from geomdp.readings import Reading
from geomdp.releases.estimates import Combined, MomentsEstimate
from geomdp.report.markup import Html
from geomdp.report.page import figure, paragraphs
from geomdp.report.pictures.by_space import draw_subject, tiled
from geomdp.report.pictures.scene import Scene, subject_in
from geomdp.report.pictures.styles import style_of

#: Standard deviations from the mean at which a principal geodesic is shown, and their names.
STEPS = {-2.0: "−2", -1.0: "−1", 0.0: "mean", 1.0: "+1", 2.0: "+2"}
EDGE = " Around it: the edge of its 95% confidence region, sampling and privacy noise."
FILLED = (
    " Filled: all that its 95% confidence region sweeps over, sampling and privacy noise together."
)
#: Principal geodesics that are drawn at most.
MOST_STRIPS = 3


def region_picture(
    found: MomentsEstimate | Combined,
    name: str = "region",
    reading: Reading | None = None,
    names: tuple[str, ...] = (),
) -> Html:
    """Draw the released mean with its confidence region: a cone, a band or nested ellipsoids.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> found = MomentsEstimate(ball, 100, np.zeros(2), np.eye(2) / 50, 0.04, 0.02)
    >>> region_picture(found).count("<svg")
    2
    """
    subject = subject_in(found.ball.space, reading)
    scene = region_scene(found, names)
    picture = draw_subject(subject, scene, name, "Mean and confidence region")
    style = style_of(subject)
    around = "" if scene.region is None else FILLED if style.fills else EDGE
    return figure(picture, f"The released mean (bold) {style.caption}.{around}")


def region_scene(found: MomentsEstimate | Combined, names: tuple[str, ...] = ()) -> Scene:
    """Return the released mean with its confidence region, where it has one."""
    if isinstance(found, MomentsEstimate) and found.second is None:
        return Scene(found.mean, found.mean[None], ball=found.ball, names=names)
    region = found.confidence_region()
    ring = found.ball.space.dim == 2
    return Scene(
        found.mean, region.boundary(), ring=ring, ball=found.ball, region=region, names=names
    )


def geodesic_pictures(
    found: MomentsEstimate,
    name: str = "geodesic",
    reading: Reading | None = None,
    names: tuple[str, ...] = (),
) -> Html:
    """Draw the principal geodesics that stand above the noise, a row of tiles each.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    >>> second = np.diag([0.3, 0.01, 0.01])
    >>> found = MomentsEstimate(ball, 1000, np.zeros(3), second, 0.32, 0.002)
    >>> geodesic_pictures(found).count("<svg")
    15
    """
    shown = found.principal_geodesics()[:MOST_STRIPS]
    if not shown:
        return paragraphs("No direction of variation stands above the noise: none is drawn.")
    subject, strips = subject_in(found.ball.space, reading), []
    for number, one in enumerate(shown, start=1):
        points = one.points(np.array(list(STEPS)))
        scenes = {
            label: Scene(point, found.mean[None], ball=found.ball, names=names)
            for label, point in zip(STEPS.values(), points, strict=True)
        }
        caption = (
            f"Principal geodesic {number}, in standard deviations ({one.deviation:.3g} each) from "
            "the released mean."
        )
        strips.append(figure(tiled(subject, f"{name}{number}", scenes), caption))
    return Html("".join(strips))
