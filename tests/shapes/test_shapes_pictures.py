"""Pictures of outlines: complete, and readable in grey."""

import io

import numpy as np
import pytest
from matplotlib import colormaps
from matplotlib.figure import Figure

from geomdp.errors import GeomdpError
from geomdp.shapes import draw_outline, mean_with_band, outline_grid
from geomdp.shapes.pictures import COLOURS

CIRCLE = np.exp(2j * np.pi * np.arange(30) / 30)


def test_colours_run_from_dark_to_light_in_grey():
    rgb = colormaps[COLOURS](np.linspace(0, 0.9, 50))[:, :3]
    grey = rgb @ [0.299, 0.587, 0.114]
    assert np.all(np.diff(grey) > 0)
    assert grey[0] < 0.25
    assert grey[-1] < 0.8  # still visible on white


def test_an_outline_is_closed():
    axes = Figure().subplots()
    draw_outline(axes, CIRCLE)
    segments = axes.collections[0].get_segments()
    assert len(segments) == 30
    assert np.allclose(segments[-1][1], segments[0][0])
    assert axes.get_aspect() == 1.0


def test_a_grid_has_a_titled_row_for_each_mechanism():
    figure = outline_grid({"kng": [CIRCLE] * 9, "laplace": [CIRCLE]}, columns=3)
    grid = np.array(figure.axes).reshape(2, 3)
    assert [axes.get_title(loc="left") for axes in grid[:, 0]] == ["kng", "laplace"]
    assert [len(axes.collections) for axes in grid.ravel()] == [1, 1, 1, 1, 0, 0]
    with pytest.raises(GeomdpError, match="at least one row"):
        outline_grid({})


def test_the_band_holds_the_draws():
    draws = CIRCLE * np.linspace(0.8, 1.2, 401)[:, None]
    figure = mean_with_band(CIRCLE, draws, level=0.5)
    radii = np.hypot(*figure.axes[0].patches[0].get_path().vertices.T)
    assert radii.min() == pytest.approx(0.9, abs=0.01)
    assert radii.max() == pytest.approx(1.1, abs=0.01)
    (legend,) = figure.legends
    assert (
        legend.get_texts()[0].get_text() == "50% of draws, at most 10.0% of the shape's length wide"
    )
    figure.savefig(buffer := io.BytesIO(), format="png")
    assert buffer.getvalue()[:4] == b"\x89PNG"
