"""Workers that are processes of their own: one dies, and nothing changes."""

import os
import signal
import time

import numpy as np
import pytest
from typer.testing import CliRunner

import geomdp as dp
from geomdp.cli import app
from geomdp.errors import MachinesError
from geomdp.images import Descriptors, descriptor_ball
from geomdp.io import Choices, read_records
from geomdp.io.loading import read_elsewhere
from geomdp.mechanisms.gaussian_noise import exact_mean
from geomdp.sources import dask_source, file_blocks, machines
from geomdp.sources.records import Records
from geomdp.statistics.encoded import encode

pytest.importorskip("distributed")
# Sockets and processes of Dask are closed when they are collected.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore")]

N = 200_000
BALL = dp.Ball(dp.SPD(3), np.eye(3), 1.5)


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((N, 6)) * 0.3
    path = tmp_path_factory.mktemp("scale") / "points.npy"
    np.save(path, np.asarray(BALL.space.frame_exp(BALL.center, vectors)))
    return path


@pytest.fixture(scope="module")
def cluster():
    """Two worker processes for all tests: one that was killed is started again."""
    with machines(workers=2) as client:
        yield client


def test_a_worker_that_dies_in_the_middle_changes_nothing(file, cluster, monkeypatch):
    monkeypatch.setattr(dask_source, "LEAST_ROWS", 5_000)
    mean, linear = dp.FrechetMean(BALL), dp.TangentMean(BALL)
    points = np.load(file)
    tolerance = mean.tolerance(N)
    wanted = mean.estimate(encode(mean, Records(points), "refuse"), tolerance)
    wanted_sums = exact_mean(linear, encode(linear, Records(points), "refuse"))
    victims = list(cluster.run(os.getpid).values())
    killed = []

    def kill(done, blocks):
        # In the second pass, while blocks wait: the first admitted all records.
        if done == blocks // 3 and len(passes) == 1 and not killed:
            killed.append(victims[0])
            os.kill(victims[0], signal.SIGKILL)
        if done == blocks:
            passes.append(done)

    passes = []
    records = Records(file_blocks(file, rows=5_000))
    dask_source.watch(kill)
    try:
        found = mean.estimate(encode(mean, records, "refuse"), tolerance)
        assert killed
        time.sleep(1)  # another process takes the dead one's place, and is checked anew
        sums = exact_mean(linear, encode(linear, records, "refuse"))
    finally:
        dask_source.watch(None)
    assert set(cluster.run(os.getpid).values()) != set(victims)
    assert sums == wanted_sums
    assert float(BALL.space.dist(found, wanted)) <= 4 * tolerance


def test_images_that_a_dead_worker_held_are_described_again(cluster, tmp_path):
    """Descriptors lie in the memory of workers alone: what is lost with one is made again."""
    image = pytest.importorskip("PIL.Image")
    rng = np.random.default_rng(0)
    for i in range(130):
        image.fromarray(rng.integers(0, 256, (28, 28), dtype=np.uint8)).save(
            tmp_path / f"{i:03}.png"
        )
    statistic, choices = (
        dp.TangentMean(descriptor_ball(1, (28, 28))),
        Choices(reading=Descriptors(28, 28)),
    )
    here = Records(read_records(tmp_path, statistic, choices).points, read=True)
    wanted = exact_mean(statistic, encode(statistic, here, "refuse"))
    there = Records(read_elsewhere(tmp_path, statistic, choices).points, read=True)
    encoded = encode(statistic, there, "refuse")
    victim = next(iter(cluster.run(os.getpid).values()))
    os.kill(victim, signal.SIGKILL)
    assert exact_mean(statistic, encoded) == wanted


def test_workers_that_may_write_records_to_a_disk_are_refused(file):
    import dask
    import distributed

    usual = {"distributed.worker.memory.target": 0.6, "distributed.worker.memory.spill": 0.7}
    made = dp.plan(dp.FrechetMean(BALL), n=N, budget=dp.Pure(1), mechanism="laplace")
    with (
        dask.config.set(usual),
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster),
        pytest.raises(MachinesError, match="write records to its disk"),
    ):
        made.prepare(Records(file_blocks(file)))


def test_the_command_releases_through_a_cluster(file, cluster, tmp_path):
    made = dp.plan(dp.FrechetMean(BALL), n=N, budget=dp.Pure(2), mechanism="laplace")
    made.save(tmp_path / "plan.json")
    arguments = ["release", str(tmp_path / "plan.json"), str(file), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(app, [*arguments, "--scheduler", cluster.scheduler.address])
    assert result.exit_code == 0, result.output
    value = np.load(tmp_path / "out" / "value.npy")
    wanted = dp.frechet_mean(BALL.space, np.load(file)).point
    assert float(BALL.space.dist(value, wanted)) < 0.05
