"""Records on many machines: the same value whatever the blocks, and nothing but sums comes back."""

import pickle
import sys
from functools import partial

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError, MachinesError
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.noise.entropy import SystemEntropy
from geomdp.sources import dask_source, file_blocks, worker
from geomdp.sources.records import Records
from geomdp.statistics.encoded import encode
from geomdp.statistics.solving import precision
from geomdp.statistics.solving.passes import MeanResult

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")

BALLS = {
    "sphere": dp.Ball(dp.Sphere(3), [0.0, 0.0, 0.0, 1.0], 0.7),
    "spd": dp.Ball(dp.SPD(3), np.eye(3), 1.5),
    "log-euclidean": dp.Ball(dp.SPD(2, metric="log-euclidean"), np.eye(2), 1.5),
    "hyperbolic": dp.Ball(dp.Hyperbolic(2), [0.0, 0.0, 1.0], 1.2),
    "rotations": dp.Ball(dp.Rotations(), [1.0, 0.0, 0.0, 0.0], 0.7),
    "shapes": dp.Ball(dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.5),
}
N = 2000


def points_of(ball, seed=0):
    rng = np.random.default_rng(seed)
    vectors = rng.standard_normal((N, ball.space.dim))
    vectors *= 0.5 * ball.radius / np.sqrt(ball.space.dim)
    vectors[:, 0] += 0.3 * ball.radius
    return np.asarray(ball.space.frame_exp(ball.center, vectors))


def dask_array(points, rows):
    return da.from_array(points, chunks=(rows, *points.shape[1:]))


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 100)
    with dask.config.set(scheduler="threads"):
        yield


@pytest.mark.parametrize("name", BALLS)
def test_a_mean_is_the_same_to_the_tolerance_whatever_the_blocks(name, answers):
    ball = BALLS[name]
    statistic, points = dp.FrechetMean(ball), points_of(ball)
    tolerance, clipped = statistic.tolerance(N), statistic.encode(points)
    here = statistic.estimate(encode(statistic, Records(points), "refuse"), tolerance)
    for rows in (N, 777):
        encoded = encode(statistic, Records(dask_array(points, rows)), "refuse")
        there = statistic.estimate(encoded, tolerance)
        gradient = ball.space.norm(there, np.mean(ball.space.log(there, clipped), axis=0))
        assert float(gradient) <= tolerance
        # Both solve the equation to the tolerance; the Hessian is at least 1/2 on these balls.
        assert float(ball.space.dist(here, there)) <= 4 * tolerance
    # A sum a piece, and never the records: 2000 of them take many kilobytes.
    assert max(len(pickle.dumps(answer)) for answer in answers) < 3000


@pytest.mark.parametrize("name", ["sphere", "shapes"])
def test_a_miss_of_floats_is_solved_again_in_high_precision_there(name, answers, monkeypatch):
    ball = BALLS[name]
    statistic, points = dp.FrechetMean(ball), points_of(ball)[:20]
    for road in ("solve", "descend"):
        monkeypatch.setattr(sys.modules["geomdp.statistics.frechet"], road, _lost)
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 8)
    tolerance = statistic.tolerance(20)
    encoded = encode(statistic, Records(dask_array(points, 8)), "refuse")
    there = statistic.estimate(encoded, tolerance)
    assert precision.gradient_norm(ball.space, there, statistic.encode(points)) <= tolerance
    assert max(len(pickle.dumps(answer)) for answer in answers) < 3000


def _lost(passes, *, start, **_):
    return MeanResult(start, 1.0, 1)


@pytest.mark.parametrize("name", ["spd", "log-euclidean", "rotations"])
def test_linear_statistics_are_bit_for_bit_the_same(name):
    ball = BALLS[name]
    statistic, points = dp.TangentMean(ball), points_of(ball)
    here = exact_mean(statistic, encode(statistic, Records(points), "refuse"))
    for rows in (N, 777, 130):
        records = Records(dask_array(points, rows))
        assert exact_mean(statistic, encode(statistic, records, "refuse")) == here


def test_plans_release_dask_arrays_in_groups_and_with_invalid_records():
    ball = BALLS["spd"]
    points = points_of(ball)
    points[[3, 900]] = np.nan
    group = np.where(np.arange(N) % 2, "odd", "even")
    made = dp.plan(
        dp.FrechetMean(ball),
        n={"odd": N // 2, "even": N // 2},
        budget=dp.Pure(4),
        mechanism="laplace",
        invalid="public",
    )
    released = made.release(Records(dask_array(points, 777), group=group))
    points[[3, 900]] = np.eye(3)
    for label, value in released.value.items():
        wanted = dp.frechet_mean(ball.space, points[group == label]).point
        assert float(ball.space.dist(wanted, value)) < 0.2
    refusing = dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1), mechanism="laplace")
    points[1234] = np.nan
    with pytest.raises(InvalidRecordError, match="Record 1235"):
        refusing.release(dask_array(points, 777))


def test_rows_that_do_not_count_are_the_public_record_there_too():
    ball = BALLS["sphere"]
    statistic, points = dp.TangentMean(ball), points_of(ball)
    skipped = np.array([0, 776, 777, 1999])
    here = exact_mean(statistic, encode(statistic, Records(points), "refuse", skipped))
    there = encode(statistic, Records(dask_array(points, 777)), "refuse", skipped)
    assert exact_mean(statistic, there) == here


@pytest.mark.parametrize("name", ["spd", "log-euclidean", "hyperbolic"])
def test_frechet_mean_takes_any_source(name, tmp_path, monkeypatch):
    ball = BALLS[name]
    points = points_of(ball)
    np.save(tmp_path / "points.npy", points)
    monkeypatch.setattr("geomdp.statistics.solving.solver.KEPT_NUMBERS", 0)

    class Walked:
        """Only a length, and a walk that can be repeated."""

        def __len__(self):
            return N

        def __iter__(self):
            return iter(points)

    sources = {
        "memory-map": np.load(tmp_path / "points.npy", mmap_mode="r"),
        "dask": dask_array(points, 777),
        "npy blocks": file_blocks(tmp_path / "points.npy", rows=500),
        "re-iterable": Walked(),
    }
    wanted = dp.frechet_mean(ball.space, points).point
    for what, source in sources.items():
        found = dp.frechet_mean(ball.space, source)
        assert found.gradient_norm <= 1e-10, what
        assert float(ball.space.dist(found.point, wanted)) < 1e-8, what


def test_what_must_come_here_comes_in_few_journeys(monkeypatch):
    points = points_of(BALLS["sphere"])
    journeys = []
    fetch = dask_source.DaskSource.__getitem__
    monkeypatch.setattr(
        dask_source.DaskSource, "__getitem__", lambda self, r: journeys.append(r) or fetch(self, r)
    )
    monkeypatch.setattr("geomdp.sources.dask_source.FETCHED_ROWS", 1000)
    chunks = list(Records(dask_array(points, 777)).chunks(300))
    assert [len(chunk) for chunk in chunks] == [300] * 6 + [200]
    np.testing.assert_array_equal(np.concatenate(chunks), points)
    assert len(journeys) == 3


def test_a_worker_with_other_versions_is_refused(monkeypatch):
    ball = BALLS["sphere"]
    made = dp.plan(dp.FrechetMean(ball), n=N, budget=dp.Pure(1), mechanism="laplace")
    other = {**worker.versions(), "numpy": "1.0"}
    monkeypatch.setattr(dask_source, "versions", lambda: other)
    with pytest.raises(MachinesError, match="numpy"):
        made.prepare(Records(dask_array(points_of(ball), 777)))


def test_a_worker_whose_door_does_not_hold_is_refused():
    class Careless(dp.Euclidean):
        def dist(self, p, q):
            d = super().dist(p, q)
            return np.round(d, 1) if d.dtype == float else d

    careless = dp.Ball(Careless(2), center=[0.0, 0.0], radius=1.04)
    assert worker.door_fault(dp.Ball(dp.Euclidean(2), [0.0, 0.0], 1.04)) == ""
    with pytest.raises(MachinesError, match="beyond the radius"):
        worker.require_fit(worker.versions(), careless)


def test_doors_of_many_spaces_hold():
    for ball in BALLS.values():
        assert worker.door_fault(ball) == ""


def test_a_failing_machine_is_no_failing_method():
    """A solver that took it for one would go on, and release a point that is no mean."""
    ball = BALLS["spd"]
    statistic, points = dp.FrechetMean(ball), points_of(ball)
    calls = []

    def unreliable(block):
        calls.append(1)
        if len(calls) > 6:
            raise ValueError("the disk went away")
        return block

    array = dask_array(points, 777).map_blocks(unreliable, dtype=float, meta=np.empty((0, 3, 3)))
    encoded = encode(statistic, Records(array), "refuse")
    with pytest.raises(MachinesError, match="the disk went away"):
        statistic.estimate(encoded, statistic.tolerance(N))


def test_a_question_that_fails_is_judged_by_who_asked():
    def overflowing(start, block, columns):
        raise FloatingPointError("too large")

    points = dask_source.DaskSource(da.ones((300, 2), chunks=(100, 2)))
    with pytest.raises(FloatingPointError):
        list(points.ask(overflowing, None))


def test_progress_is_told_block_by_block():
    told = []
    dask_source.watch(lambda done, blocks: told.append((done, blocks)))
    try:
        list(dask_source.DaskSource(da.ones((300, 2), chunks=(100, 2))).ask(_size, None))
    finally:
        dask_source.watch(None)
    assert told == [(1, 3), (2, 3), (3, 3)]


def test_a_file_that_is_another_on_a_worker_is_refused(tmp_path):
    np.save(tmp_path / "a.npy", np.ones((300, 2)))
    blocks = file_blocks(tmp_path / "a.npy", rows=100)
    np.save(tmp_path / "a.npy", np.ones((301, 2)))
    with pytest.raises(MachinesError, match=r"a\.npy"):
        list(dask_source.DaskSource(blocks).ask(partial(_size), None))


def test_blocks_of_unknown_size_are_refused():
    array = da.ones((300, 2), chunks=(100, 2))
    with pytest.raises(InvalidRecordError, match="compute_chunk_sizes"):
        Records(array[array[:, 0] > 0])


def _size(start, block, columns):
    return len(block)


def test_a_chart_that_is_not_one_to_one_as_far_as_a_prior_has_a_door(monkeypatch):
    space = dp.Shapes(4)
    ball = dp.Ball.whole(space)
    assert worker.door_fault(ball) == ""
    right = dp.Shapes.frame_log
    for wrong in (0.9, -1.0):  # short of the point, or the other way

        def log(self, p, x, by=wrong):
            return by * right(self, p, x)

        monkeypatch.setattr(dp.Shapes, "frame_log", log)
        assert worker.door_fault(ball) == "logs do not undo exponentials"


def declared(*rows):
    """Blocks that say they have two rows each, and deliver others."""
    made = [da.from_delayed(dask.delayed(np.ones)((n, 2)), (2, 2), float) for n in rows]
    return da.concatenate(made)


@pytest.mark.parametrize("least", [1, 100], ids=["apart", "joined"])
@pytest.mark.parametrize("rows", [(1, 2), (3, 2), (2, 0), (2000, 2), (1, 3)])
def test_a_block_with_other_rows_than_declared_is_refused_before_a_draw(rows, least, monkeypatch):
    """Joined, two blocks that are wrong may have as many rows as both declared."""

    def drawn(*_):
        raise AssertionError("something was drawn")

    monkeypatch.setattr(dask_source, "LEAST_ROWS", least)
    mean = dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 9.0))
    made = dp.plan(mean, n=4, budget=dp.GDP(1.0), invalid="public")
    assert np.all(np.isfinite(made.release(declared(2, 2)).value))
    monkeypatch.setattr(SystemEntropy, "take", drawn)
    with pytest.raises(MachinesError, match="rows"):
        made.release(declared(*rows))
    with pytest.raises(MachinesError, match="rows"):
        next(Records(declared(*rows)).chunks())
