"""Later passes do what the door did, and let nothing in that it would not."""

from dataclasses import replace

import numpy as np
import pytest

import geomdp as dp
from geomdp.sources.records import Records
from geomdp.statistics import encoded as encoded_module
from geomdp.statistics.encoded import Encoded, encode
from geomdp.statistics.solving import passes as passes_module

BALL = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
N = 1000


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch):
    monkeypatch.setattr(encoded_module, "KEPT_NUMBERS", 0)
    monkeypatch.setattr(encoded_module, "BLOCK_ROWS", 300)


def tensors():
    rng = np.random.default_rng(0)
    return np.asarray(BALL.space.frame_exp(np.eye(2), 0.3 * rng.standard_normal((N, 3))))


def test_a_pass_gives_what_the_door_gave(monkeypatch):
    points = tensors()
    points[[5, 310]] = 100 * np.eye(2)
    points[650] = np.nan
    statistic = dp.FrechetMean(BALL)
    wanted = statistic.admit(points).records
    wanted[[7, 999]] = np.eye(2)
    encoded = encode(statistic, Records(points), "public", [7, 999])
    admitted = []
    admit = dp.FrechetMean.admit
    monkeypatch.setattr(
        dp.FrechetMean, "admit", lambda self, rows: admitted.append(len(rows)) or admit(self, rows)
    )
    for _ in range(2):
        np.testing.assert_array_equal(np.asarray(encoded), wanted)
    assert sum(admitted) <= 2 * 20, "only what the door changed goes through it again"


def test_bytes_that_changed_meanwhile_go_through_the_whole_door():
    points = tensors()
    statistic = dp.FrechetMean(BALL)
    encoded = encode(statistic, Records(points), "public")
    points[[0, 500]] = 1e9 * np.eye(2)
    distances = BALL.space.dist(np.eye(2), np.asarray(encoded))
    assert np.max(distances) <= BALL.radius * (1 + 1e-12)
    assert np.sum(distances > 0.999) >= 2


def test_the_sample_comes_with_the_first_walk(monkeypatch):
    monkeypatch.setattr(encoded_module, "MOST", 70)
    points = tensors()
    points[[5, 310]] = 100 * np.eye(2)
    statistic = dp.FrechetMean(BALL)
    encoded = encode(statistic, Records(points), "refuse")
    walked = passes_module._subsample(replace(encoded, sampled=None))
    np.testing.assert_array_equal(encoded.sampled, walked)
    assert len(walked) == len(range(0, N, encoded_module.sample_step(N))) < N
    monkeypatch.setattr(Encoded, "chunks", None)  # nobody walks again
    np.testing.assert_array_equal(passes_module._subsample(encoded), walked)


def test_the_last_pass_is_the_one_that_certifies(monkeypatch):
    """No pass finds the mean once more only to say that it has been found."""
    asked = []
    for name in ("fast_sum", "certified_sum"):
        real = getattr(passes_module, name)

        def counted(space, at, chunk, name=name, real=real):
            asked.append((name, at.tobytes()))
            return real(space, at, chunk)

        monkeypatch.setattr(passes_module, name, counted)
    statistic = dp.FrechetMean(BALL)
    encoded = encode(statistic, Records(tensors()), "refuse")
    found = statistic._newton(encoded, 1e-9, BALL.center)
    fast = {at for name, at in asked if name == "fast_sum"}
    certified = {at for name, at in asked if name == "certified_sum"}
    assert len(certified) == 1
    assert not certified & fast
    assert found.gradient_norm <= 1e-9
    gradient = np.mean(BALL.space.log(found.point, BALL.clip(tensors())), axis=0)
    assert BALL.space.norm(found.point, gradient) <= found.gradient_norm
