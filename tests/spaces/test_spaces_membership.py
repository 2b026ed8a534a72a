"""``contains`` and ``require`` say what is wrong with a record and what to do."""

import array_api_strict
import numpy as np
import pytest

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere, symmetric

SQUARE = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
LOG_EUCLIDEAN = SPD(2, metric="log-euclidean")

BAD = [
    (Sphere(2), [0.0, 0.0, 2.0], "norm differs from 1"),
    (Sphere(2, curvature=4.0), [0.0, 0.0, 1.0], "multiply by 0.5"),
    (Sphere(2), [0.0, np.nan, 1.0], "missing or infinite"),
    (Sphere(2), [0.0, 0.0, 0.0], "norm differs"),
    (Sphere(2), [1.0, 0.0], r"have shape \(3,\), but the array has shape \(2,\)"),
    (Sphere(2), 1.0, r"shape \(\)"),
    (Sphere(2), [[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]], "record 1: its norm"),
    (SPD(2), [[1.0, 0.5], [0.0, 1.0]], "not symmetric"),
    (SPD(2), [[1.0, 2.0], [2.0, 1.0]], "not positive definite"),
    (SPD(2), [[0.0, 0.0], [0.0, 0.0]], "not positive definite"),
    (SPD(2), [[1.0, 1.0], [1.0, 1.0]], "not positive definite"),
    (SPD(2), [[np.inf, 0.0], [0.0, 1.0]], "missing or infinite"),
    (SPD(2), np.ones((2, 2, 3)), "shape"),
    (LOG_EUCLIDEAN, [[1.0, 0.5], [0.0, 1.0]], "not symmetric"),
    (LOG_EUCLIDEAN, [[-1.0, 0.0], [0.0, 1.0]], "not positive definite"),
    (Euclidean(2), [0.0, np.nan], "missing or infinite"),
    (Euclidean(2), [0.0, 1.0, 2.0], "shape"),
    (Hyperbolic(2), [0.0, 0.0, 2.0], "last coordinate is not sqrt"),
    (Hyperbolic(2), [0.0, 0.0, -1.0], "last coordinate is not sqrt"),
    (Hyperbolic(2), [np.cosh(1.0), np.sinh(1.0), 0.0], "last coordinate is not sqrt"),
    (Hyperbolic(2), [0.0, np.nan, 1.0], "missing or infinite"),
    (PlanarShapes(4), np.ones((4, 2)), "all its landmarks coincide"),
    (PlanarShapes(4), 1e9 + 1e-9 * SQUARE, "all its landmarks coincide"),
    (PlanarShapes(4), np.zeros(4, dtype=complex), "all its landmarks coincide"),
    (PlanarShapes(4), np.where(SQUARE == 1, np.nan, SQUARE), "missing or infinite"),
    (PlanarShapes(4), SQUARE.T, r"second last axis .* shape \(2, 4\)"),
    (PlanarShapes(4), np.ones((3, 2, 4)), r"second last axis .* shape \(3, 2, 4\)"),
    (PlanarShapes(5), SQUARE, "has 4 landmarks, not 5"),
    (PlanarShapes(4), np.ones((7, 4, 3)), "second last axis"),
    (PlanarShapes(4), [SQUARE, np.ones((4, 2))], "record 1: all its landmarks"),
]


@pytest.mark.parametrize(("space", "x", "reason"), BAD)
def test_contains_explains_and_require_raises(space, x, reason):
    membership = space.contains(x)
    assert not membership
    with pytest.raises(InvalidRecordError, match=reason) as caught:
        space.require(x)
    assert membership.reason in str(caught.value)
    assert space.spec in str(caught.value)


@pytest.mark.parametrize(
    "x",
    [
        ["north", "south", "east"],
        [[1.0, 0.0, 0.0], [1.0, 0.0]],
        np.array([None, 1.0, 0.0], dtype=object),
        np.array(["1", "0", "zero"]),
        None,
        {"x": 1.0},
    ],
    ids=["text", "ragged", "missing", "strings", "nothing", "mapping"],
)
@pytest.mark.parametrize("space", [Sphere(2), PlanarShapes(3), Euclidean(3)], ids=lambda s: s.spec)
def test_things_that_are_no_numbers(space, x):
    with pytest.raises(InvalidRecordError):
        space.require(x)


@pytest.mark.parametrize(
    ("space", "x"),
    [
        (Sphere(2), [0, 0, 1]),
        (Sphere(2), np.array([0.0, 0.6, 0.8], dtype=np.float32)),
        (Sphere(2), [[0.0, 0.600001, 0.8]]),
        (SPD(2), [[2, 1], [1, 2]]),
        (SPD(2), [[2.0, 1.0 + 1e-12], [1.0, 2.0]]),
        (LOG_EUCLIDEAN, np.eye(2)),
        (Euclidean(2), np.array([1, 2])),
        (Hyperbolic(2), [3.0, 0.0, np.sqrt(10.0)]),
        (PlanarShapes(4), SQUARE),
        (PlanarShapes(4), 100 + SQUARE[None]),
        (PlanarShapes(4), [0, 1, 1 + 1j, 1j]),
        (PlanarShapes(4), SQUARE.astype(int)),
        (PlanarShapes(4), SQUARE.astype(np.float32)),
    ],
)
def test_good_records_become_canonical(space, x):
    point = space.require(x)
    assert space.contains(point)
    assert point.shape[point.ndim - len(space.point_shape) :] == space.point_shape
    again = space.canonical(point)
    np.testing.assert_allclose(again, point, rtol=0, atol=4 * np.finfo(point.dtype).eps)


def test_strict_arrays_are_explained_too():
    bad = array_api_strict.asarray([[0.0, 0.0, 1.0], [0.0, 0.0, 3.0]])
    assert "record 1" in Sphere(2).contains(bad).reason
    ones = array_api_strict.asarray(np.ones((2, 4, 2)))
    assert "record 0: all its landmarks" in PlanarShapes(4).contains(ones).reason


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Sphere(0), "dim of at least 1"),
        (lambda: Sphere(2, curvature=-1.0), "positive curvature"),
        (lambda: Sphere(2, curvature=float("nan")), "positive curvature"),
        (lambda: SPD(0), "k of at least 1"),
        (lambda: SPD(0, metric="log-euclidean"), "k of at least 1"),
        (lambda: SPD(2, metric="bures"), "affine, log-euclidean, not 'bures'"),
        (lambda: Euclidean(0), "dim of at least 1"),
        (lambda: Hyperbolic(0), "dim of at least 1"),
        (lambda: PlanarShapes(2), "at least 3 landmarks"),
    ],
)
def test_impossible_spaces(make, message):
    with pytest.raises(GeomdpError, match=message):
        make()


def test_shapes_forget_translation_scale_and_rotation():
    space = PlanarShapes(4)
    kite = np.array([0, 2, 3 + 1j, 2j])
    turned = (7 - 4j) + 0.01 * np.exp(2.5j) * kite
    assert float(space.dist(space.require(kite), space.require(turned))) < 1e-13
    mirrored = space.require(kite.conj())
    assert float(space.dist(space.require(kite), mirrored)) > 0.1
    real = np.stack([kite.real, kite.imag], axis=-1)
    np.testing.assert_array_equal(space.require(real), space.require(kite))


def test_align_turns_shapes_for_pictures():
    space = PlanarShapes(4)
    rng = np.random.default_rng(0)
    shapes = rng.normal(size=(5, 4, 2))
    aligned = space.align(shapes, to=shapes[0])
    product = np.sum(np.conj(space.require(shapes[0])) * aligned, axis=-1)
    assert np.all(product.real > 0)
    np.testing.assert_allclose(product.imag, 0, atol=1e-15)
    np.testing.assert_allclose(space.dist(aligned, space.require(shapes)), 0, atol=2e-15)


def test_horizontal_projection():
    space = PlanarShapes(5)
    rng = np.random.default_rng(1)
    p = space.require(rng.normal(size=(5, 2)))
    v = rng.normal(size=5) + 1j * rng.normal(size=5)
    horizontal = space.horizontal(p, v)
    assert abs(np.sum(horizontal)) < 1e-14
    assert abs(np.vdot(p, horizontal)) < 1e-15
    np.testing.assert_allclose(space.horizontal(p, horizontal), horizontal, atol=1e-15)


def test_log_euclidean_vector_space():
    space = SPD(3, metric="log-euclidean")
    rng = np.random.default_rng(2)
    a, b = (x @ x.T + np.eye(3) for x in rng.normal(size=(2, 3, 3)))
    total = space.move(a, b)
    np.testing.assert_allclose(space.move_back(b, total), a, rtol=1e-12)
    np.testing.assert_allclose(space.move(a, a), a @ a, rtol=1e-12)
    np.testing.assert_allclose(
        space.coordinates(total), space.coordinates(a) + space.coordinates(b)
    )
    mean = space.from_flat(0.5 * space.flat(total))
    assert float(space.norm(mean, space.log(mean, a) + space.log(mean, b))) < 1e-13


@pytest.mark.parametrize("k", [1, 2, 3, 6])
def test_what_is_taken_at_a_glance_passes_every_rule(k, monkeypatch):
    """Good matrices are; one that fails a rule, or is only nearly symmetric, hides in no batch."""
    space, rng = SPD(k), np.random.default_rng(0)
    a = rng.normal(size=(30, k, 3 * k))
    good = symmetric.symmetrized(a @ np.swapaxes(a, 1, 2))
    assert space.surely_canonical(good)
    assert space.require(good) is good
    spoilt = [np.nan, np.inf, -1.0, 1e200, 0.0]
    for value in spoilt:
        x = good.copy()
        x[17, k - 1, k - 1] = value
        assert not space.surely_canonical(x)
    for factor in (1 + 1e-12, 1 + 1e-3) if k > 1 else ():
        x = good.copy()
        x[17, 0, 1] *= factor
        assert not space.surely_canonical(x)
    x = np.concatenate([good, np.full((1, k, k), np.nan)])
    assert not space.surely_canonical(x)
    quick, invalid = space.parse(x, np.eye(k))
    monkeypatch.setattr(type(space), "surely_canonical", lambda self, x: False)
    slow, reasons = space.parse(x, np.eye(k))
    np.testing.assert_array_equal(slow, quick)
    assert invalid == reasons == {30: "it has a missing or infinite entry"}
    np.testing.assert_array_equal(space.parse(good, np.eye(k))[0], good)


@pytest.mark.parametrize("space", [Sphere(2), Sphere(40, 4.0)], ids=lambda space: space.spec)
def test_points_that_rounding_alone_keeps_from_the_sphere(space):
    rng = np.random.default_rng(0)
    good = space.canonical(rng.normal(size=(1000, space.dim + 1)))
    assert space.nearly_canonical(good)
    for factor in (1 + 1e-13, np.nan, np.inf, 1e300, 1e-300, 0.0):
        x = good.copy()
        x[17] *= factor
        assert not space.nearly_canonical(x)
    assert not space.nearly_canonical(good.astype(np.float32))
    assert not space.nearly_canonical(good[:, :-1])
