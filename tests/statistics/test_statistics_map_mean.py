"""Means of maps: all voxels are one record, clipped twice, and the map comes back in its file."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.plans import plan_from_json
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
    with pytest.raises(InvalidRecordError, match="Record 2: voxel 1: "):
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
    run("release", folder / "plan.json", folder / "people", *mask, "--out", folder / "out")
    image = nibabel.load(folder / "out" / "map.nii.gz")
    found = image.get_fdata()
    assert np.allclose(found[inside], means, atol=0.02)
    assert np.isnan(found[~inside]).all()
    assert image.affine[0, 0] == 2.0  # the mask's, not a person's
    run("verify", folder / "out")
    found[1, 0, 0] += 1e-9
    nibabel.save(nibabel.Nifti1Image(found, image.affine), folder / "out" / "map.nii.gz")
    run("verify", folder / "out", code=3)


def test_another_mask_or_grid_is_refused(people):
    nibabel = pytest.importorskip("nibabel")
    folder, _, _ = people
    out = ["--out", folder / "out"]
    whole = folder / "whole.nii.gz"
    nibabel.save(nibabel.Nifti1Image(np.ones((3, 2, 2)), np.eye(4)), whole)
    said = run("release", folder / "plan.json", folder / "people", "--mask", whole, *out, code=1)
    assert "12 voxels where the plan says 4: give the --mask" in said
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
