"""Means of maps: all voxels are one record, clipped twice, and the map comes back in its file."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.io.formats import FORMATS
from geomdp.io.nifti_files import read_mask
from geomdp.plans import load_plan, plan_from_json
from geomdp.statistics.map_mean import VoxelGrid
from geomdp.testing import search_neighbours

BALL = dp.Ball(dp.SPD(2, "log-euclidean"), center=np.eye(2), radius=1.0)


def maps(n, voxels, seed=0, spread=0.2):
    logs = spread * np.random.default_rng(seed).standard_normal((n, voxels, BALL.space.dim))
    return np.asarray(BALL.space.frame_exp(BALL.center, logs))


def test_each_voxel_and_the_whole_map_are_clipped():
    mean = dp.MapMean(BALL, voxels=4, bound=0.5)
    wild = maps(50, 4, spread=3.0)
    norms = np.linalg.norm(mean.encode(wild), axis=1)
    assert np.all(norms <= 0.5 * (1 + 1e-12))
    assert norms.max() > 0.499
    # One wild voxel alone: cut to the radius of a voxel, within the root mean square of the map.
    lonely = np.tile(np.eye(2), (1, 16, 1, 1))
    lonely[0, 3] *= 1e9
    coordinates = dp.MapMean(BALL, 16, 0.5).encode(lonely)
    assert np.linalg.norm(coordinates) == pytest.approx(1.0 / np.sqrt(16))


def test_a_map_is_the_voxelwise_mean():
    mean, records = dp.MapMean(BALL, voxels=6), maps(30, 6)
    alone = dp.TangentMean(BALL)
    each = [alone.estimate(alone.encode(records[:, v])) for v in range(6)]
    assert np.allclose(mean.estimate(mean.encode(records)), each)
    assert np.allclose(mean.decode(mean.to_coordinates(records)), records)


def test_no_neighbours_exceed_the_sensitivity():
    mean = dp.MapMean(BALL, voxels=3, bound=0.6)
    found = search_neighbours(mean, n=5, seed=0)
    assert 0.9 < found.share <= 1 + 1e-9


def test_the_price_is_the_root_of_the_number_of_voxels():
    one, many = (
        dp.plan(dp.MapMean(BALL, voxels), n=500, budget=dp.GDP(1), mechanism="tangent-gaussian")
        for voxels in (1, 100)
    )
    assert many.expected_error / one.expected_error == pytest.approx(10, rel=0.1)
    assert "10 times that of one voxel" in str(many)
    assert plan_from_json(json.loads(json.dumps(many.to_json()))).hash == many.hash


def test_a_voxel_that_is_no_point_makes_its_record_invalid():
    records = maps(5, 3)
    records[2, 1] = -np.eye(2)
    mean = dp.MapMean(BALL, 3)
    with pytest.raises(InvalidRecordError, match="Record 3: voxel 1: "):
        mean.encode(records)
    assert not mean.admit(records).under("public")[2].any()


def test_curved_spaces_and_wide_bounds_are_refused():
    with pytest.raises(GeomdpError, match="flat spaces"):
        dp.MapMean(dp.Ball(dp.SPD(2), np.eye(2), 1.0), 3)
    with pytest.raises(GeomdpError, match="at most the radius"):
        dp.MapMean(BALL, 3, bound=2.0)


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def people(tmp_path):
    nibabel = pytest.importorskip("nibabel")
    (tmp_path / "people").mkdir()
    mask = np.zeros((3, 2, 2))
    mask[1:, :, 0] = 1
    affine = np.diag([2.0, 2.0, 2.0, 1.0])
    nibabel.save(nibabel.Nifti1Image(mask, affine), tmp_path / "mask.nii.gz")
    rows = np.random.default_rng(1).normal(0.5, 0.05, (20, 3, 2, 2))
    for i, row in enumerate(rows):
        file = tmp_path / "people" / f"sub-{i:02d}.nii.gz"
        nibabel.save(nibabel.Nifti1Image(row, np.eye(4)), file)
    space = ["--space", "euclidean:1", "--center", "0.5", "--radius", "0.5"]
    plan = ["plan", *space, "--voxels", tmp_path / "mask.nii.gz", "--n", 20, "--mu", 400]
    run(*plan, "--out", tmp_path / "plan.json")
    return tmp_path, rows[:, mask > 0].mean(axis=0), mask > 0


def test_a_folder_of_people_becomes_a_map(people):
    nibabel = pytest.importorskip("nibabel")
    folder, means, inside = people
    mask = ["--mask", folder / "mask.nii.gz"]
    run("check", folder / "plan.json", folder / "people", *mask)
    run("release", folder / "plan.json", folder / "people", "--out", folder / "out")
    image = nibabel.load(folder / "out" / "map.nii.gz")
    found = image.get_fdata()
    assert np.allclose(found[inside], means, atol=0.02)
    assert np.isnan(found[~inside]).all()
    assert image.affine[0, 0] == 2.0  # the mask's, not a person's
    run("verify", folder / "out")
    found[1, 0, 0] += 1e-9
    nibabel.save(nibabel.Nifti1Image(found, image.affine), folder / "out" / "map.nii.gz")
    run("verify", folder / "out", code=3)


def test_a_map_that_was_moved_to_other_places_is_found(people):
    """The numbers are those of the release, in the wrong voxels or elsewhere in space."""
    nibabel = pytest.importorskip("nibabel")
    folder, _, inside = people
    statistic = load_plan(folder / "plan.json").statistic
    value = np.arange(4.0)[:, None]
    grid = statistic.grid
    file = folder / "map.nii.gz"
    for moved, affine, holds in (
        (inside, grid.affine, True),
        (inside[::-1], grid.affine, False),
        (inside, np.eye(4), False),
    ):
        field = np.full(inside.shape, np.nan)
        field[moved] = value[:, 0]
        nibabel.save(nibabel.Nifti1Image(field, affine), file)
        assert FORMATS["maps"].holds(file, value, statistic) is holds


def test_a_plan_without_places_takes_them_from_a_mask(people):
    folder, _, _ = people
    space = ["--space", "euclidean:1", "--center", "0.5", "--radius", "0.5"]
    run("plan", *space, "--voxels", 4, "--n", 20, "--mu", 400, "--out", folder / "four.json")
    mask = ["--mask", folder / "mask.nii.gz"]
    run("release", folder / "four.json", folder / "people", *mask, "--out", folder / "out")
    run("verify", folder / "out")


def test_nan_is_outside_of_a_mask(people):
    """A map that was released serves as a mask again."""
    nibabel = pytest.importorskip("nibabel")
    folder, _, inside = people
    file = folder / "nan.nii.gz"
    nibabel.save(nibabel.Nifti1Image(np.where(inside, 0.3, np.nan), np.eye(4)), file)
    assert read_mask(file).count == 4


@pytest.mark.parametrize("shape", [(3, 2, 2), (1, 1, 5), (4, 1, 1)])
def test_a_grid_comes_back_from_its_document(shape):
    rng = np.random.default_rng(3)
    for share in (0.0, 0.5, 1.0):
        inside = rng.random(shape) < share
        inside.flat[-1] = True
        grid = VoxelGrid(inside, rng.standard_normal((4, 4)))
        again = VoxelGrid.from_json(json.loads(json.dumps(grid.to_json())))
        assert np.array_equal(again.inside, inside)
        assert np.array_equal(again.affine, grid.affine)


@pytest.mark.parametrize(
    "damage",
    [{"shape": [3, 2, 1]}, {"shape": [2**40, 2**40, 1]}, {"shape": []}, {"shape": [-3, -4]}],
)
def test_a_damaged_grid_is_refused_in_a_sentence(damage):
    document = VoxelGrid(np.ones((3, 2, 2), dtype=bool), np.eye(4)).to_json()
    with pytest.raises(GeomdpError, match="mask in the file is damaged"):
        VoxelGrid.from_json(document | damage)


def test_a_mask_of_another_number_of_voxels_is_refused():
    grid = VoxelGrid(np.ones((3, 2, 2), dtype=bool), np.eye(4))
    with pytest.raises(GeomdpError, match="The mask has 12 voxels where the map has 3"):
        dp.MapMean(BALL, 3, grid=grid)


def test_slices_lie_as_people_do():
    """A file stored feet first, left to right swapped, is turned right, forward and up."""
    field = np.arange(24.0).reshape(2, 3, 4)
    affine = np.zeros((4, 4))
    affine[2, 0], affine[0, 1], affine[1, 2], affine[3, 3] = -3.0, 2.0, 1.0, 1.0
    grid = VoxelGrid(np.ones(field.shape, dtype=bool), affine)
    assert grid.steps == (2.0, 1.0, 3.0)
    turned = grid.upright(field)
    assert turned.shape == (3, 4, 2)
    assert turned[1, 2, 0] == field[1, 1, 2]  # the last layer of the file is the lowest


def test_another_mask_or_grid_is_refused(people):
    nibabel = pytest.importorskip("nibabel")
    folder, _, _ = people
    out = ["--out", folder / "out"]
    whole = folder / "whole.nii.gz"
    nibabel.save(nibabel.Nifti1Image(np.ones((3, 2, 2)), np.eye(4)), whole)
    said = run("release", folder / "plan.json", folder / "people", "--mask", whole, *out, code=1)
    assert "whole.nii.gz is not the one that the plan was made with; leave out --mask" in said
    other = folder / "people" / "sub-99.nii.gz"
    nibabel.save(nibabel.Nifti1Image(np.ones((2, 2, 2)), np.eye(4)), other)
    mask = ["--mask", folder / "mask.nii.gz"]
    said = run("release", folder / "plan.json", folder / "people", *mask, *out, code=1)
    assert "bring all people onto one grid" in said


def test_the_grid_is_never_taken_from_a_person(people):
    """Without a mask the published file would have the shape of somebody's image."""
    folder, _, _ = people
    space = ["--space", "euclidean:1", "--center", "0.5", "--radius", "0.5"]
    run("plan", *space, "--voxels", 12, "--n", 20, "--mu", 400, "--out", folder / "all.json")
    said = run("release", folder / "all.json", folder / "people", "--out", folder / "o", code=1)
    assert "Maps need --mask" in said
    assert not (folder / "o").exists()
