"""Compositions as named bars: shares, not the square roots that are released."""

from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.readings.compositions import Shares
from geomdp.report.pictures.ink import ACCENT, INK, SOFT, TINT
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Style, style_of
from geomdp.spaces.compositions import sphere_to_composition
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: More parts than this have no names: they would overlap.
MOST_NAMES = 24


def draw_shares(axes: "Axes", subject: Any, scene: Scene) -> None:
    """Draw each share as a bar in percent, those of the cloud as ticks."""
    value = percent(scene.value)
    place = np.arange(1, value.size + 1)
    axes.barh(place, value, height=0.7, color=TINT, edgecolor=ACCENT, lw=1)
    for point in percent(scene.cloud):
        axes.plot(point, place, "|", color=SOFT, ms=6, mew=0.8, alpha=0.7)
    if scene.ball is not None:
        axes.plot(percent(scene.ball.center), place, "D", mec=INK, mfc="none", ms=3.5, mew=0.9)
    axes.set_ylim(value.size + 0.6, 0.4)  # the first part on top, as tables have it
    axes.set_xlabel("share (%)")
    if value.size <= MOST_NAMES:
        axes.set_yticks(place, part_names(scene, value.size), parse_math=False)
    axes.tick_params(axis="y", length=0)


def percent(points: Array) -> Array:
    """Return the shares that points of the sphere stand for, in percent."""
    return 100 * np.asarray(sphere_to_composition(points))


def part_names(scene: Scene, count: int) -> list[str]:
    """Return the public names of the parts, or their numbers."""
    if len(scene.names) == count:
        return list(scene.names)
    return [f"part {i}" for i in range(1, count + 1)]


def trace_shares(subject: Any, value: Array, ball: Any) -> Array:
    """Return shares against their numbers, for pictures of several at once."""
    shares = percent(value)
    return np.column_stack([np.arange(1, shares.size + 1), shares])


@style_of.register
def _(subject: Shares) -> Style:
    return Style(
        (draw_shares,),
        "share by share; diamonds: the public centre",
        trace=trace_shares,
        marks=True,
        axes=("part", "share (%)"),
    )
