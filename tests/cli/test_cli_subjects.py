"""One file a subject: one record, or one person with many, and labels from wherever they are."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.datasets import polar_sphere
from geomdp.io import Choices, read_records

SPHERE = ["--space", "sphere:2", "--center", "0,0,1", "--radius", "0.5"]
TENSOR = ["--space", "spd:3", "--center", "identity", "--radius", "2"]
ASK = ["--epsilon", "300", "--mechanism", "laplace"]
POINTS = polar_sphere(12, 0.4, seed=1)
MEAN = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output
    return result


def planned(folder, *options):
    file = folder / f"plan-{len(list(folder.glob('plan-*')))}.json"
    run("plan", *options, *ASK, "--out", file)
    return file


def released(folder, plan, data, *options, code=0):
    result = run("release", plan, data, *options, "--out", folder / "out", code=code)
    if code == 0:
        run("verify", folder / "out")
    return result.stderr


def files(folder, kind, many=False):
    """Write twelve points in twelve files, or in four of three points."""
    folder.mkdir()
    groups = POINTS.reshape(4, 3, 3) if many else POINTS[:, None]
    for i, points in enumerate(groups):
        below = folder / ("a" if i % 2 else "b")
        below.mkdir(exist_ok=True)
        if kind == "npy":
            np.save(below / f"sub-{i:02}.npy", points if many else points[0])
        else:
            file = below / f"sub-{i:02}.csv"
            np.savetxt(file, points, delimiter=",", header="x,y,z", comments="")
    return folder


@pytest.mark.parametrize("kind", ["npy", "csv"])
def test_a_file_is_a_record(tmp_path, kind):
    data = files(tmp_path / "data", kind)
    read = read_records(data, MEAN)
    order = sorted(range(12), key=lambda i: ("ba"[i % 2], i))
    np.testing.assert_allclose(read.points, POINTS[order])
    released(tmp_path, planned(tmp_path, *SPHERE, "--n", 12), data)


def test_a_file_is_a_person_with_many_records(tmp_path):
    data = files(tmp_path / "data", "npy", many=True)
    said = released(tmp_path, planned(tmp_path, *SPHERE, "--n", 12), data, code=1)
    assert "12 records in 4 files, so that a file is a subject with many records" in said
    assert "plan with --unit person" in said
    persons = planned(tmp_path, *SPHERE, "--n", 4, "--unit", "person")
    released(tmp_path, persons, data)
    assert dp.load_release(tmp_path / "out").value.shape == (3,)


def test_groups_from_the_folders_and_from_a_table_beside(tmp_path):
    data = files(tmp_path / "data", "npy")
    groups = planned(tmp_path, *SPHERE, "--group", "a=6", "--group", "b=6")
    released(tmp_path, groups, data, "--by", "folder")
    rows = [f"sub-{i:02},{'a' if i < 6 else 'b'},p{i}" for i in range(12)]
    table = tmp_path / "subjects.csv"
    table.write_text("\n".join(["file,arm,who", *reversed(rows)]) + "\n")
    read = read_records(data, MEAN, Choices(keep=("arm", "folder"), labels=table))
    expected = ["a" if int(path[-6:-4]) < 6 else "b" for path in read.columns["path"]]
    assert read.columns["arm"].tolist() == expected
    (tmp_path / "out").rename(tmp_path / "by-folder")
    released(tmp_path, groups, data, "--by", "arm", "--labels", table)
    table.write_text("\n".join(["file,arm", *(row[:8] for row in rows[1:])]) + "\n")
    said = run("release", groups, data, "--by", "arm", "--labels", table, "--out", "x", code=1)
    assert "subjects.csv has no row for the file 'b/sub-00.npy'" in said.stderr
    assert (
        "A folder has no column 'site'"
        in run(
            "release", groups, data, "--by", "site", "--labels", table, "--out", "x", code=1
        ).stderr
    )


def test_a_table_beside_one_file_goes_by_the_order_of_rows(tmp_path):
    np.save(tmp_path / "a.npy", POINTS)
    table = tmp_path / "labels.csv"
    table.write_text("arm\n" + "a\nb\n" * 6)
    groups = planned(tmp_path, *SPHERE, "--group", "a=6", "--group", "b=6")
    released(tmp_path, groups, tmp_path / "a.npy", "--by", "arm", "--labels", table)
    table.write_text("arm\n" + "a\nb\n" * 5)
    said = run(
        "release",
        groups,
        tmp_path / "a.npy",
        "--by",
        "arm",
        "--labels",
        table,
        "--out",
        "x",
        code=1,
    )
    assert "10 rows where there are 12 records" in said.stderr


@pytest.fixture
def brains(tmp_path):
    """Three subjects of 2 x 2 x 2 voxels, half of them outside the brain, components as in FSL."""
    nibabel = pytest.importorskip("nibabel")
    rng = np.random.default_rng(0)
    mask = np.zeros((2, 2, 2), dtype=np.uint8)
    mask[0] = 1
    (tmp_path / "data").mkdir()
    for i in range(3):
        fields = np.zeros((2, 2, 2, 6))
        one = np.eye(3) + 0.9 * np.diag([0.0, 0.0, 1.0])[::-1] / 2
        one = (one + one.T) / 2 + np.diag(rng.uniform(0, 0.3, 3))
        fields[0] = one[np.triu_indices(3)]
        nibabel.save(nibabel.Nifti1Image(fields, np.eye(4)), tmp_path / "data" / f"s{i}.nii.gz")
    nibabel.save(nibabel.Nifti1Image(mask, np.eye(4)), tmp_path / "mask.nii.gz")
    return tmp_path


def test_a_folder_of_nifti_files_is_a_study_of_persons(brains):
    plan = planned(brains, *TENSOR, "--n", 3, "--unit", "person")
    mask = ["--mask", brains / "mask.nii.gz", "--triangle", "upper"]
    released(brains, plan, brains / "data", *mask)
    assert dp.load_release(brains / "out").value.shape == (3, 3)
    (brains / "out").rename(brains / "done")
    said = released(brains, plan, brains / "data", "--triangle", "upper", code=1)
    assert "voxels outside the brain are no tensors: give --mask" in said


def test_one_nifti_file_is_one_person(brains):
    plan, data = planned(brains, *TENSOR, "--n", 4), brains / "data" / "s0.nii.gz"
    mask = ["--mask", brains / "mask.nii.gz"]
    said = run("check", plan, data, *mask, "--triangle", "upper").stdout
    assert "one NIfTI file is one person's 4 voxels, and no 4 people" in said
    assert "plan with --unit person" in said


def test_the_order_of_components_is_named_where_it_is_the_cause(tmp_path):
    rng = np.random.default_rng(0)
    strong = np.array([[1.0, 0, -0.3], [0, 0.5, 0], [-0.3, 0, 1.0]])
    tensors = np.stack([strong + np.diag(rng.uniform(0, 0.1, 3)) for _ in range(12)])
    rows = tensors[:, *np.triu_indices(3)]
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",", header="a,b,c,d,e,f", comments="")
    plan = planned(tmp_path, *TENSOR, "--n", 12)
    said = released(tmp_path, plan, tmp_path / "a.csv", "--triangle", "lower", code=1)
    assert "in the other order it would be one: write --triangle upper" in said
    released(tmp_path, plan, tmp_path / "a.csv", "--triangle", "upper")


@pytest.mark.parametrize("names", ["Dxx,Dxy,Dxz,Dyy,Dyz,Dzz", "t11,t12,t13,t22,t23,t33"])
def test_a_header_that_says_another_order_of_components_is_believed(tmp_path, names):
    rows = np.tile([1.0, 0.1, 0.2, 1.0, 0.3, 1.0], (12, 1))  # valid in either order
    np.savetxt(tmp_path / "a.csv", rows, delimiter=",", header=names, comments="")
    plan = planned(tmp_path, *TENSOR, "--n", 12)
    said = released(tmp_path, plan, tmp_path / "a.csv", "--triangle", "lower", code=1)
    assert "write --triangle upper" in said
    released(tmp_path, plan, tmp_path / "a.csv")
