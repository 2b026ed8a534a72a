"""Float results against 60-digit references, where points are near, far, or ill-conditioned."""

import mpmath as mp
import numpy as np
import pytest

from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere
from geomdp.spaces.spd_affine import AffineSPD


@pytest.fixture(autouse=True)
def _sixty_digits():
    with mp.workdps(60):
        yield


# --- references, straight from the definitions ---------------------------------------------


def column(x):
    kind = complex if np.iscomplexobj(x) else float
    return mp.matrix([mp.mpmathify(kind(v)) for v in x])


def hermitian(u, v):
    return mp.fsum(mp.conj(a) * b for a, b in zip(u, v, strict=True))


def normalised(x, length=1):
    return x * (length / mp.sqrt(mp.re(hermitian(x, x))))


def sphere_log(space, p, q):
    radius = 1 / mp.sqrt(mp.mpf(space.curvature))
    p, q = normalised(column(p), radius), normalised(column(q), radius)
    angle = mp.acos(hermitian(p, q) / radius**2)
    return (q - mp.cos(angle) * p) * (angle / mp.sin(angle)), radius * angle


def hyperbolic_log(space, p, q):
    def lift(x):
        free = column(x)[: space.dim]
        return mp.matrix([*free, mp.sqrt(1 + mp.fsum(v**2 for v in free))])

    p, q = lift(p), lift(q)
    cosine = p[space.dim] * q[space.dim] - hermitian(p[: space.dim], q[: space.dim])
    distance = mp.acosh(cosine)
    return (q - cosine * p) * (distance / mp.sinh(distance)), distance


def shape_log(space, p, q):
    def preshape(x):
        x = column(x)
        mean = mp.fsum(x) / space.landmarks
        return normalised(x.apply(lambda v: v - mean))

    p, q = preshape(p), preshape(q)
    product = hermitian(p, q)
    angle = mp.acos(abs(product))
    aligned = q * (mp.conj(product) / abs(product))
    return (aligned - abs(product) * p) * (angle / mp.sin(angle)), angle


def symmetric_log(x):
    values, vectors = mp.eigsy(x)
    return vectors * mp.diag([mp.log(v) for v in values]) * vectors.T


def affine_log(space, p, q):
    p, q = mp.matrix(p.tolist()), mp.matrix(q.tolist())
    factor = mp.cholesky(p)
    inverse = factor**-1
    white = inverse * q * inverse.T
    log = symmetric_log((white + white.T) / 2)
    return factor * log * factor.T, mp.mnorm(log, "f")


def log_euclidean_log(space, p, q):
    log = symmetric_log(mp.matrix(q.tolist())) - symmetric_log(mp.matrix(p.tolist()))
    return log, mp.mnorm(log, "f")


def flat_log(space, p, q):
    log = column(q) - column(p)
    return log, mp.norm(log)


LOG_EUCLIDEAN = SPD(3, metric="log-euclidean")
REFERENCES = [
    (Sphere(1), sphere_log),
    (Sphere(2), sphere_log),
    (Sphere(5, curvature=4.0), sphere_log),
    (Euclidean(4), flat_log),
    (Hyperbolic(3), hyperbolic_log),
    (PlanarShapes(3), shape_log),
    (PlanarShapes(6), shape_log),
    (SPD(2), affine_log),
    (SPD(4), affine_log),
    (LOG_EUCLIDEAN, log_euclidean_log),
]
EACH = pytest.mark.parametrize(
    ("space", "reference"), REFERENCES, ids=lambda x: getattr(x, "spec", "")
)


def near(space, center, radius, n, rng):
    v = rng.normal(size=(n, space.dim))
    v *= radius / np.linalg.norm(v, axis=-1, keepdims=True)
    origin = space.origin(np.zeros(1))
    return space.canonical(space.move(center, space.exp(origin, space.from_frame(v))))


def as_array(log, space):
    kind = complex if isinstance(space, PlanarShapes) else float
    return np.array([kind(v) for v in log], dtype=kind).reshape(space.point_shape)


def log_error(space, reference, p, q):
    """Length of the error of ``log``, the subtraction done in 60 digits."""
    exact, _ = reference(space, p, q)
    computed = space.log(p, q)
    flat = computed.reshape(-1)
    gap = [mp.mpmathify(complex(a)) - b for a, b in zip(flat, exact, strict=True)]
    return float(space.norm(p, as_array(gap if np.iscomplexobj(flat) else map(mp.re, gap), space)))


def pair_errors(space, reference, ball):
    return [log_error(space, reference, p, q) for p, q in zip(ball[::2], ball[1::2], strict=True)]


def distance_error(space, reference, p, q):
    _, exact = reference(space, p, q)
    return float(abs(mp.mpf(float(space.dist(p, q))) - exact)), float(exact)


@EACH
def test_error_of_log_is_well_below_its_bound(space, reference):
    """Pairs of points of a ball, its centre far from the origin where that is harder."""
    rng = np.random.default_rng(0)
    (center,) = near(space, space.origin(np.zeros(1)), 1.2, 1, rng)
    for radius in (0.05, 0.45):
        ball = near(space, center, radius * rng.uniform(0.2, 1, (12, 1)), 12, rng)
        errors = pair_errors(space, reference, ball)
        errors += [log_error(space, reference, center, q) for q in ball[:4]]
        bound = space.log_rounding(center, radius)
        assert 0 <= max(errors) < bound / 4
        assert bound < 1e-9


@pytest.mark.parametrize("condition", [1.0, 1e4, 1e8])
@pytest.mark.parametrize(
    ("space", "reference"),
    [(SPD(2), affine_log), (SPD(4), affine_log), (LOG_EUCLIDEAN, log_euclidean_log)],
    ids=lambda x: getattr(x, "spec", ""),
)
def test_error_of_log_in_ill_conditioned_balls(space, reference, condition):
    """A bound that grows with the root of the condition number only would fail here."""
    rng = np.random.default_rng(7)
    center = conditioned(space.k, condition, rng)
    for radius in (0.3, 2.0, 5.0):
        ball = near(space, center, radius, 8, rng)
        errors = pair_errors(space, reference, ball)
        assert max(errors) < space.log_rounding(center, radius) / 4


@EACH
def test_distance_of_nearly_equal_points(space, reference):
    rng = np.random.default_rng(1)
    (p,) = near(space, space.origin(np.zeros(1)), 0.7, 1, rng)
    for radius in (1e-3, 1e-6, 1e-9):
        for q in near(space, p, radius, 3, rng):
            error, exact = distance_error(space, reference, p, q)
            assert exact == pytest.approx(radius, rel=1e-5)
            # The flat metric subtracts two matrix logarithms: accurate to a few ulp of those.
            assert error < (2e-15 if space == LOG_EUCLIDEAN else 1e-14 * exact)


@pytest.mark.parametrize("space", [Sphere(1), Sphere(2), Sphere(5, curvature=4.0), PlanarShapes(5)])
def test_distance_and_log_near_the_cut_locus(space):
    reference = shape_log if isinstance(space, PlanarShapes) else sphere_log
    rng = np.random.default_rng(2)
    (p,) = near(space, space.origin(np.zeros(1)), 0.3, 1, rng)
    for gap in (1e-3, 1e-6, 1e-9):
        (q,) = near(space, p, space.injectivity_radius - gap, 1, rng)
        error, exact = distance_error(space, reference, p, q)
        assert exact == pytest.approx(space.injectivity_radius - gap, abs=1e-14)
        assert error < 1e-15
        # The direction turns by an ulp of the points over the gap, and no more.
        assert log_error(space, reference, p, q) < 4e-15 / gap


@pytest.mark.parametrize("away", [1.0, 5.0, 10.0, 20.0])
def test_hyperbolic_distances_far_from_the_bottom(away):
    space = Hyperbolic(3)
    rng = np.random.default_rng(3)
    (p,) = near(space, space.origin(np.zeros(1)), away, 1, rng)
    other = p * np.array([1, -1, 1, 1])
    for radius in (1e-3, 1.0, 5.0):
        v = rng.normal(size=3)
        q = space.point(p[:3] * (1 + radius * 1e-3) + radius * v / np.linalg.norm(v))
        for pair in ((p, q), (q, p), (p, other), (p, space.origin(p)), (p, space.point(-p[:3]))):
            error, exact = distance_error(space, hyperbolic_log, *pair)
            # The part of q - p across the radius is known to an ulp of q - p.
            assert error < 2e-14 * exact + 2e-16 * np.max(np.abs(pair[1] - pair[0])) + 1e-14


def conditioned(k, condition, rng):
    q, _ = np.linalg.qr(rng.normal(size=(k, k)))
    x = (q * np.geomspace(1, condition, k)) @ q.T
    return (x + x.T) / 2


@pytest.mark.parametrize("k", [2, 3, 5])
@pytest.mark.parametrize(("condition", "tolerance"), [(10, 1e-14), (1e4, 1e-12), (1e8, 1e-8)])
def test_distances_of_ill_conditioned_matrices(k, condition, tolerance):
    rng = np.random.default_rng(4)
    for metric, reference in (("affine", affine_log), ("log-euclidean", log_euclidean_log)):
        space = SPD(k, metric=metric)
        for _ in range(3):
            q = conditioned(k, condition, rng)
            error, exact = distance_error(space, reference, np.eye(k), q)
            assert error < tolerance * exact
            error, exact = distance_error(space, reference, q, np.eye(k))
            assert error < tolerance * exact


@pytest.mark.parametrize(("condition", "tolerance"), [(1e2, 1e-12), (1e4, 1e-9)])
def test_distances_between_ill_conditioned_matrices(condition, tolerance):
    """Both ends ill-conditioned in different directions: the spectrum between them is squared."""
    rng = np.random.default_rng(5)
    for _ in range(5):
        p, q = conditioned(3, condition, rng), conditioned(3, condition, rng)
        error, exact = distance_error(AffineSPD(3), affine_log, p, q)
        assert error < tolerance * exact


def test_nearly_equal_ill_conditioned_matrices():
    rng = np.random.default_rng(6)
    p = conditioned(3, 1e6, rng)
    q = p * (1 + 1e-9)
    error, exact = distance_error(AffineSPD(3), affine_log, p, q)
    assert exact == pytest.approx(np.sqrt(3) * 1e-9, rel=1e-2)
    assert error < 1e-5 * exact
