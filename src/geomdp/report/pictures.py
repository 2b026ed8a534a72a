"""Which picture fits which space; every space has one."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from geomdp.plans import SinglePlan
from geomdp.release import Release
from geomdp.report import faces, flat, outlines, spheres, tensors
from geomdp.report.ink import new_figure, to_png, to_svg
from geomdp.report.markup import Html, tag
from geomdp.report.scene import Scene, place_of, plan_scene, release_scene, single_plan
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.spd_affine import AffineSPD
from geomdp.spaces.spd_log_euclidean import LogEuclideanSPD
from geomdp.spaces.sphere import Sphere
from geomdp.statistics.base import Statistic

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Draws a scene of a space, or of a statistic that is no point of a space.
Panel: TypeAlias = Callable[["Axes", Any, Scene], None]

_MATRIX = "as the ellipsoid with half axes √eigenvalue; dotted: the public centre"


@dataclass(frozen=True)
class Style:
    """How points of a kind are drawn.

    Attributes
    ----------
    panels
        What is drawn side by side; the first alone serves as the small picture.
    caption
        What is seen, to follow "The released value".
    raster
        Whether the picture has too many parts for SVG.
    cloud
        Whether it shows the cloud around the value.
    """

    panels: tuple[Panel, ...]
    caption: str
    raster: bool = False
    cloud: bool = True


_BARS = Style((flat.draw_bars,), "coordinate by coordinate")
_STYLES: dict[str, Style] = {
    "globe": Style(
        (spheres.draw_globe, spheres.draw_close_up),
        "on the globe and, enlarged, in the plane that touches it there; "
        "dashed: the edge of the public ball",
    ),
    "circle": Style((spheres.draw_circle,), "on the circle"),
    "ellipse": Style((tensors.draw_ellipse,), _MATRIX.replace("ellipsoid", "ellipse")),
    "ellipsoid": Style((tensors.draw_ellipsoid_corner, tensors.draw_ellipsoid_side), _MATRIX),
    "squares": Style(
        (tensors.draw_squares, tensors.draw_eigenvalues),
        "entry by entry (the area of a square is the size of the entry; hollow: negative) "
        "and by its eigenvalues",
    ),
    "outline": Style((outlines.draw_outline,), "as an outline; dotted: the public centre"),
    "disk": Style(
        (flat.draw_disk, spheres.draw_close_up),
        "in Poincaré's disk (circles at distances 1, 2, 3 from the origin) and, enlarged, in the "
        "tangent plane; dashed: the edge of the public ball",
    ),
    "plane": Style((flat.draw_plane,), "in the plane; dashed: the edge of the public ball"),
    "curves": Style((outlines.draw_curves,), "as a function; dotted: the public template"),
    "surface": Style((faces.draw_front, faces.draw_side), "from two sides", True, False),
}


def style_for(statistic: Statistic) -> Style:
    """Return the picture that suits a statistic; bars where there is nothing better.

    Examples
    --------
    >>> import geomdp as dp
    >>> style_for(dp.Summary(dp.Sphere(2), 0.1)).caption[:12]
    'on the globe'
    """
    space, _ = place_of(statistic)
    kind = _NOT_POINTS.get(statistic.tag, "") if space is None else _kind(space)
    return _STYLES.get(kind, _BARS)


#: Statistics that are no points of a space, by their tags.
_NOT_POINTS = {"function-mean": "curves", "surface-mean": "surface"}


def _kind(space: Any) -> str:
    match space:
        case Sphere():
            return {1: "circle", 2: "globe"}.get(space.dim, "")
        case AffineSPD() | LogEuclideanSPD():
            return {1: "", 2: "ellipse", 3: "ellipsoid"}.get(space.k, "squares")
        case PlanarShapes():
            return "outline"
        case Hyperbolic(dim=2):
            return "disk"
    # Flat, curved or of another package: a plane is drawn as one if its points have two numbers.
    return "plane" if space.dim == 2 and space.point_shape == (2,) else ""


def picture_of(release: Release) -> Html:
    """Draw a released value, with points at the distance that 95 of 100 releases stay within.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> picture_of(plan.release([0.0, 0.0, 1.0]))[:20]
    '<div class="panels">'
    """
    plan = single_plan(release)
    return draw(plan.statistic, release_scene(plan, release.value), "value", "The released value")


def picture_or_words(drawing: Callable[[], Html]) -> Html:
    """Return a picture, or a sentence where noise led beyond what can be drawn.

    A release cannot be drawn again because its picture fails, so that this is total; and nothing
    of the failure is told, since the page is published.

    Examples
    --------
    >>> picture_or_words(lambda: Html(1 / 0))
    '<p class="small">The value lies beyond what a picture can show; value.npy holds it.</p>'
    """
    try:
        with np.errstate(all="ignore"):
            return drawing()
    except Exception:
        text = "The value lies beyond what a picture can show; value.npy holds it."
        return tag("p", text, class_="small")


def picture_at(plan: SinglePlan, name: str = "simulated", seed: int = 0) -> Html:
    """Draw what a release would look like if the truth were the public centre.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.SPD(2), 0.1), budget=dp.Pure(epsilon=1))
    >>> picture_at(plan) == picture_at(plan)
    True
    """
    scene = plan_scene(plan, seed=seed)
    return draw(plan.statistic, scene, name, "A simulated release", first=True, width=2.2)


def draw(
    statistic: Statistic,
    scene: Scene,
    name: str,
    alt: str,
    *,
    first: bool = False,
    width: float = 3.2,
) -> Html:
    """Draw a scene, all panels or the ``first`` alone, each ``width`` inches wide.

    Examples
    --------
    >>> import geomdp as dp
    >>> import numpy as np
    >>> scene = Scene(np.ones(3), np.ones((1, 3)))
    >>> draw(dp.Summary(dp.Euclidean(3), 0.1), scene, "one", "three numbers").count("<svg")
    1
    """
    style = style_for(statistic)
    subject = place_of(statistic)[0] or statistic
    drawn = []
    for i, panel in enumerate(style.panels[:1] if first else style.panels):
        figure, axes = new_figure(width, 0.95 * width)
        panel(axes, subject, scene)
        drawn.append(to_png(figure, alt) if style.raster else to_svg(figure, f"{name}{i}", alt))
    return tag("div", drawn, class_="panels")
