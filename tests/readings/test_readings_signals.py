"""Signals of several channels become covariances, each by itself; values come back as matrices."""

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import GeomdpError
from geomdp.readings import Signals

READING = Signals(3, 20, gain=1e6)


def volts(count=30, seed=0):
    mixing = np.array([[1, 0, 0], [0.6, 0.8, 0], [0, 0.3, 0.9]])
    white = np.random.default_rng(seed).standard_normal((count, 3, 20))
    return 1e-5 * np.einsum("ij,njt->nit", mixing, white)


def test_a_record_becomes_its_covariance_whatever_stands_beside_it():
    signals = volts()
    points = READING.points(signals)
    np.testing.assert_allclose(points[4], np.cov(1e6 * signals[4]), rtol=1e-12)
    for i in range(len(signals)):
        np.testing.assert_array_equal(READING.points(signals[i : i + 1])[0], points[i])
    np.testing.assert_array_equal(READING.points(signals[::-1])[::-1], points)


def test_shrinking_keeps_the_trace_and_gives_full_rank():
    signals = volts()[:, :, :3]
    points = Signals(3, 3, shrink=0.1).points(signals)
    plain = np.stack([np.cov(one) for one in signals])
    np.testing.assert_allclose(np.trace(points, axis1=1, axis2=2), np.trace(plain, 0, 1, 2))
    assert np.linalg.eigvalsh(points).min() > 0


def test_flat_channels_and_gaps_are_no_records():
    signals = volts(4)
    signals[1, 2] = 7.0
    signals[2, 0, 5] = np.nan
    signals[3, 0, 5] = np.inf
    assert {row: reason[:12] for row, reason in READING.judge(signals).items()} == {
        1: "a channel of",
        2: "it has a mis",
        3: "it has a mis",
    }
    assert np.isnan(READING.points(signals)[1:]).all()


@pytest.mark.parametrize(
    ("made", "sentence"),
    [
        (lambda: Signals(20, 20), "not of full rank"),
        (lambda: Signals(0, 20), "one channel or more"),
        (lambda: Signals(3, 20, gain=0.0), "gain must be positive"),
        (lambda: Signals(3, 20, shrink=1.0), "from 0 to below 1"),
        (lambda: Signals.of("3 x 20"), "write channels x samples"),
        (lambda: READING.require(dp.SPD(4)), r"plan on spd:3\."),
        (lambda: READING.require(dp.Sphere(2)), r"plan on spd:3\."),
        (lambda: READING.require(None), r"plan on spd:3\."),
    ],
)
def test_what_gives_no_covariances_is_refused_while_planning(made, sentence):
    with pytest.raises(GeomdpError, match=sentence):
        made()


def run(*arguments, code=0):
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == code, result.output
    return result


@pytest.mark.parametrize("kind", ["npy", "npz", "csv"])
def test_signals_of_any_file_become_a_verified_covariance(tmp_path, monkeypatch, kind):
    """Formerly a covariance was written under the names of the samples, and did not verify."""
    monkeypatch.chdir(tmp_path)
    signals = volts()
    if kind == "csv":
        names = ",".join(f"s{i}" for i in range(60))
        np.savetxt("x.csv", signals.reshape(30, 60), delimiter=",", header=names, comments="")
    else:
        (np.save if kind == "npy" else np.savez)(f"x.{kind}", signals)
    np.savetxt("centre.csv", [[100, 60, 100, 0, 30, 100]], delimiter=",")
    what = ["--space", "spd:3", "--signals", "3x20", "--gain", "1e6", "--names", "Fz,Cz,Pz"]
    how = ["--radius", 2, "--n", 30, "--epsilon", 300, "--mechanism", "laplace"]
    for center in ("100,60,100,0,30,100", "centre.csv"):
        run("plan", *what, "--center", center, *how, "--out", f"{center[0]}.json")
    assert len({(tmp_path / f"{one}.json").read_text() for one in "1c"}) == 1
    run("release", "1.json", f"x.{kind}", "--out", "mean")
    run("verify", "mean")
    mean = dp.load_release("mean").value
    plain = dp.frechet_mean(dp.SPD(3), READING.points(signals)).point
    assert dp.SPD(3).dist(mean, plain) < 0.2
    assert "Fz:Fz,Cz:Fz" in (tmp_path / "mean" / "results.csv").read_text()
    assert not [
        one for one in (tmp_path / "mean").iterdir() if one.name == f"value.{kind}" != "value.npy"
    ]


def test_images_in_a_table_become_a_verified_descriptor(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pixels = np.random.default_rng(1).integers(0, 256, (20, 64)) / 255
    np.savetxt(
        "x.csv", pixels, delimiter=",", header=",".join(f"p{i}" for i in range(64)), comments=""
    )
    run("plan", "--space", "descriptors:8x8x1", "--n", 20, "--mu", 50, "--out", "plan.json")
    run("release", "plan.json", "x.csv", "--out", "mean")
    run("verify", "mean")
