"""Sums of logarithms of wide matrices: one road a record, one decomposition at most."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import InvalidRecordError
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, spd_series
from geomdp.statistics.solving import solver

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


def test_a_far_record_of_a_flat_metric_takes_no_eigenvectors_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    space, x = dp.SPD(6, metric="log-euclidean"), _matrices(200, 6, 7.0, seed=3)
    values = np.linalg.eigvalsh(x)
    far = values[:, -1] > decompositions.FAR_SPECTRUM * values[:, 0]
    wanted = decompositions.logm(x[far])
    assert 20 < np.sum(far) < 180
    asked: dict[str, int] = {"eigh": 0, "svd": 0}
    for name in asked:
        real = getattr(decompositions, name)

        def counted(some: np.ndarray, name: str = name, real: object = real) -> object:
            asked[name] += len(some)
            return real(some)  # type: ignore[operator]

        monkeypatch.setattr(decompositions, name, counted)
    at = np.eye(6)
    space.log_sum(at, x)
    assert asked["svd"] == np.sum(far)
    assert asked["eigh"] <= len(x) + 2  # and that of the point
    np.testing.assert_array_equal(decompositions.logm_of_wide(x[far]), wanted)


def test_narrow_ones_are_not_decomposed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(decompositions, "eigh", _refuse)
    x = _matrices(200, 6, 0.45, seed=4)
    total, left = spd_series.log_sum(x, None)
    assert not left.any()
    assert np.all(np.isfinite(total))


def test_one_large_eigenvalue_is_seen_by_the_second_power(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its mean square is small, and a polynomial would be of no use."""
    x = np.tile(np.diag([1.5, *np.ones(29)]), (5, 1, 1))
    x[3] = np.diag([3.0, *np.ones(29)])
    raised: list[int] = []
    powers = spd_series._powers

    def counted(some: np.ndarray, second: np.ndarray | None = None) -> np.ndarray:
        raised.append(len(some))
        return powers(some, second)

    monkeypatch.setattr(spd_series, "_powers", counted)
    total, left = spd_series.log_sum(x, None)
    assert raised == [4]
    assert not left.any()
    np.testing.assert_allclose(total, decompositions.logm(x).sum(axis=0), atol=1e-12)


def test_those_beyond_eigenvectors_are_left_to_the_careful_road() -> None:
    x = _matrices(50, 6, 0.5, seed=5)
    x[7] = np.diag([1e-6, 1, 1, 1, 1, 1])
    x[9] = np.diag([-1.0, 1, 1, 1, 1, 1])
    _, left = spd_series.log_sum(x, None)
    assert np.flatnonzero(left).tolist() == [7, 9]


@pytest.mark.parametrize("k", [2, 3])
def test_small_wide_matrices_are_decomposed_once_too(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, x = dp.SPD(k), _matrices(200, k, 4.0, seed=3)
    at = np.eye(k)
    sure = Space.log_sum(space, at, x)
    monkeypatch.setattr(type(space), "_log", _refuse)
    assert space.norm(at, space.log_sum(at, x) - sure) <= 1e-10 * space.norm(at, sure)


@pytest.mark.parametrize("spread", [0.5, 3.0, 7.0])
@pytest.mark.parametrize("weighted", [False, True])
def test_the_hessian_of_a_pass_is_that_of_the_records(spread: float, weighted: bool) -> None:
    """In single precision, and of spectra of any width."""
    space, x = dp.SPD(6), _matrices(300, 6, spread, seed=1)
    x[1] = x[0]  # seen from itself a record has equal eigenvalues
    shares = np.random.default_rng(2).uniform(size=300) if weighted else None
    road = space.hessian_road(np.eye(6), _matrices(300, 6, 3.0, seed=1))
    assert road is not None
    total, hessian = road(x[0], x, shares)
    logs, each = space.log_and_hessian(x[0], x)
    weights = np.ones(300) if shares is None else shares

    def framed(v: np.ndarray) -> np.ndarray:
        return space.to_frame(space.move_back(x[0], np.tensordot(weights, v, 1)))

    sure = framed(logs)
    np.testing.assert_allclose(total, sure, atol=1e-10 * np.linalg.norm(sure))
    for numbers in np.eye(space.dim)[[0, 7, 20]] * 1e-9:
        expected = framed(each(space.move(x[0], space.from_frame(numbers))))
        assert np.linalg.norm(hessian(numbers) - expected) <= 1e-5 * np.linalg.norm(expected)
    assert not hessian(np.zeros(space.dim)).any()
    assert space.hessian_road(np.eye(6), _matrices(300, 6, 0.3, seed=1)) is None


def test_wide_records_along_common_axes_take_few_passes() -> None:
    """Their Hessian is far from a multiple of the identity: without it it takes twelve passes."""
    rng = np.random.default_rng(7)
    mixing = rng.normal(size=(10, 10)) + 0.1 * rng.normal(size=(2000, 10, 10))
    strength = np.exp(np.linspace(0.1, 2, 10) * rng.normal(size=(2000, 1, 10)))
    x = (mixing * strength) @ np.swapaxes(mixing, 1, 2) + 1e-3 * np.eye(10)
    space, x = dp.SPD(10), (x + np.swapaxes(x, 1, 2)) / 2
    for weights in (None, rng.uniform(size=2000)):
        found = dp.frechet_mean(space, x, weights, tol=1e-10)
        assert found.passes <= 5
        assert found.gradient_norm <= 1e-10
        shares = np.full(2000, 1 / 2000) if weights is None else weights / np.sum(weights)
        sure = Space.log_sum(space, found.point, x, shares)
        assert space.norm(found.point, sure) <= 1e-9


def _valid(k: int) -> np.ndarray:
    """Narrow, wide and far matrices, which all are positive definite."""
    x = np.concatenate([_matrices(40, k, spread, seed=6) for spread in (0.3, 2.0, 4.0)])
    x[5] = np.diag([1e-7, *np.ones(k - 1)])
    return x


@pytest.mark.parametrize("k", [2, 3, 6])
def test_a_flat_mean_decomposes_each_record_once_and_judges_by_that(
    k: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    space, x = dp.SPD(k, metric="log-euclidean"), _valid(k)
    # Those with weights are judged first.
    before = solver._mean_in_memory(space, x, np.ones(len(x)), 1e-10, None)
    monkeypatch.setattr(solver, "_require", _refuse)
    decomposed: list[int] = []
    real = decompositions.eigh

    def counted(some: np.ndarray) -> tuple[np.ndarray, ...]:
        decomposed.append(len(some) if some.ndim == 3 else 0)
        return real(some)

    monkeypatch.setattr(decompositions, "eigh", counted)
    found = dp.frechet_mean(space, x)
    assert space.dist(found.point, before.point) <= 1e-12
    assert sum(decomposed) <= len(x) + 10  # of those beyond eigenvectors a second one


@pytest.mark.parametrize("k", [2, 3, 6])
@pytest.mark.parametrize("spoil", ["skewed", "negative", "singular", "gap", "infinite"])
def test_what_is_no_point_is_refused_as_by_the_rules(k: int, spoil: str) -> None:
    space, x = dp.SPD(k, metric="log-euclidean"), _valid(k)
    if spoil == "skewed":
        x[7, 0, 1] += 1e-3
    elif spoil == "negative":
        x[7] = -x[7]
    elif spoil == "singular":
        x[7] = np.diag([1e-17, *np.ones(k - 1)])
    else:
        x[7, 0, 0] = np.nan if spoil == "gap" else np.inf
    with pytest.raises(InvalidRecordError) as ruled:
        space.require(x)
    with pytest.raises(InvalidRecordError) as found:
        dp.frechet_mean(space, x)
    assert str(found.value) == str(ruled.value)
    assert "record 7" in str(found.value)
