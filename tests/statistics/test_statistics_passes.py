"""Passes over data: sums that travel, starts that are no results, certificates that are proved."""

import os
import pickle
import subprocess
import sys
from functools import partial
from importlib.util import find_spec

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces.numerics import decompositions
from geomdp.statistics.solving import passes as passes_module
from geomdp.statistics.solving import solver
from geomdp.statistics.solving.passes import Chunk, Passes, certified_sum, fast_sum

SPACES = [dp.SPD(2), dp.SPD(3), dp.SPD(5), dp.Sphere(4), dp.PlanarShapes(6), dp.Hyperbolic(2)]
EACH = pytest.mark.parametrize("space", SPACES, ids=lambda s: s.spec)


def scattered(space, n=600, seed=0, spread=0.6):
    v = spread * np.random.default_rng(seed).normal(size=(n, space.dim)) / np.sqrt(space.dim)
    return space.canonical(space.exp(space.origin(v), space.from_frame(v)))


@EACH
@pytest.mark.parametrize("question", [fast_sum, certified_sum])
def test_a_question_can_be_asked_elsewhere(space, question):
    """Nothing of it is bound to this process: what a worker on another machine needs."""
    points = scattered(space)
    asked = pickle.loads(pickle.dumps(partial(question, space, points[0])))
    answer = pickle.loads(pickle.dumps(asked(Chunk(points))))
    np.testing.assert_allclose(answer, np.sum(space.log(points[0], points), axis=0), atol=1e-10)


@EACH
def test_any_mapper_serves(space):
    points = scattered(space)
    asked = []

    def elsewhere(function, chunks):
        for chunk in chunks:
            asked.append(len(chunk.records))
            yield pickle.loads(pickle.dumps(function))(chunk)

    usual = Passes.over(space, points)
    other = Passes(space, usual.chunks, usual.total, elsewhere)
    np.testing.assert_allclose(other.mean_log(points[0]), usual.mean_log(points[0]), atol=1e-14)
    assert sum(asked) == len(points)


@EACH
def test_the_fast_road_needs_no_newton(space, monkeypatch):
    """The start and the passes after it do it alone, from far away and with weights."""
    points = scattered(space)
    slow = solver.newton(space, Chunk(points), tol=1e-12, start=points[0])[0].point
    if space.fast_sums:
        monkeypatch.setattr(solver, "newton", lambda *_, **__: pytest.fail("the fast road missed"))
    found = dp.frechet_mean(space, points, tol=1e-11)
    assert found.gradient_norm <= 1e-11
    assert space.dist(found.point, slow) <= 1e-10


def test_a_sample_that_lies_costs_passes_and_no_more(monkeypatch):
    space = dp.SPD(5)
    points = scattered(space)
    points[:: passes_module.sample_step(600)] = (
        scattered(space, 600, seed=1, spread=0.1)[:: passes_module.sample_step(600)] * 20
    )
    found = dp.frechet_mean(space, points, tol=1e-11)
    norm = space.norm(found.point, np.mean(space.log(found.point, points), axis=0))
    assert norm <= 1e-10


class Lying(dp.Sphere):
    """A sphere whose fast sums are off: a solver may walk by them, no more."""

    fast_sums = True

    def log(self, p, q):
        return super().log(p, q)

    def log_sum(self, p, q, shares=None):
        return super().log_sum(p, q, shares) * (1 + 1e-3) + 1e-4 * (p[0] - p)


def test_what_is_certified_does_not_rest_on_fast_sums():
    space = Lying(2)
    points = scattered(space, spread=0.3)
    found = solver.solve(Passes.over(space, points), tol=1e-11, start=points[0])
    norm = space.norm(found.point, np.mean(space.log(found.point, points), axis=0))
    assert norm <= 1e-10
    assert dp.frechet_mean(space, points, tol=1e-11).gradient_norm <= 1e-11


@pytest.mark.parametrize("metric", ["affine", "log-euclidean"])
def test_memory_is_a_chunk(metric, monkeypatch):
    """However many records, no array of all of them is made."""
    space = dp.SPD(3, metric)
    points = scattered(space, 5000)
    largest = []
    monkeypatch.setattr(passes_module, "CHUNK_NUMBERS", 900)

    def watched(name):
        real = getattr(type(space), name)

        def watch(self, p, q, shares=None):
            largest.append(len(q))
            return real(self, p, q, shares)

        monkeypatch.setattr(type(space), name, watch)

    watched("log_sum")
    watched("judged_log_sum")
    monkeypatch.setattr(solver, "newton", lambda *_, **__: pytest.fail("all at once"))
    dp.frechet_mean(space, points)
    assert max(largest) == 100


def test_a_linear_space_is_read_once():
    space = dp.SPD(4, "log-euclidean")
    points = scattered(space)
    found = dp.frechet_mean(space, points)
    assert found.passes == 1
    np.testing.assert_allclose(
        space.log(np.eye(4), found.point), np.mean(space.log(np.eye(4), points), axis=0), atol=1e-12
    )


@pytest.mark.parametrize("bad", [1, 3])
def test_a_step_where_floats_do_not_reach_is_shortened(bad, monkeypatch):
    space = dp.SPD(3)
    points, seen = scattered(space), []
    real = type(space).log_sum

    def lost(self, p, q, shares=None):
        seen.append(p)
        if len(seen) == bad + 1:
            raise np.linalg.LinAlgError("did not converge")
        return real(self, p, q, shares)

    monkeypatch.setattr(type(space), "log_sum", lost)
    monkeypatch.setattr(solver, "newton", lambda *_, **__: pytest.fail("given up"))
    assert dp.frechet_mean(space, points).gradient_norm <= 1e-10
    # The step after the bad one is a quarter of it, from the same point.
    before, lost_at, after = seen[bad - 1 : bad + 2]
    ratio = space.dist(before, after) / space.dist(before, lost_at)
    assert ratio == pytest.approx(0.25, rel=1e-6)


class Modest(dp.Hyperbolic):
    """Sums of its own that it does not call fast: nothing is certified by them."""

    def log_sum(self, p, q, shares=None):
        return 0.0 * p


def test_sums_that_are_not_called_fast_are_not_used():
    space = Modest(2)
    points = scattered(space)
    for found in (
        dp.frechet_mean(space, points),
        solver.solve(Passes.over(space, points), tol=1e-10, start=points[0]),
    ):
        gradient = space.norm(found.point, np.mean(space.log(found.point, points), axis=0))
        assert gradient <= 1e-9


def test_arrays_of_another_library_have_a_mean():
    import array_api_strict as strict

    for space in (dp.SPD(3), dp.Sphere(3)):
        points = scattered(space, 400)
        found = dp.frechet_mean(space, strict.asarray(points))
        expected = dp.frechet_mean(space, points).point
        np.testing.assert_allclose(np.asarray(found.point), expected, atol=1e-8)


ON_A_DEVICE = """
import importlib, pathlib, sys
import numpy as np, geomdp as dp
library, folder = importlib.import_module(sys.argv[1]), pathlib.Path(sys.argv[2])
points = library.asarray(np.load(folder / "points.npy"))
np.save(folder / "mean.npy", np.asarray(dp.frechet_mean(dp.SPD(4), points).point))
"""


@pytest.mark.parametrize("name", ["jax.numpy", "torch"])
def test_arrays_of_libraries_for_devices_have_a_mean(name, tmp_path):
    """On the CPU here; ``benchmarks/gpu`` runs the same on a device.

    In a process of its own: these libraries leave threads behind, and other tests fork.
    """
    if find_spec(name.partition(".")[0]) is None:
        pytest.skip(f"{name} is not installed")
    space = dp.SPD(4)
    points = scattered(space, 300, spread=0.3)
    points[7] *= np.diag([1e4, 1.0, 1.0, 1.0]) + (1 - np.eye(4))  # not narrow
    np.save(tmp_path / "points.npy", points)
    made = [sys.executable, "-c", ON_A_DEVICE, name, str(tmp_path)]
    subprocess.run(made, check=True, env=os.environ | {"JAX_ENABLE_X64": "1"})
    expected = dp.frechet_mean(space, points).point
    np.testing.assert_allclose(np.load(tmp_path / "mean.npy"), expected, atol=1e-8)


def test_arrays_of_another_library_are_read_and_decomposed_in_pieces(monkeypatch):
    """On a device neither a pass nor a decomposition takes all records at once."""
    import array_api_strict as strict

    points = scattered(dp.SPD(3), 400)
    there, sizes = strict.asarray(points), []
    monkeypatch.setattr(passes_module, "DEVICE_NUMBERS", 900)
    assert [s.stop - s.start for s in passes_module.slices(there)] == [100] * 4
    monkeypatch.setattr(decompositions, "DEVICE_BATCH", 150)
    real = strict.linalg.eigvalsh

    def watched(x):
        sizes.append(x.shape[0])
        return real(x)

    monkeypatch.setattr(strict.linalg, "eigvalsh", watched)
    found = decompositions.eigvalsh(there)
    assert sizes == [150, 150, 100]
    np.testing.assert_allclose(np.asarray(found), np.linalg.eigvalsh(points), rtol=1e-12)
