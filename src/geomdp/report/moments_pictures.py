"""Pictures of what released moments say: the region of the mean, and how records vary."""

import numpy as np

from geomdp.estimates import Combined, MomentsEstimate
from geomdp.report.ink import new_row, to_png, to_svg
from geomdp.report.markup import Html
from geomdp.report.page import figure, paragraphs
from geomdp.report.pictures import draw_subject
from geomdp.report.scene import Scene
from geomdp.report.styles import style_of

#: Standard deviations from the mean at which a principal geodesic is shown.
STEPS = (-2.0, -1.0, 0.0, 1.0, 2.0)
EDGE = " Around it: the edge of its 95% confidence region, sampling and privacy noise."
FILLED = (
    " Filled: all that its 95% confidence region sweeps over, sampling and privacy noise together."
)
#: Principal geodesics that are drawn at most.
MOST_STRIPS = 3


def region_picture(
    found: MomentsEstimate | Combined,
    name: str = "region",
    *,
    first: bool = False,
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
    space = found.ball.space
    if isinstance(found, MomentsEstimate) and found.second is None:
        scene, around = Scene(found.mean, found.mean[None], ball=found.ball, names=names), ""
    else:
        region = found.confidence_region()
        scene = Scene(
            found.mean,
            region.boundary(),
            ring=space.dim == 2,
            ball=found.ball,
            region=region,
            names=names,
        )
        around = FILLED if style_of(space).fills else EDGE
    alt = "Mean and confidence region"
    picture = draw_subject(space, scene, name, alt, first=first)
    return figure(picture, f"The released mean (bold) {style_of(space).caption}.{around}")


def geodesic_pictures(found: MomentsEstimate, name: str = "geodesic") -> Html:
    """Draw the principal geodesics that stand above the noise, one strip each.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(2), center=np.eye(2), radius=1.0)
    >>> second = np.diag([0.3, 0.01, 0.01])
    >>> found = MomentsEstimate(ball, 1000, np.zeros(3), second, 0.32, 0.002)
    >>> geodesic_pictures(found).count("<svg")
    3
    """
    shown = found.principal_geodesics()[:MOST_STRIPS]
    if not shown:
        return paragraphs("No direction of variation stands above the noise: none is drawn.")
    strips = []
    for number, one in enumerate(shown, start=1):
        points = one.points(np.array(STEPS))
        alt = f"Principal geodesic {number}"
        strip = _strip(found, points, f"{name}{number}", alt)
        caption = (
            f"Principal geodesic {number}: {', '.join(f'{step:g}' for step in STEPS)} standard "
            f"deviations ({one.deviation:.3g} each) from the released mean."
        )
        strips.append(figure(strip, caption))
    return Html("".join(strips))


def _strip(found: MomentsEstimate, points: np.ndarray, name: str, alt: str) -> Html:
    """Draw points side by side on the same axes, the mean faint behind each."""
    space = found.ball.space
    style = style_of(space)
    canvas, row = new_row(7.0, 1.7, len(points))
    for axes, point in zip(row, points, strict=True):
        style.panels[0](axes, space, Scene(point, found.mean[None]))
    return to_png(canvas, alt) if style.raster else to_svg(canvas, name, alt)
