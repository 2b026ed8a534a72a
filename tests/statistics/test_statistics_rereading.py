"""Later passes do what the door did, and let nothing in that it would not."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.sources.records import Records
from geomdp.statistics import encoded as encoded_module
from geomdp.statistics.encoded import encode

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
