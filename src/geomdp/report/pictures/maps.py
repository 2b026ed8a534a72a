"""Maps: slices through their mask; without one, a bar a voxel."""

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.flat import draw_bars
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.slices import slice_panels
from geomdp.report.pictures.styles import Style, style_of
from geomdp.statistics.map_mean import MapMean
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def draw_map(axes: "Axes", statistic: Any, scene: Scene) -> None:
    """Draw one bar a voxel.

    Examples
    --------
    >>> import geomdp as dp
    >>> from geomdp.report.pictures.ink import new_figure
    >>> figure, axes = new_figure(3, 3)
    >>> asked = dp.MapMean(dp.Ball(dp.SPD(2, "log-euclidean"), np.eye(2), 1.0), voxels=5)
    >>> draw_map(axes, asked, Scene(asked.public_record, asked.public_record[None]))
    >>> len(axes.patches)
    5
    """
    bars = Scene(_numbers(statistic, scene.value), _numbers(statistic, scene.cloud))
    draw_bars(axes, statistic, bars)
    axes.set_xlabel("voxel")
    scalar = statistic.ball.space.dim == 1
    axes.set_ylabel("value" if scalar else "distance from the centre")


def _numbers(statistic: MapMean, maps: Array) -> NDArray[np.float64]:
    """One number a voxel: itself, or the distance from the public centre."""
    space = statistic.ball.space
    if space.point_shape == (1,):
        return np.asarray(maps)[..., 0]
    return np.asarray(space.dist(statistic.ball.center, np.asarray(maps)))


@style_of.register
def _(statistic: MapMean) -> Style:
    if statistic.grid is None:
        return Style((draw_map,), "voxel by voxel, the first ones if there are many")
    return Style(
        slice_panels(statistic),
        "as slices through the public mask where it holds most voxels; the scale of colours is "
        "that of the public ball, and pointed where noise leads beyond it",
        cloud=False,
    )
