"""Data that do not lie in memory: the same mean to the public tolerance, exact sums unchanged."""

import sys

import numpy as np
import pytest

import geomdp as dp
from geomdp.noise.lattice import Lattice, lattice_sum
from geomdp.sources.records import Records
from geomdp.statistics import encoded as encoded_module
from geomdp.statistics.encoded import encode
from geomdp.statistics.solving import passes, precision, solver
from geomdp.statistics.solving.passes import MeanResult, MergedSum

BALLS = {
    "sphere": dp.Ball(dp.Sphere(3), [0.0, 0.0, 0.0, 1.0], 0.7),
    "spd": dp.Ball(dp.SPD(3), np.eye(3), 1.5),
    "hyperbolic": dp.Ball(dp.Hyperbolic(2), [0.0, 0.0, 1.0], 1.2),
    "shapes": dp.Ball(dp.PlanarShapes(5), np.exp(2j * np.pi * np.arange(5) / 5), 0.3),
}
N = 3000


def records(ball, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((N, ball.space.dim))
    vectors *= 0.5 * ball.radius / np.sqrt(ball.space.dim)
    vectors[:, 0] += 0.3 * ball.radius
    return np.asarray(ball.space.frame_exp(ball.center, vectors))


@pytest.fixture
def nothing_kept(monkeypatch):
    monkeypatch.setattr(encoded_module, "KEPT_NUMBERS", 0)


class Rows:
    """Rows that can only be sliced, and count how often they were."""

    def __init__(self, points, most):
        self.points, self.most, self.slices = points, most, 0

    def __len__(self):
        return len(self.points)

    def __getitem__(self, rows):
        part = self.points[rows]
        assert len(part) <= self.most, "more than a chunk was asked for"
        self.slices += 1
        return part


@pytest.mark.parametrize("name", BALLS)
def test_a_streamed_mean_is_certified_and_equal_to_the_tolerance(name, nothing_kept, monkeypatch):
    ball = BALLS[name]
    statistic, points = dp.FrechetMean(ball), records(ball)
    tolerance = statistic.tolerance(N)
    in_memory = statistic.estimate(statistic.encode(points), tolerance)
    monkeypatch.setattr(passes.Passes, "over", lambda *_: pytest.fail("joined in memory"))
    rows = Rows(points, most=1 << 14)
    streamed = encode(statistic, Records(rows), "refuse")
    assert not streamed.in_memory
    found = statistic.estimate(streamed, tolerance)
    assert float(ball.space.dist(found, in_memory)) <= 4 * tolerance
    gradient = passes.Passes.of(ball.space, streamed, found).mean_log(found)
    assert float(ball.space.norm(found, gradient)) <= tolerance
    assert rows.slices > 3


def test_the_subsample_is_a_start_and_never_a_result(nothing_kept, monkeypatch):
    ball = BALLS["spd"]
    statistic, points = dp.FrechetMean(ball), records(ball)
    lying = records(ball, seed=9)[:50]
    monkeypatch.setattr(passes, "_subsample", lambda _: lying)
    tolerance = statistic.tolerance(N)
    found = statistic.estimate(encode(statistic, Records(points), "refuse"), tolerance)
    expected = statistic.estimate(statistic.encode(points), tolerance)
    assert float(ball.space.dist(found, expected)) <= 4 * tolerance


def test_descent_takes_over_where_the_subsample_misleads(nothing_kept, monkeypatch):
    ball = BALLS["sphere"]
    statistic, points = dp.FrechetMean(ball), records(ball)[:200]
    monkeypatch.setattr(solver, "from_sample", lambda *_, start, **__: MeanResult(start, 1.0, 1))
    tolerance = 1e-6
    found = statistic.estimate(encode(statistic, Records(points), "refuse"), tolerance)
    expected = statistic.estimate(statistic.encode(points), tolerance)
    assert float(ball.space.dist(found, expected)) <= 4 * tolerance


@pytest.mark.parametrize("name", ["sphere", "hyperbolic", "shapes"])
def test_a_miss_of_floats_is_solved_again_in_high_precision(name, nothing_kept, monkeypatch):
    """One odd record on which floats fail must not move the answer further than its sensitivity."""
    ball = BALLS[name]
    statistic, plain = dp.FrechetMean(ball), records(ball)[:12]
    odd = plain.copy()
    odd[-1] = ball.space.frame_exp(ball.center, -0.9 * ball.radius * np.eye(ball.space.dim)[:1])[0]
    for road in ("solve", "descend"):
        monkeypatch.setattr(sys.modules["geomdp.statistics.frechet"], road, failing_on(odd[-1]))
    monkeypatch.setattr(encoded_module, "BLOCK_ROWS", 5)
    monkeypatch.setattr(encoded_module, "CHUNK_NUMBERS", 5 * plain[0].size)
    tolerance = statistic.tolerance(12)
    found = []
    for points in (plain, odd):
        streamed = encode(statistic, Records(points), "refuse")
        assert not streamed.in_memory
        assert len(list(streamed.chunks())) == 3
        found.append(statistic.estimate(streamed, tolerance))
        clipped = statistic.encode(points)
        assert precision.gradient_norm(ball.space, found[-1], clipped) <= tolerance
    assert 0 < float(ball.space.dist(*found)) <= statistic.sensitivity(12, "sharp").value


def failing_on(record):
    """A road on which floats fail if a record is there, and go a little astray if it is not."""

    def road(passes, *, tol, start, **_):
        if any(np.allclose(chunk.records[-1], record) for chunk in passes.chunks()):
            raise np.linalg.LinAlgError("a record that floats cannot take")
        return MeanResult(start, 1.0, 1)

    return road


@pytest.mark.parametrize("rows", [1, 7, 64, 3000])
def test_linear_sums_do_not_depend_on_the_chunks(rows):
    statistic = dp.TangentMean(BALLS["spd"])
    coordinates = statistic.encode(records(BALLS["spd"]))
    lattice = Lattice.within(statistic.radius)
    whole = lattice_sum(coordinates, lattice)
    parts = [lattice_sum(coordinates[i : i + rows], lattice) for i in range(0, N, rows)]
    assert [sum(column) for column in zip(*parts, strict=True)] == list(whole)


def test_a_release_from_a_memory_map(tmp_path, nothing_kept):
    ball = BALLS["spd"]
    np.save(tmp_path / "a.npy", records(ball))
    mapped = np.load(tmp_path / "a.npy", mmap_mode="r")
    plan = dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(10**9), mechanism="laplace")
    value = plan.release(mapped).value
    expected = plan.release(np.array(mapped)).value
    assert float(ball.space.dist(value, expected)) < 1e-6


def test_merged_sums_add_in_a_tree():
    merged = MergedSum()
    for _ in range(10**5):
        merged.add(np.array([0.1]))
    # One by one the error would be about 2e-8.
    assert abs(float(merged.total()[0]) - 1e4) < 1e-10


@pytest.mark.parametrize("numbers", [40, 1 << 18])
def test_records_are_admitted_alike_in_chunks_and_threads(numbers, monkeypatch):
    """Bit for bit as alone, invalid ones under their own number, whatever lies beside them."""
    ball = BALLS["spd"]
    statistic, points = dp.FrechetMean(ball), 3.0 * records(ball)[:100]
    points[7], points[60, 0, 1], points[99] = np.nan, 5.0, -np.eye(3)
    points[20] *= 1e6
    monkeypatch.setattr(encoded_module, "CHUNK_NUMBERS", numbers)
    found = encode(statistic, Records(points), "public")
    alone = [statistic.admit(point[None]).records[0] for point in points]
    np.testing.assert_array_equal(np.asarray(found), np.stack(alone))
    assert sorted(found.invalid) == [7, 60, 99]
    assert len(list(found.chunks())) == (25 if numbers == 40 else 1)
