"""Pictures: what is drawn, not how pretty it is."""

import numpy as np
import pytest
from matplotlib.figure import Figure

from geomdp.errors import GeomdpError
from geomdp.surfaces.mesh.procedural import template_face
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.pictures import (
    SIDE,
    difference_map,
    draw_surface,
    shaded_views,
)


def pixels(figure: Figure) -> np.ndarray:
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    return np.asarray(canvas.buffer_rgba())[:, :, :3].astype(float)


def drawn_colors(surface: Surface, **options) -> tuple[np.ndarray, np.ndarray]:
    axes = Figure().add_subplot()
    draw_surface(axes, surface, **options)
    collection = axes.collections[0]
    return collection.get_facecolor()[:, :3], np.array([p.vertices for p in collection.get_paths()])


def test_nearer_triangles_are_drawn_over_farther_ones():
    far, near = [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 0, 1], [2, 0, 1], [0, 2, 1]]
    both = Surface(np.array(near + far), [[0, 1, 2], [3, 4, 5]])
    _, corners = drawn_colors(both)
    half = len(corners) // 2
    assert corners[:half].max() == 1
    assert corners[half:].max() == 2


def test_a_triangle_that_faces_the_lamp_is_brighter():
    lit = Surface([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    dark = Surface([[0, 0, 0], [0, 1, 0], [1, 0, 0]], [[0, 1, 2]])
    assert drawn_colors(lit)[0].mean() > 3 * drawn_colors(dark)[0].mean()


def test_a_face_fills_the_picture_with_light_and_shadow():
    image = pixels(shaded_views(template_face(), ["a face"]))
    inked = image[image.sum(axis=2) < 750]
    assert len(inked) > 0.2 * image.shape[0] * image.shape[1]
    assert np.ptp(inked.mean(axis=1)) > 100


def test_views_differ():
    front, side = (drawn_colors(template_face(), view=v)[1] for v in ((0.0, 0.0), SIDE))
    assert np.ptp(side[:, :, 0]) < 0.95 * np.ptp(front[:, :, 0])


def test_the_difference_map_is_darkest_where_the_difference_is():
    base = template_face()
    shifted = base.vertices.copy()
    upper = base.vertices[:, 1] > 0.5
    shifted[upper] += [0, 0, 0.01]
    figure = difference_map(Surface(shifted, base.faces), base, unit="mm")
    collection = figure.axes[0].collections[0]
    height = np.array([p.vertices[:3, 1].mean() for p in collection.get_paths()])
    blue = collection.get_facecolor()[:, 2] / collection.get_facecolor()[:, 0]
    assert blue[height > 0.55].mean() < blue[height < 0.4].mean()
    assert "mm" in figure.axes[-1].get_ylabel()


def test_a_difference_needs_vertex_correspondence():
    small = Surface(np.eye(3), [[0, 1, 2]], "small")
    with pytest.raises(GeomdpError, match="vertex correspondence"):
        difference_map(small, template_face())
