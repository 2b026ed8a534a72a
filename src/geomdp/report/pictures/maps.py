"""Maps: slices through their public mask in colours whose scale is public; else a bar a voxel."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import singledispatch
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from geomdp.report.pictures.flat import draw_bars
from geomdp.report.pictures.ink import SOFT
from geomdp.report.pictures.scene import Scene
from geomdp.report.pictures.styles import Panel, Style, style_of
from geomdp.spaces import Ball, Space
from geomdp.spaces.symmetric import SPDPoints
from geomdp.statistics.map_mean import MapMean, VoxelGrid
from geomdp.typing import Array

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: For slices across up, forward and right: what is seen; letters at left, right, below, above.
VIEWS = {2: ("from above", "LRPA"), 1: ("from the front", "LRIS"), 0: ("from the side", "PAIS")}
#: Colours from small to large that grey paper and most eyes tell apart.
PALETTE = "viridis"


@dataclass(frozen=True)
class Shade:
    """What the colour of a voxel says.

    ``label``: beneath the scale. ``numbers``: one number a voxel from values (m, ...), or red,
    green and blue (m, 3). ``limits``: ends of the scale, from the public ball; none where the
    colours are the answer. ``log``: whether the scale is logarithmic.
    """

    label: str
    numbers: Callable[[Array], NDArray[np.float64]]
    limits: tuple[float, float] | None
    log: bool = False


def shades_of(statistic: MapMean) -> tuple[Shade, ...]:
    """Return what slices of a map show: numbers, tensors by direction and size, or distances."""
    ball = statistic.ball
    if ball.space.point_shape == (1,):
        middle = float(np.asarray(ball.center)[0])
        ends = round(middle - ball.radius, 12), round(middle + ball.radius, 12)
        return (Shade("value", lambda x: np.asarray(x)[:, 0], ends),)
    return shades_in(ball.space, ball)


@singledispatch
def shades_in(space: Space, ball: Ball) -> tuple[Shade, ...]:
    """Return what colours say of points of a space: distances, unless it registers better."""
    center = np.asarray(ball.center)
    distance = "distance from the public centre"
    return (Shade(distance, lambda x: np.asarray(space.dist(center, x)), (0.0, ball.radius)),)


@shades_in.register
def _(space: SPDPoints, ball: Ball) -> tuple[Shade, ...]:
    if space.k != 3:
        return shades_in.dispatch(Space)(space, ball)
    # The mean logarithm of the eigenvalues moves by at most the radius over the root of three.
    size, reach = float(_size(np.asarray(ball.center)[None])[0]), np.exp(ball.radius / np.sqrt(3))
    ends = size / float(reach), size * float(reach)
    return (
        Shade("direction of the tensor\n(red, green, blue: axis 1, 2, 3)", _directions, None),
        Shade("size (cube root of the determinant)", _size, ends, True),
    )


def slice_panels(statistic: MapMean) -> tuple[Panel, ...]:
    """Return what draws a map: three slices of each thing that colours can say."""
    return tuple(_panel(shade, across) for shade in shades_of(statistic) for across in VIEWS)


def _panel(shade: Shade, across: int) -> Panel:
    def draw(axes: "Axes", statistic: Any, scene: Scene) -> None:
        assert statistic.grid is not None  # seen to by the style
        _draw(axes, statistic.grid, np.asarray(scene.value), shade, across)

    return draw


def _draw(axes: "Axes", grid: VoxelGrid, value: Array, shade: Shade, across: int) -> None:
    """Draw the slice that holds most voxels of the mask: the value has no say in where it is."""
    places, at, many = _slice(grid, across)
    shown = places >= 0
    colours = np.zeros((*places.shape, 4))
    colours[shown] = _coloured(axes, shade, shade.numbers(value[places[shown]]))
    width, height = (step for i, step in enumerate(grid.steps) if i != across)
    extent = (0.0, width * places.shape[0], 0.0, height * places.shape[1])
    axes.imshow(colours.swapaxes(0, 1), origin="lower", interpolation="none", extent=extent)
    # Dark voxels have an edge on dark pages too.
    edge: Any = {"levels": [0.5], "colors": SOFT, "linewidths": 0.6}
    axes.contour(shown.T.astype(float), origin="lower", extent=extent, **edge)
    view, letters = VIEWS[across]
    axes.set_title(f"{view}, slice {at + 1} of {many}", color=SOFT, fontsize=9, pad=14)
    _frame(axes, letters)


def _coloured(axes: "Axes", shade: Shade, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    """Red, green, blue and opacity of voxels; and the scale under the picture."""
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import LogNorm, Normalize
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter, ScalarFormatter

    if shade.limits is None:
        axes.set_xlabel(shade.label, labelpad=14, fontsize=8)
        return np.column_stack([numbers, np.ones(len(numbers))])
    scale = ScalarMappable((LogNorm if shade.log else Normalize)(*shade.limits), PALETTE)
    bar = axes.figure.colorbar(
        scale, ax=axes, orientation="horizontal", extend="both", shrink=0.8, aspect=28
    )
    if bar.solids is not None:
        bar.solids.set_rasterized(True)  # else hundreds of rectangles
    bar.set_label(shade.label, color=SOFT, fontsize=8)
    bar.outline.set_edgecolor(SOFT)
    bar.ax.tick_params(which="both", colors=SOFT, labelsize=8)
    bar.locator = LogLocator(subs=(1.0, 2.0, 5.0)) if shade.log else MaxNLocator(nbins=5)
    bar.formatter = ScalarFormatter()
    bar.ax.xaxis.set_minor_formatter(NullFormatter())
    bar.update_ticks()
    return np.asarray(scale.to_rgba(numbers))


def _frame(axes: "Axes", letters: str) -> None:
    """Say which way is left, right, down and up, and leave out the rest."""
    axes.set_xticks([])
    axes.set_yticks([])
    axes.spines[:].set_visible(False)
    places: tuple[tuple[float, float, str, str], ...] = (
        (-0.02, 0.5, "right", "center"),
        (1.02, 0.5, "left", "center"),
        (0.5, -0.02, "center", "top"),
        (0.5, 1.01, "center", "bottom"),
    )
    for letter, (x, y, side, height) in zip(letters, places, strict=True):
        axes.text(x, y, letter, transform=axes.transAxes, ha=side, va=height, color=SOFT, size=8)


def _slice(grid: VoxelGrid, across: int) -> tuple[NDArray[np.int64], int, int]:
    """Numbers of the voxels of a slice, -1 outside of the mask; which slice it is, of how many.

    What the mask leaves empty on all sides of the whole map is cut off.
    """
    places = np.full(grid.inside.shape, -1, dtype=np.int64)
    places[grid.inside] = np.arange(grid.count)
    turned = np.moveaxis(grid.upright(places), across, 0)
    most = int(np.argmax(np.count_nonzero(turned >= 0, axis=(1, 2))))
    used = np.nonzero((turned >= 0).any(axis=0))
    rows, columns = (slice(int(i.min()), int(i.max()) + 1) for i in used)
    cut = np.pad(turned[most, rows, columns], 1, constant_values=-1)
    return cut, most, len(turned)


def _size(tensors: Array) -> NDArray[np.float64]:
    return np.asarray(np.exp(np.linalg.slogdet(tensors)[1] / 3))


def _directions(tensors: Array) -> NDArray[np.float64]:
    """Red, green and blue for the principal axis, darker the rounder a tensor is."""
    values, vectors = np.linalg.eigh(np.asarray(tensors))
    spread = values - values.mean(axis=-1, keepdims=True)
    length = np.linalg.norm(values, axis=-1, keepdims=True)
    anisotropy = np.sqrt(1.5) * np.linalg.norm(spread, axis=-1, keepdims=True) / length
    return np.asarray(np.clip(np.abs(vectors[..., -1]) * anisotropy, 0, 1))


def draw_map(axes: "Axes", statistic: Any, scene: Scene) -> None:
    """Draw one bar a voxel."""
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
