"""Logarithms by products of matrices, and eigenvalues by rotations: against LAPACK."""

import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces import symmetric
from geomdp.spaces.numerics import decompositions, small_eigh, spd_series

RNG = np.random.default_rng(0)


def matrices(k, n, spread):
    """Matrices whose eigenvalues differ by factors up to ``e^spread``, at any scale."""
    turn, _ = np.linalg.qr(RNG.normal(size=(n, k, k)))
    values = np.exp(RNG.uniform(-spread / 2, spread / 2, size=(n, 1, k)))
    x = (turn * values) @ np.swapaxes(turn, 1, 2) * np.exp(RNG.normal(size=(n, 1, 1)))
    return (x + np.swapaxes(x, 1, 2)) / 2


@pytest.mark.parametrize("k", [2, 4, 10, 40])
@pytest.mark.parametrize("spread", [0.0, 0.01, 0.5, 1.2])
def test_series_of_narrow_matrices(k, spread):
    x, shares = matrices(k, 30, spread), RNG.uniform(size=30)
    logs = decompositions.logm(x)
    for share, ideal in ((None, logs), (shares, shares[:, None, None] * logs)):
        total, wide = spd_series.log_sum(x, share)
        assert not wide.any()
        np.testing.assert_allclose(total, np.sum(ideal, axis=0), atol=1e-12)


@pytest.mark.parametrize("space", [dp.SPD(6), dp.SPD(6, "log-euclidean")], ids=lambda s: s.spec)
def test_wide_matrices_are_left_to_decompositions(space):
    some = np.diag([1e-6, 1, 1, 1, 1, 1]), -np.eye(6)  # too wide for eigenvectors, not positive
    x = np.concatenate([matrices(6, 20, 0.5), matrices(6, 5, 9.0), some])
    assert spd_series.log_sum(x, None)[1].tolist() == [False] * 25 + [True] * 2
    p, x, shares = matrices(6, 1, 0.5)[0], x[:-1], RNG.uniform(size=26)
    logs = shares[:, None, None] * space.log(p, x)
    np.testing.assert_allclose(space.log_sum(p, x, shares), np.sum(logs, axis=0), atol=1e-10)


def test_series_in_pieces_and_whitened(monkeypatch):
    x, shares = np.concatenate([matrices(6, 20, 0.5), matrices(6, 3, 12.0)]), RNG.uniform(size=23)
    inverse = np.linalg.inv(np.linalg.cholesky(matrices(6, 1, 0.5)[0]))
    white = symmetric.symmetrized(inverse @ x @ inverse.T)
    for share in (None, shares):
        monkeypatch.setattr(spd_series, "PIECE_NUMBERS", 1 << 15)
        total, wide = spd_series.log_sum(white, share)
        monkeypatch.setattr(spd_series, "PIECE_NUMBERS", 4 * 36)
        again, mask = spd_series.log_sum(x, share, inverse)
        np.testing.assert_array_equal(mask, wide)
        np.testing.assert_allclose(again, total, atol=1e-12)
    assert spd_series.log_sum(x[:0], None)[1].shape == (0,)


@pytest.mark.parametrize("k", [2, 3])
@pytest.mark.parametrize("scale", [1e-150, 1.0, 1e90])
def test_rotations_agree_with_lapack(k, scale):
    symmetric_ones = RNG.normal(size=(3000, k, k))
    symmetric_ones = symmetric_ones + np.swapaxes(symmetric_ones, 1, 2)
    cases = [
        symmetric_ones,
        matrices(k, 500, 30.0),
        np.eye(k) + 1e-9 * symmetric_ones[:100],
        np.zeros((2, k, k)),
        np.array([np.diag(np.arange(k, 0.0, -1))]),
    ]
    for x in (scale * case for case in cases):
        values, vectors = small_eigh.eigh(x)
        size = np.max(np.abs(x), axis=(1, 2), initial=0.0)[:, None]
        assert np.all(np.diff(values, axis=1) >= 0)
        assert np.all(np.abs(values - np.linalg.eigvalsh(x)) <= 2e-14 * size)
        again = (vectors * values[:, None, :]) @ np.swapaxes(vectors, 1, 2)
        assert np.all(np.abs(again - x) <= 2e-14 * size[:, :, None])
        assert np.all(np.abs(np.swapaxes(vectors, 1, 2) @ vectors - np.eye(k)) <= 1e-14)
        np.testing.assert_array_equal(small_eigh.values(x), values)


def test_rotations_of_a_matrix_do_not_see_the_others(monkeypatch):
    """Also where LAPACK takes some over, and whatever the pieces."""
    x = np.concatenate([matrices(3, 40, 20.0), np.full((1, 3, 3), 1e-310), matrices(3, 5, 1.0)])
    whole = small_eigh.eigh(x)
    monkeypatch.setattr(small_eigh, "PIECE", 7)
    for i in range(len(x)):
        for together, alone in zip(whole, small_eigh.eigh(x[i : i + 1]), strict=True):
            np.testing.assert_array_equal(together[i], alone[0])


def test_rotations_that_leave_something_are_done_again(monkeypatch):
    x = matrices(3, 50, 2.0)
    monkeypatch.setattr(small_eigh, "SWEEPS", {2: 1, 3: 1})
    np.testing.assert_allclose(small_eigh.values(x), np.linalg.eigvalsh(x), rtol=1e-12)
    x[7, 1, 0] = np.nan
    with pytest.raises(np.linalg.LinAlgError):
        small_eigh.values(x)


def test_symmetric_matrices_stay_bit_for_bit_beside_others():
    x = np.array([[[1e308, 1.0], [1.0, 1e308]], [[2.0, 1.0], [1.0 + 1e-12, 2.0]]])
    found = symmetric.symmetrized(x)
    np.testing.assert_array_equal(found[0], x[0])
    assert found[1, 0, 1] == found[1, 1, 0]
    assert symmetric.symmetrized(x[:1]) is not None
    np.testing.assert_array_equal(symmetric.symmetrized(x[:1])[0], found[0])


def test_far_points_of_spheres_keep_their_digits():
    """Beside and beyond a right angle, for few and for many axes."""
    for dim in (2, 20):
        space = dp.Sphere(dim)
        at = space.canonical(RNG.normal(size=dim + 1))
        for angle in (1e-9, 1.0, np.pi / 2 - 1e-9, np.pi / 2 + 1e-9, 2.0, np.pi - 1e-9):
            v = space.log(at, space.canonical(RNG.normal(size=dim + 1)))
            end = space.exp(at, angle * v / space.norm(at, v))
            both = space.dist(at, np.stack([end, at])), space.dist(at, end[None])
            assert abs(both[0][0] - angle) <= 1e-15 * 64 * dim
            assert both[0][0] == both[1][0]
            assert both[0][1] == 0
