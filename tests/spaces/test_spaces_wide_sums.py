"""Sums of logarithms of wide matrices: one road a record, one decomposition at most."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, spd_series

METRICS = ["affine", "log-euclidean"]


def _matrices(n: int, k: int, spread: float, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    turns, _ = np.linalg.qr(rng.normal(size=(n, k, k)))
    values = np.exp(spread * rng.uniform(-1, 1, size=(n, 1, k)))
    x = (turns * values) @ np.swapaxes(turns, 1, 2)
    return (x + np.swapaxes(x, 1, 2)) / 2


def _refuse(*_: object) -> None:
    raise AssertionError("not asked for")


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("spread", [0.5, 1.5, 3.0, 5.0, 7.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_fast_sums_are_those_of_the_logs(metric: str, spread: float, weighted: bool) -> None:
    space, x = dp.SPD(6, metric=metric), _matrices(300, 6, spread, seed=1)
    shares = np.random.default_rng(2).uniform(size=300) if weighted else None
    at = x[0]
    found, sure = space.log_sum(at, x, shares), Space.log_sum(space, at, x, shares)
    assert space.norm(at, found - sure) <= 1e-10 * space.norm(at, sure)


@pytest.mark.parametrize("metric", METRICS)
def test_a_wide_record_is_decomposed_once_and_raised_to_no_power(
    metric: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, x = dp.SPD(6, metric=metric), _matrices(200, 6, 4.0, seed=3)
    x[:, 0, 0] += 200.0  # all are wide, none is far
    decomposed: list[int] = []

    def counted(some: np.ndarray) -> tuple[np.ndarray, ...]:
        decomposed.append(len(some))
        return tuple(np.linalg.eigh(some))

    at = np.eye(6)
    space.log_sum(at, x)  # what is remembered of the point
    monkeypatch.setattr(decompositions, "eigh", counted)
    monkeypatch.setattr(decompositions, "svd", _refuse)
    monkeypatch.setattr(spd_series, "_powers", _refuse)
    space.log_sum(at, x)
    assert sum(decomposed) == len(x)


def test_narrow_ones_are_not_decomposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompositions, "eigh", _refuse)
    x = _matrices(200, 6, 0.6, seed=4)
    x[3] = np.diag([0.25, 0.25, 0.25, 1, 1, 1])  # doubtful until its second power
    total, left = spd_series.log_sum(x, None)
    assert not left.any()
    assert np.all(np.isfinite(total))


def test_those_beyond_eigenvectors_are_left_to_the_careful_road() -> None:
    x = _matrices(50, 6, 0.5, seed=5)
    x[7] = np.diag([1e-6, 1, 1, 1, 1, 1])
    x[9] = np.diag([-1.0, 1, 1, 1, 1, 1])
    _, left = spd_series.log_sum(x, None)
    assert np.flatnonzero(left).tolist() == [7, 9]
