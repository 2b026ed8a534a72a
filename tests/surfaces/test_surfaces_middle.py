"""The rule "middle": a centre for any disk-like surface, with a nose or without."""

import json

import numpy as np
import pytest
from scipy.stats import special_ortho_group
from surfaces_meshes import flat_disk

import geomdp as dp
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.releases.verification import verify
from geomdp.surfaces import Surface, SurfaceMean, make_template, template_face
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.disk.center import center_vertex, middle
from geomdp.surfaces.mesh.topology import require_disk

SIDE = 33


def grid(x, y, height, name):
    """A height field over a rectangular grid, as a mesh."""
    rows, columns = x.shape
    at = np.arange(x.size).reshape(rows, columns)
    a, b, c, d = (part.ravel() for part in (at[:-1, :-1], at[:-1, 1:], at[1:, 1:], at[1:, :-1]))
    faces = np.concatenate([np.stack([a, b, c], axis=1), np.stack([a, c, d], axis=1)])
    return Surface(np.stack([x, y, height], axis=-1).reshape(-1, 3), faces, name)


def tile(seed, rough=1.0):
    """Bumpy terrain whose summit lies at the border, as it does on most tiles of a map."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, SIDE)])
    angle = rng.uniform(0, 2 * np.pi)
    height = 0.5 * np.exp(-((x - np.cos(angle)) ** 2 + (y - np.sin(angle)) ** 2) / 0.3)
    for _ in range(25):
        place, width = rng.uniform(-1, 1, 2), rng.uniform(0.02, 0.1)
        bump = np.exp(-((x - place[0]) ** 2 + (y - place[1]) ** 2) / width)
        height = height + rough * rng.normal(0, 0.04) * bump
    return grid(x, y, height, f"tile {seed}")


def refused(seed):
    try:
        make_template(tile(seed))
    except InvalidRecordError as problem:
        return str(problem)
    return ""


def test_what_protrudes_most_fails_on_tiles_and_says_the_way_out():
    told = [text for text in map(refused, range(6)) if text]
    assert len(told) >= 2
    for text in told:
        assert "about the centre of its map, vertex" in text
        assert 'center="middle"' in text


@pytest.mark.parametrize("seed", range(6))
def test_every_tile_has_a_middle_that_turns_with_it(seed):
    one = tile(seed)
    vertex = middle(one, require_disk(one))
    assert np.linalg.norm(one.vertices[vertex, :2]) < 0.35
    turn = special_ortho_group(3, seed=seed).rvs()
    turned = one.with_vertices(7.0 * one.vertices @ turn.T + [5.0, -3.0, 2.0])
    assert middle(turned, require_disk(turned)) == vertex
    order = np.random.default_rng(seed).permutation(len(one.vertices))
    other = Surface(one.vertices[order], np.argsort(order)[one.faces], "shuffled")
    again = other.vertices[middle(other, require_disk(other))]
    assert np.allclose(again, one.vertices[vertex])
    make_template(one, center="middle")


@pytest.mark.parametrize(("wide", "high"), [(1.0, 1.0), (3.0, 1.0), (1.0, 2.5)])
def test_the_middle_of_a_rectangle_is_its_middle(wide, high):
    x, y = np.meshgrid(wide * np.linspace(-1, 1, 41), high * np.linspace(-1, 1, 31))
    flat = grid(x, y, 0 * x, "flat")
    assert flat.vertices[middle(flat, require_disk(flat))].tolist() == [0.0, 0.0, 0.0]
    disk, _ = flat_disk(9)
    assert center_vertex(disk, "middle", require_disk(disk)) == 0


def test_a_spike_and_a_bite_hardly_move_it():
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, 41)])
    spiked = 0 * x
    spiked[3, 20] = 0.3
    one = grid(x, y, spiked, "spiked")
    assert np.linalg.norm(one.vertices[middle(one, require_disk(one))]) <= 0.051
    corner = (x[:-1, :-1] < -0.79) & (y[:-1, :-1] < -0.79)
    kept = ~np.concatenate([corner.ravel(), corner.ravel()])
    used, faces = np.unique(one.faces[kept], return_inverse=True)
    bitten = Surface(grid(x, y, 0 * x, "").vertices[used], faces.reshape(-1, 3), "bitten")
    found = bitten.vertices[middle(bitten, require_disk(bitten))]
    assert np.linalg.norm(found) <= 0.1


def test_ties_go_to_the_first_vertex_however_it_is_turned():
    x, y = np.meshgrid(*2 * [np.linspace(-1, 1, 12)])  # four vertices around the middle
    flat = grid(x, y, 0 * x, "even")
    loop = require_disk(flat)
    first = middle(flat, loop)
    for seed in range(5):
        turn = special_ortho_group(3, seed=seed).rvs()
        assert middle(flat.with_vertices(flat.vertices @ turn.T), loop) == first


def test_the_template_says_the_rule_of_the_records_and_a_plan_keeps_it(tmp_path):
    template = make_template(tile(1), center="middle")
    mean = SurfaceMean(template, rings=6, points=16, tau=0.05)
    assert mean.center == mean.recipe.center == "middle"
    assert (
        SurfaceMean(make_template(template_face()), rings=6, points=16).center == "most-protruding"
    )
    assert SurfaceMean(template, rings=6, points=16, center=40).center == 40
    with pytest.raises(GeomdpError, match=r"most-protruding.*middle"):
        SurfaceMean(template, rings=6, points=16, center="nose")
    records = [tile(1, rough) for rough in (0.9, 1.0, 1.05, 1.1)]
    plan = dp.plan(mean, n=4, budget=dp.GDP(20))
    plan.save(tmp_path / "plan.json")
    assert json.loads((tmp_path / "plan.json").read_text())["statistic"]["recipe"]["center"] == (
        "middle"
    )
    again = dp.load_plan(tmp_path / "plan.json")
    assert again.statistic.center == "middle"
    batch = again.statistic.prepare(records, workers=1)
    assert not batch.failures
    alone = again.statistic.prepare(records[2:3], workers=1)
    assert np.array_equal(alone.curves[0], batch.curves[2])
    again.release(batch.curves).save(tmp_path / "mean")
    assert verify(tmp_path / "mean", tmp_path / "plan.json").verified


def test_records_that_protrude_at_the_border_are_laid_over_the_template():
    road = Road(Recipe(6, 16, center="middle"), make_template(tile(2), center="middle"))
    near = road.curves(tile(2, 1.05))
    assert np.sqrt(np.mean((near - road.template_curves) ** 2)) < 0.02
