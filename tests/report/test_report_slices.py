"""Maps as slices through the public mask: where they lie and their colours are public."""

import numpy as np
import pytest
from report_checks import check_page

import geomdp as dp
from geomdp.report import plan_html, report_html
from geomdp.report.control import with_radius
from geomdp.report.pictures.by_space import draw_subject, style_for
from geomdp.report.pictures.ink import new_figure
from geomdp.report.pictures.public_pictures import edge_records
from geomdp.report.pictures.scene import Scene
from geomdp.statistics.map_mean import VoxelGrid

INSIDE = np.zeros((6, 5, 4), dtype=bool)
INSIDE[1:5, 1:4, 1:3] = True
INSIDE[2, 4, 2] = True
GRID = VoxelGrid(INSIDE, np.diag([-2.0, 2.0, 3.0, 1.0]))
NUMBERS = dp.MapMean(dp.Ball(dp.Euclidean(1), [0.4], 0.3), GRID.count, grid=GRID)
TENSORS = dp.MapMean(
    dp.Ball(dp.SPD(3, "log-euclidean"), np.eye(3), 1.0), GRID.count, bound=0.5, grid=GRID
)


def drawn(statistic, value, panel=0):
    _, axes = new_figure(3, 3)
    style_for(statistic).panels[panel](axes, statistic, Scene(value, value[None]))
    return axes


def colours(axes):
    return np.asarray(axes.images[0].get_array())


def test_a_map_is_drawn_as_slices():
    made = dp.plan(NUMBERS, n=50, budget=dp.GDP(20))
    page = check_page(report_html(made.release(np.stack([NUMBERS.public_record] * 50))))
    assert page.text.count("slice 3 of 4") == 1  # from above, where most voxels are
    assert "through the public mask" in page.text
    assert "the same value with other draws" not in page.text


def test_where_a_slice_lies_does_not_depend_on_the_value():
    rng = np.random.default_rng(0)
    titles = set()
    for scale in (0.0, 0.1, 1e6):
        value = 0.4 + scale * rng.standard_normal((GRID.count, 1))
        titles.add(drawn(NUMBERS, value).get_title())
    assert len(titles) == 1


def test_the_scale_of_colours_is_the_public_ball():
    """The same number has the same colour whatever the others are, so that groups compare."""
    value = np.full((GRID.count, 1), 0.4)
    other = value.copy()
    other[:3] = 1e9
    shown = colours(drawn(NUMBERS, value))
    changed = colours(drawn(NUMBERS, other))
    assert (shown != changed).any()
    assert (shown == changed).all(axis=2).sum() > 0.6 * shown.shape[0] * shown.shape[1]
    limits = [axes.get_xlim() for axes in drawn(NUMBERS, other).figure.axes[1:]]
    assert limits == [pytest.approx((0.1, 0.7))]


def test_right_is_on_the_right():
    """The file runs from right to left, so that its last voxel is at the left."""
    field = np.where(np.arange(6)[:, None, None] >= 4, 0.7, 0.1) * np.ones(INSIDE.shape)
    image = colours(drawn(NUMBERS, field[INSIDE][:, None]))
    seen = np.argwhere(image[..., 3] > 0)
    left, right = (image[tuple(seen[np.argmin(side * seen[:, 1])])] for side in (1, -1))
    bright, dark = (image[..., :3][image[..., 3] > 0].sum(axis=-1).max(), 0)
    assert left[:3].sum() == pytest.approx(bright)
    assert right[:3].sum() < bright > dark


def test_tensors_are_coloured_by_their_direction():
    value = np.tile(np.diag([0.2, 0.2, 3.0]), (GRID.count, 1, 1))
    inside = colours(drawn(TENSORS, value))
    red, green, blue = inside[inside[..., 3] > 0][0][:3]
    assert blue > 0.8
    assert max(red, green) < 1e-6
    round_ones = colours(drawn(TENSORS, TENSORS.public_record))
    assert round_ones[..., :3].max() < 1e-6


def test_three_pictures_share_a_row():
    scene = Scene(NUMBERS.public_record, NUMBERS.public_record[None])
    assert 'class="panels thirds"' in draw_subject(NUMBERS, scene, "value", "a map")


def test_the_board_reads_where_the_voxels_lie():
    made = dp.plan(NUMBERS, n=50, budget=dp.GDP(20))
    page = check_page(plan_html(made, [dp.GDP(20)]))
    assert f"{GRID.count} of a public mask of 6 x 5 x 4 voxels of 2 x 2 x 3 mm" in page.text
    assert "The public centre: 0.4 in every voxel" in page.text
    assert "euclidean:1" not in page.text


@pytest.mark.parametrize("statistic", [NUMBERS, TENSORS])
def test_records_at_the_edge_can_be_records(statistic):
    """A voxel farther out than the ball would be moved: nobody's record looks like that."""
    edges = np.stack(edge_records(statistic))
    assert len(np.unique(edges, axis=0)) == len(edges) >= 2
    space, ball = statistic.ball.space, statistic.ball
    assert np.allclose(space.dist(ball.center, edges), statistic.radius)


def test_the_radius_of_a_map_can_be_changed():
    """With its bound left out the page failed."""
    assert with_radius(NUMBERS, 0.6).ball.radius == pytest.approx(0.6)
    wider = with_radius(TENSORS, 1.0)
    assert (wider.bound, wider.ball.radius) == (pytest.approx(1.0), pytest.approx(2.0))
