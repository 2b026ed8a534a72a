"""Honest releases in stages are in order, whatever was asked and however records were written."""

from itertools import product

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.curves import Matern
from geomdp.plans.release import arrays_to_files, files_to_arrays
from geomdp.readings import Compositions, Directions, UnitVectors
from geomdp.releases.verification import verify
from geomdp.serial import array_from_json, array_to_json

N = 400
SHARES = np.random.default_rng(1).dirichlet([50.0, 30.0, 20.0], N)
ANGLES = np.array([20.0, 30.0]) + 3 * np.random.default_rng(2).standard_normal((N, 2))
#: A reading, and raw records that it reads.
READINGS = {
    "dec-inc": (Directions("dec-inc"), ANGLES),
    "lat-lon": (Directions("lat-lon"), ANGLES),
    "compositions": (Compositions(), SHARES),
    "normalize": (Compositions(normalize=True), 100 * SHARES),
    "unit-vectors": (UnitVectors(), 7 * np.sqrt(SHARES)),
}
WHOLE = dp.Ball.whole(dp.Sphere(2))
CURVED = dp.Ball(dp.Sphere(2), np.ones(3) / np.sqrt(3), 0.7)
AGE = {"age": np.linspace(20.0, 60.0, N)}
ASKED = {
    "frechet": dp.Refined(dp.FrechetMean(WHOLE)),
    "tangent": dp.Refined(dp.TangentMean(CURVED)),
    "moments": dp.Refined(dp.Moments(WHOLE)),
    "regression": dp.Refined(dp.Regression(CURVED, {"age": (20, 60)})),
    "ball": dp.PrivateBall(WHOLE),
}


def _cases():
    """Every reading meets every question; the dearest of these when slow."""
    for name, asked in product(READINGS, ASKED):
        dear = asked == "regression" and name != "dec-inc"
        yield pytest.param(name, asked, marks=[pytest.mark.slow] if dear else [])


@pytest.mark.parametrize(("name", "asked"), list(_cases()))
def test_an_honest_release_in_stages_is_in_order(name, asked, tmp_path):
    """Formerly every radius of raw records was called altered, once the budget was spent."""
    reading, raw = READINGS[name]
    plan = dp.plan(ASKED[asked], n=N, budget=dp.GDP(2), reading=reading)
    release = plan.release(dp.Records(raw, covariates=AGE), folder=tmp_path / "out")
    again = dp.load_release(tmp_path / "out")
    np.testing.assert_array_equal(again.value, release.value)
    verdict = verify(tmp_path / "out")
    assert verdict.problems == ()
    assert list(again.parts) == [f"stage {i}" for i in range(1, len(plan.rule.budgets) + 1)]


@pytest.mark.parametrize(
    "words",
    [
        ("--space", "sphere:2", "--directions", "dec-inc"),
        ("--space", "sphere:2", "--directions", "lat-lon", "--statistic", "moments"),
        ("--space", "sphere:2", "--compositions"),
        ("--space", "sphere:2", "--normalize", "--statistic", "tangent-mean"),
    ],
    ids=lambda words: words[2],
)
def test_the_command_verifies_what_it_released(words, tmp_path):
    raw = SHARES if words[2] == "--compositions" else ANGLES
    raw = 7 * np.sqrt(SHARES) if words[2] == "--normalize" else raw
    np.savetxt(
        tmp_path / "raw.csv",
        raw,
        delimiter=",",
        fmt="%.17g",
        header="a,b,c"[: 2 * raw.shape[1] - 1],
        comments="",
    )
    file, out = str(tmp_path / "plan.json"), str(tmp_path / "out")
    for line in (
        ["plan", *words, "--find-ball", "--n", str(N), "--mu", "2", "--out", file],
        ["release", file, str(tmp_path / "raw.csv"), "--out", out],
        ["verify", out, "--plan", file],
    ):
        done = CliRunner().invoke(app, line)
        assert done.exit_code == 0, done.output


def test_a_tau_of_exactly_one_is_in_order(tmp_path, monkeypatch):
    """Formerly a weight without axes and a value of one number were one file, of one shape."""
    wide = dp.FunctionMean(np.zeros(8), tau=4.0, kernel=Matern(0.5))
    plan = dp.plan(dp.Refined(wide), n=1000, budget=dp.GDP(1))
    statistic = type(plan.rule.plan(()).statistic)
    monkeypatch.setattr(statistic, "shortfalls", lambda self, _: (self.radii != 1.0) * 10**6)
    release = plan.release(np.full((1000, 8), 0.1), folder=tmp_path / "out")
    assert dp.tau_of(release) == 1.0
    assert verify(tmp_path / "out").problems == ()
    assert dp.tau_of(dp.load_release(tmp_path / "out")) == 1.0


def test_arrays_of_the_same_bytes_have_files_of_their_own(tmp_path):
    arrays = [np.ones(()), np.ones(1), np.ones((1, 1)), np.ones(1).view(np.int64)]
    document = {str(i): array_to_json(array) for i, array in enumerate(arrays)}
    stored = arrays_to_files(document, tmp_path)
    assert len(list(tmp_path.iterdir())) == len(arrays)
    for found, array in zip(files_to_arrays(stored, tmp_path).values(), arrays, strict=True):
        back = array_from_json(found)
        assert (back.shape, back.dtype) == (array.shape, array.dtype)
