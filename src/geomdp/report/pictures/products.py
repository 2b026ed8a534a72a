"""Products: the pictures of their factors, side by side."""

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.report.pictures.ink import SOFT
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Panel, Style, style_of
from geomdp.spaces.ball import Ball
from geomdp.spaces.product import Product

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def part_of(space: Product, scene: Scene, number: int) -> Scene:
    """Return what a scene shows of one factor."""
    value, cloud = (np.asarray(space.split(x)[number]) for x in (scene.value, scene.cloud))
    ball = None
    if scene.ball is not None:
        factor = space.factors[number]
        center = space.split(scene.ball.center)[number]
        own = min(scene.ball.radius / np.sqrt(space.weights[number]), factor.farthest)
        with suppress(GeomdpError):  # a picture without an edge, where the factor has none
            ball = Ball(factor, center, own, wide=factor.farthest < np.inf)
    return Scene(value, cloud, ball=ball)


def factors_of(space: Product, scene: Scene) -> list[tuple[Any, Scene]]:
    """Return each factor with what a scene shows of it."""
    return [(factor, part_of(space, scene, i)) for i, factor in enumerate(space.factors)]


def _panel(number: int) -> Panel:
    def draw(axes: "Axes", space: Any, scene: Scene) -> None:
        factor = space.factors[number]
        if len(scene.names) == len(space.factors):
            axes.set_title(scene.names[number], fontsize=9, color=SOFT, parse_math=False)
        style_of(factor).panels[0](axes, factor, part_of(space, scene, number))

    return draw


@style_of.register
def _(space: Product) -> Style:
    captions = "; ".join(
        f"part {i + 1}: {style_of(factor).caption}" for i, factor in enumerate(space.factors)
    )
    panels = tuple(_panel(i) for i in range(len(space.factors)))
    raster = any(style_of(factor).raster for factor in space.factors)
    return Style(panels, f"part by part ({captions})", raster=raster, apart=factors_of)
