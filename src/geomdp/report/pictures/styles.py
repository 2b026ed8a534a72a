"""Which picture fits which space or statistic; every one has a picture.

A picture registers itself: ``@style_of.register`` above a function from the space, or from a
statistic that is no point of one, to its :class:`Style`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any, TypeAlias

from geomdp.report.pictures.flat import draw_bars, draw_plane, trace_bars, trace_plane
from geomdp.report.pictures.scene import Scene
from geomdp.report.rendering import Html
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Draws a scene of a space, or of a statistic that is no point of a space.
Panel: TypeAlias = Callable[["Axes", Any, Scene], None]
#: Gives a value as points (m, 2), beside the public ball.
Trace: TypeAlias = Callable[[Any, Array, Ball | None], Array]
#: Draws what lies beneath the traces of several values, from the public ball and public names.
Ground: TypeAlias = Callable[["Axes", Any, Ball | None, tuple[str, ...]], None]
#: Takes a scene apart, for pictures of several values: each subject is then drawn for itself.
Apart: TypeAlias = Callable[[Any, Scene], list[tuple[Any, Scene]]]
#: Writes a value as something that the reader can turn.
Turnable: TypeAlias = Callable[[Any, Array], Html]


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
    fills
        Whether it fills what a confidence region sweeps over.
    turnable
        What the reader can turn in the page, where there is such a thing.
    trace
        A value as a line or points in the plane, for pictures of several values at once.
    marks
        Whether a trace is points that no line should join.
    axes
        Names of the two axes of a trace; nothing where it is a drawing without axes.
    ground
        What lies beneath traces, where they need it.
    apart
        What a scene consists of, where pictures of several values at once are made of each.
    difference
        How far a value is from the public one, where the eye does not tell.
    """

    panels: tuple[Panel, ...]
    caption: str
    raster: bool = False
    cloud: bool = True
    fills: bool = False
    turnable: Turnable | None = None
    trace: Trace | None = None
    marks: bool = False
    axes: tuple[str, str] | None = None
    ground: Ground | None = None
    apart: Apart | None = None
    difference: Turnable | None = None


BARS = Style(
    (draw_bars,),
    "coordinate by coordinate",
    trace=trace_bars,
    marks=True,
    axes=("coordinate", "value"),
)
_PLANE = Style(
    (draw_plane,),
    "in the plane; dashed: the edge of the public ball",
    trace=trace_plane,
    axes=("first coordinate", "second coordinate"),
)


@singledispatch
def style_of(subject: object) -> Style:
    """Return the picture of a space or statistic: bars where nothing better is registered.

    >>> import geomdp as dp
    >>> style_of(dp.Euclidean(2)).caption[:12], style_of(dp.Euclidean(3)).caption[:10]
    ('in the plane', 'coordinate')
    """
    return BARS


@style_of.register
def _(space: Space) -> Style:
    # Flat, curved or of another package: a plane is drawn as one if its points have two numbers.
    return _PLANE if space.dim == 2 and space.point_shape == (2,) else BARS
