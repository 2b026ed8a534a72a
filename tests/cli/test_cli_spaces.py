"""From files to a verified release, on the spaces whose records files hold in several ways."""

import csv

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app

N = 40
RNG = np.random.default_rng(0)
ROTATIONS = Rotation.from_rotvec(0.2 * RNG.standard_normal((N, 3)))
CORRELATIONS = np.array([np.corrcoef(RNG.standard_normal((3, 60)) + 0.5) for _ in range(N)])
ATLAS = RNG.standard_normal((5, 3))
LANDMARKS = ATLAS + 0.05 * RNG.standard_normal((N, 5, 3))
POSES = dp.Product(dp.Rotations(), dp.Euclidean(2), weights=(1.0, 0.5))


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


def table(path, names, rows):
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([names, *rows.reshape(N, -1).tolist()])
    return path


def npy(path, array):
    np.save(path, array)
    return path


def tps(path, array):
    blocks = ("\n".join(" ".join(map(str, p)) for p in one) for one in array.tolist())
    path.write_text("".join(f"LM3=5\n{block}\nID=s\n" for block in blocks))
    return path


def long_table(path, array):
    rows = [(f"s{i}", j + 1, *p) for i, one in enumerate(array.tolist()) for j, p in enumerate(one)]
    with path.open("w", newline="") as stream:
        csv.writer(stream).writerows([["specimen", "landmark", "x", "y", "z"], *rows])
    return path


MATRIX = [f"m{i}" for i in range(9)]
ON_ROTATIONS = ["--space", "rotations", "--center", "identity", "--radius", 1, "--mu", 1]
ON_CORRELATIONS = ["--space", "correlation:3", "--center", "identity", "--radius", 2, "--mu", 1]
LANDMARK_MEAN = ["--statistic", "tangent-mean", "--radius", 0.5, "--mu", 1]


@pytest.mark.parametrize(
    ("options", "write", "value_file"),
    [
        (ON_ROTATIONS, lambda p: table(p / "a.csv", MATRIX, ROTATIONS.as_matrix()), "value.csv"),
        (
            ON_CORRELATIONS,
            lambda p: table(p / "a.csv", ["ab", "ac", "bc"], CORRELATIONS[:, [1, 2, 2], [0, 0, 1]]),
            "value.csv",
        ),
        (
            ["--space", "size-and-shape:5:3", "--center", "ATLAS", *LANDMARK_MEAN],
            lambda p: tps(p / "a.tps", LANDMARKS),
            "value.tps",
        ),
        (
            ["--space", "shapes:5:3", "--center", "ATLAS", *LANDMARK_MEAN],
            lambda p: long_table(p / "a.csv", LANDMARKS),
            "value.csv",
        ),
        (
            ["--space", POSES.spec, "--center", "origin", "--radius", 1, "--mu", 1],
            lambda p: npy(p / "a.npy", POSES.join(ROTATIONS.as_quat(), np.zeros((N, 2)))),
            None,
        ),
    ],
    ids=["nine-columns", "vectors", "tps", "long-table", "product"],
)
def test_plan_release_verify(tmp_path, options, write, value_file):
    atlas = npy(tmp_path / "atlas.npy", ATLAS[None])
    options = [atlas if option == "ATLAS" else option for option in options]
    plan, out = tmp_path / "plan.json", tmp_path / "out"
    run("plan", *options, "--n", N, "--out", plan)
    run("release", plan, write(tmp_path), "--out", out)
    assert "every number follows" in run("verify", out).stdout
    release = dp.load_release(out)
    assert release.plan.statistic.space.contains(release.value)
    assert value_file is None or (out / value_file).exists()


def test_a_chart_refuses_a_frechet_mean_in_one_sentence(tmp_path):
    atlas = npy(tmp_path / "atlas.npy", ATLAS[None])
    said = run(
        *["plan", "--space", "shapes:5:3", "--center", atlas, "--radius", 0.5, "--n", N],
        *["--epsilon", 1],
        code=1,
    )
    assert "shapes:5:3 is a chart without a bound on its curvature" in said.stderr


@pytest.mark.parametrize("wrong", ["LM3=5\n1 2 3\n", "LM3=2\n1 2\n3 4\n"])
def test_a_tps_file_with_other_landmarks_is_refused(tmp_path, wrong):
    from geomdp.errors import InvalidRecordError
    from geomdp.io import read_records

    (tmp_path / "a.tps").write_text(wrong)
    ball = dp.Ball(dp.SizeAndShape(5), ATLAS, 0.5)
    with pytest.raises(InvalidRecordError, match=r"missing|a landmark has 3"):
        read_records(tmp_path / "a.tps", dp.TangentMean(ball))
