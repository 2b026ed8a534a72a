"""High dimension: no array grows with its square, and far proposals are rejected, not raised."""

import pathlib
import subprocess
import sys
import tracemalloc

import numpy as np
import pytest

import geomdp as dp
from geomdp.mechanisms.laplace_ball import LaplaceBall
from geomdp.noise.kng_envelope import envelope_around, public_envelope
from geomdp.noise.kng_law import KngLaw
from geomdp.spaces.numerics import elementary, linalg

SCRIPT = r"""
import pathlib, re, sys
import numpy as np, geomdp as dp
from geomdp.spaces.specs import space_from_spec
for asked in sys.argv[1:]:
    spec, mechanism, epsilon = asked.split()
    space = space_from_spec(spec)
    center = np.asarray(space.origin(np.zeros(1)))
    if space.spec.startswith("planar"):
        center = np.exp(2j * np.pi * np.arange(space.landmarks) / space.landmarks)
    statistic = dp.FrechetMean(dp.Ball(space, center, 0.2))
    plan = dp.plan(statistic, n=20, budget=dp.Pure(epsilon), mechanism=mechanism)
    value = plan.release(np.stack([statistic.ball.center] * 20)).value
    assert space.contains(value)
    # Not `ru_maxrss`: a child inherits there the peak of the test process that started it.
    print(re.search(r"VmHWM:\s*(\d+)", pathlib.Path("/proc/self/status").read_text())[1], asked)
"""


@pytest.mark.skipif(
    not pathlib.Path("/proc/self/status").exists(), reason="needs Linux's account of memory"
)
def test_memory_stays_small():
    """In kilobytes; a table of 10,000 x 10,000 balls took nine gigabytes."""
    cases = (
        "sphere:10000 laplace 1",
        "planar-shapes:2000 laplace 1",
        "planar-shapes:200 kng 4000",
        "spd:30:log-euclidean kng 100000",
    )
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, *cases], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    peaks = [line.split(maxsplit=1) for line in done.stdout.splitlines()]
    assert [case for _, case in peaks] == list(cases)
    assert [case for peak, case in peaks if int(peak) > 500_000] == []


def test_proposals_beyond_floats_are_rejected():
    """One that overflowed is outside the ball, and does not raise for those beside it."""
    ball = dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 1.0)
    law = KngLaw(ball, np.eye(2)[None], np.eye(2), public_envelope(ball, 1.0, 1e-6), 0.1, -40)
    points = np.stack([np.eye(2), np.full((2, 2), np.nan), np.diag([np.inf, 1.0])])
    assert law._with_gradient(np.zeros(3), points).tolist() == [0.0, -np.inf, -np.inf]


def test_the_basis_of_shapes_is_helmert_s():
    space = dp.PlanarShapes(6)
    frame = space.from_frame(np.eye(space.dim))
    gram = np.real(np.conj(frame) @ frame.T)
    np.testing.assert_allclose(gram, np.eye(space.dim), atol=1e-15)
    np.testing.assert_allclose(elementary.parts(np.sum(frame, axis=-1))[0], 0.0, atol=1e-15)
    assert np.count_nonzero(np.abs(frame[0]) > 1e-15) == 3  # two ones and minus two


def test_envelope_of_a_data_set_makes_no_table_of_directions():
    """``auto`` weighs kng on spheres of any dimension; 5000 x 5000 numbers are 200 megabytes."""
    ball = dp.Ball(dp.Sphere(5000), linalg.last_axis(5001, np.empty(0)), 0.2)
    records = ball.boundary_point()[None]
    tracemalloc.start()
    envelope = envelope_around(ball, records[0], records, 0.1, 1e-6)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 20e6
    assert envelope.shape.shape == (1, 1)
    assert 1 <= envelope.shrink <= public_envelope(ball, 0.1, 1e-6).shrink


def test_auto_forecasts_no_restricted_law_that_accepts_nothing(monkeypatch):
    """Simulating it would never end: it must be refused first, also before its factor is proved."""

    def endless(self, calibration):
        raise AssertionError(f"forecast with facts {calibration.facts}")

    monkeypatch.setattr(LaplaceBall, "forecast", endless)
    ball = dp.Ball(dp.Sphere(500), linalg.last_axis(501, np.empty(0)), 0.2)
    made = dp.plan(dp.FrechetMean(ball), n=50, budget=dp.Pure(1))
    (other,) = (other for other in made.runners_up if other.name == "laplace-ball")
    assert "more than 100 tries" in other.reason
