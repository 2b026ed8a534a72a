"""One suite of properties for every space, on NumPy and on array-api-strict arrays."""

import array_api_strict
import numpy as np
import pytest

from geomdp import intervals
from geomdp.spaces import SPD, Euclidean, Hyperbolic, PlanarShapes, Sphere, linalg
from geomdp.spaces.specs import space_from_spec

SPACES = [
    Sphere(1),
    Sphere(2),
    Sphere(5, curvature=4.0),
    SPD(1),
    SPD(2),
    SPD(3),
    SPD(4),
    SPD(3, metric="log-euclidean"),
    Euclidean(1),
    Euclidean(4),
    Hyperbolic(1),
    Hyperbolic(3),
    PlanarShapes(3),
    PlanarShapes(5),
]


@pytest.fixture(params=SPACES, ids=lambda space: space.spec)
def space(request):
    return request.param


@pytest.fixture(params=[np, array_api_strict], ids=["numpy", "strict"])
def xp(request):
    return request.param


def reach(space):
    """Diameter of a set on which everything is smooth, far from the cut locus."""
    return min(1.0, space.injectivity_radius / 3)


def unit(rng, size):
    v = rng.normal(size=size)
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


def points(space, n, seed, radius=None):
    """Random points within ``radius`` of a random public point."""
    rng = np.random.default_rng(seed)
    radius = reach(space) / 2 if radius is None else radius
    origin = space.origin(np.zeros(1))
    away = min(2.0, 0.7 * space.injectivity_radius)
    center = space.exp(origin, space.from_frame(away * unit(rng, space.dim)))
    length = radius * rng.uniform(0.1, 1.0, (n, 1))
    near = space.exp(origin, space.from_frame(length * unit(rng, (n, space.dim))))
    return space.canonical(space.move(center, near))


def tangents(space, p, seed):
    """One random tangent vector at each point: the velocities toward other points."""
    others = points(space, p.shape[0], seed=1000)[np.random.default_rng(seed).permutation(len(p))]
    return space.log(p, others)


def same_points(space, x, y, atol=1e-12):
    return bool(np.all(np.asarray(space.dist(x, y)) < atol))


def to(xp, *arrays):
    return tuple(xp.asarray(a) for a in arrays)


# --- geometry -----------------------------------------------------------------------------------


def test_exp_and_log_are_inverse(space, xp):
    p, q = to(xp, points(space, 20, 1), points(space, 20, 2))
    v = space.log(p, q)
    assert same_points(space, space.exp(p, v), q)
    back = space.log(p, space.exp(p, v / 2))
    assert np.max(np.asarray(space.norm(p, back - v / 2))) < 1e-12


def test_results_stay_on_the_space(space, xp):
    p, q = to(xp, points(space, 20, 1), points(space, 20, 2))
    for x in (space.exp(p, space.log(p, q)), space.move(p[0, ...], q)):
        assert space.contains(x), space.contains(x).reason
        assert x.dtype == p.dtype


def test_distance_is_the_length_of_log_and_symmetric(space, xp):
    p, q = to(xp, points(space, 20, 1), points(space, 20, 2))
    d = np.asarray(space.dist(p, q))
    assert np.all(d > 1e-3)
    np.testing.assert_allclose(d, np.asarray(space.dist(q, p)), rtol=1e-12)
    np.testing.assert_allclose(d, np.asarray(space.norm(p, space.log(p, q))), rtol=1e-11)
    assert np.max(np.asarray(space.dist(p, p))) < 1e-15 * 10


def test_triangle_inequality(space, xp):
    p, q, r = to(xp, *(points(space, 50, s) for s in (1, 2, 3)))
    slack = space.dist(p, q) + space.dist(q, r) - space.dist(p, r)
    assert np.all(np.asarray(slack) > -1e-13)


def test_move_is_an_isometry_that_takes_the_origin_to_p(space, xp):
    p, x, y = to(xp, *(points(space, 20, s) for s in (1, 2, 3)))
    moved_x, moved_y = space.move(p, x), space.move(p, y)
    np.testing.assert_allclose(
        np.asarray(space.dist(moved_x, moved_y)), np.asarray(space.dist(x, y)), rtol=1e-10
    )
    assert same_points(space, space.move(p, space.origin(p)), p)


def test_transport_is_isometric_and_turns_geodesics_around(space, xp):
    p, q = to(xp, points(space, 20, 1), points(space, 20, 2))
    u, v = to(xp, tangents(space, np.asarray(p), 3), tangents(space, np.asarray(p), 4))
    before = np.asarray(space.inner(p, u, v))
    carried = [space.transport(p, q, w) for w in (u, v)]
    np.testing.assert_allclose(np.asarray(space.inner(q, *carried)), before, atol=1e-11)
    back = space.transport(q, p, carried[0])
    assert np.max(np.asarray(space.norm(p, back - u))) < 1e-11
    arrived = space.transport(p, q, space.log(p, q))
    assert np.max(np.asarray(space.norm(q, arrived + space.log(q, p)))) < 1e-11


def test_transport_is_parallel(space):
    """Schild's ladder with small rungs approaches the transport to second order."""
    p, q = points(space, 6, 1)[:1], points(space, 6, 2)[1:2]
    steps = 200
    u = tangents(space, points(space, 6, 1), 3)[:1]
    expected = space.transport(p, q, u)
    velocity = space.log(p, q) / steps
    here, scale = p, 1e-3
    carried = scale * u
    for _ in range(steps):
        there = space.exp(here, velocity)
        middle = space.exp(there, space.log(there, space.exp(here, carried)) / 2)
        carried_there = space.log(there, space.exp(here, 2 * space.log(here, middle)))
        velocity = space.log(there, space.exp(here, 2 * velocity))
        here, carried = there, carried_there
    carried = space.transport(here, q, carried) / scale
    assert float(space.norm(q, carried - expected)[0]) < 2e-3 * float(space.norm(p, u)[0])


def test_hessian_against_finite_differences(space, xp):
    p, q = to(xp, points(space, 20, 1)[:1], points(space, 20, 2))
    p = p[0, ...]
    v = xp.asarray(tangents(space, points(space, 20, 1), 3)[0])
    log, hessian = space.log_and_hessian(p, q)
    assert np.max(np.asarray(space.norm(p, log - space.log(p, q)))) < 1e-13
    h = 1e-4
    ahead, behind = space.exp(p, h * v), space.exp(p, -h * v)
    difference = space.transport(behind, p, space.log(behind, q)) - space.transport(
        ahead, p, space.log(ahead, q)
    )
    error = np.asarray(space.norm(p, hessian(v) - difference / (2 * h)))
    assert np.max(error) < 1e-6 * float(space.norm(p, v))


def test_hessian_is_symmetric_and_one_along_the_geodesic(space, xp):
    p, q = to(xp, points(space, 20, 1), points(space, 20, 2))
    u, v = to(xp, tangents(space, np.asarray(p), 3), tangents(space, np.asarray(p), 4))
    log, hessian = space.log_and_hessian(p, q)
    left, right = space.inner(p, u, hessian(v)), space.inner(p, hessian(u), v)
    np.testing.assert_allclose(np.asarray(left), np.asarray(right), atol=1e-12)
    assert np.max(np.asarray(space.norm(p, hessian(log) - log))) < 1e-11


def model_side(k, a, b, cosine):
    """Third side of a triangle with sides a, b and this cosine between them, in curvature k."""
    if k == 0:
        return np.sqrt(np.maximum(a**2 + b**2 - 2 * a * b * cosine, 0))
    s = np.sqrt(abs(k))
    if k > 0:
        inside = np.cos(s * a) * np.cos(s * b) + np.sin(s * a) * np.sin(s * b) * cosine
        return np.arccos(np.clip(inside, -1, 1)) / s
    inside = np.cosh(s * a) * np.cosh(s * b) - np.sinh(s * a) * np.sinh(s * b) * cosine
    return np.arccosh(np.maximum(inside, 1)) / s


def test_triangles_lie_between_those_of_the_curvature_bounds(space):
    p, q, r = (points(space, 200, s) for s in (1, 2, 3))
    u, v = space.log(p, q), space.log(p, r)
    a, b = space.norm(p, u), space.norm(p, v)
    cosine = space.inner(p, u, v) / (a * b)
    k_min, k_max = space.curvature_bounds
    d = space.dist(q, r)
    assert np.all(d <= model_side(k_min, a, b, cosine) + 1e-7)
    assert np.all(d >= model_side(k_max, a, b, cosine) - 1e-7)


@pytest.mark.parametrize(
    ("space", "plane", "k"),
    [
        (SPD(2), (0, 2), 0.0),
        (SPD(3), (3, 4), -0.125),
        (PlanarShapes(5), (0, 3), 4.0),
        (PlanarShapes(5), (0, 1), 1.0),
        (Sphere(5, curvature=4.0), (1, 3), 4.0),
        (Hyperbolic(3), (0, 2), -1.0),
    ],
    ids=str,
)
def test_curvature_of_a_plane(space, plane, k):
    """The curvature read off a small triangle, so that the bounds are known to be attained."""
    t = 0.02
    origin = space.origin(np.zeros(1))
    frame = np.eye(space.dim)[list(plane)]
    if space == SPD(2):  # diag(1, -1) and the off-diagonal direction have the extreme curvature
        frame, k = np.array([[1.0, -1.0, 0.0], [0.0, 0.0, np.sqrt(2)]]) / np.sqrt(2), -0.5
    a, b = (space.exp(origin, space.from_frame(t * e)) for e in frame)
    # For a right angle d^2 = 2 t^2 - k t^4 / 3 + O(t^6).
    measured = 3 * (2 * t**2 - float(space.dist(a, b)) ** 2) / t**4
    assert measured == pytest.approx(k, abs=5e-3)


# --- volume ------------------------------------------------------------------------------------


def volume_by_differences(space, t, direction, h=1e-5):
    """Density at ``t direction``: root of the Gram determinant of d exp, times ``t^(d-1)``."""
    origin = space.origin(np.zeros(1))
    x = space.exp(origin, space.from_frame(t * direction))
    basis = np.eye(space.dim)
    ahead = space.log(x, space.exp(origin, space.from_frame(t * direction + h * basis)))
    behind = space.log(x, space.exp(origin, space.from_frame(t * direction - h * basis)))
    columns = (ahead - behind) / (2 * h)
    gram = [[float(space.inner(x, u, v)) for v in columns] for u in columns]
    return np.log(np.linalg.det(gram)) / 2 + (space.dim - 1) * np.log(t)


def test_volume_density_is_the_determinant_of_the_exponential(space):
    rng = np.random.default_rng(5)
    for share in (0.1, 0.5, 0.9):
        direction = unit(rng, space.dim)
        t = share * min(space.injectivity_radius, 2.5)
        density = float(space.log_volume_density(np.asarray(t), direction))
        assert density == pytest.approx(volume_by_differences(space, t, direction), abs=2e-6)


def test_envelope_is_above_the_density_and_concave(space, xp):
    rng = np.random.default_rng(6)
    limit = min(space.injectivity_radius, 12.0)
    t = np.linspace(1e-3, limit * (1 - 1e-9), 400)
    envelope = np.asarray(space.log_volume_envelope(xp.asarray(t)))
    direction = unit(rng, (t.size, space.dim))
    density = np.asarray(space.log_volume_density(*to(xp, t, direction)))
    assert np.all(envelope >= density - 1e-9 * (1 + abs(density)))
    second = envelope[2:] - 2 * envelope[1:-1] + envelope[:-2]
    assert np.max(second) < 1e-9


@pytest.mark.parametrize(
    "space", [s for s in SPACES if s.injectivity_radius < np.inf], ids=lambda space: space.spec
)
def test_no_volume_beyond_the_cut_locus(space):
    direction = np.eye(space.dim)[0]
    for turns in (1.0001, 1.5, 2.5, 3.5, 4.5, 6.5):
        t = np.asarray(turns * space.injectivity_radius)
        assert float(space.log_volume_density(t, direction)) == -np.inf
        assert float(space.log_volume_envelope(t)) == -np.inf


# --- chart, axes, kinds of arrays -----------------------------------------------------------------


def test_coordinates_and_point_are_inverse(space, xp):
    (x,) = to(xp, points(space, 20, 1))
    coordinates = space.coordinates(x)
    assert np.asarray(coordinates).dtype == np.float64
    back = space.point(coordinates)
    assert same_points(space, back, x, atol=1e-13)
    np.testing.assert_allclose(
        np.asarray(space.coordinates(back)), np.asarray(coordinates), atol=1e-13
    )


def test_rounded_coordinates_are_still_points(space):
    x = points(space, 20, 1)
    rounded = np.round(space.coordinates(x) * 8) / 8
    back = space.point(rounded)
    assert space.contains(back), space.contains(back).reason
    assert not same_points(space, back, x)


def test_leading_axes_broadcast(space, xp):
    p, q = points(space, 6, 1), points(space, 6, 2)
    shape = space.point_shape
    left, right = to(xp, p.reshape((2, 3, *shape)), q[:3])
    d, log = np.asarray(space.dist(left, right)), np.asarray(space.log(left, right))
    moved = space.move(left[0, 0, ...], right)
    for i in range(2):
        for j in range(3):
            pi, qj = p[3 * i + j], q[j]
            assert d[i, j] == pytest.approx(float(space.dist(pi, qj)), rel=1e-12)
            assert float(space.norm(pi, log[i, j] - space.log(pi, qj))) < 1e-13
    assert same_points(space, moved, xp.asarray(np.stack([space.move(p[0], x) for x in q[:3]])))


def test_single_precision_stays_single(space, xp):
    single = np.complex64 if isinstance(space, PlanarShapes) else np.float32
    p, q = to(xp, points(space, 5, 1).astype(single), points(space, 5, 2).astype(single))
    p, q = space.canonical(p), space.canonical(q)
    d = space.dist(p, q)
    assert d.dtype == xp.float32
    assert space.exp(p, space.log(p, q)).dtype == p.dtype
    exact = space.dist(points(space, 5, 1), points(space, 5, 2))
    np.testing.assert_allclose(np.asarray(d), exact, rtol=1e-4)


def test_symmetric_results_are_exactly_symmetric():
    for space in (SPD(3), SPD(4), SPD(3, metric="log-euclidean")):
        p, q = points(space, 20, 1), points(space, 20, 2)
        v = space.log(p, q)
        for x in (v, space.exp(p, v), space.move(p, q), space.transport(p, q, v)):
            assert np.array_equal(x, np.swapaxes(x, -1, -2))
        back = space.point(space.coordinates(p))
        assert np.array_equal(back, np.swapaxes(back, -1, -2))


def radii(x):
    real, imaginary = linalg.parts(x)
    return max(float(b.rad()) for b in (*real.flat, *imaginary.flat))


def test_balls_agree_with_floats_and_are_tiny(space):
    rng = np.random.default_rng(7)
    frame = 0.4 * reach(space) * unit(rng, (3, space.dim))
    p = points(space, 3, 1)[0]

    def draw(kind):
        v = space.from_frame(kind(frame))
        x = space.move(kind(p), space.exp(space.origin(v), v))
        return space.coordinates(x), space.dist(space.canonical(kind(p)), x)

    expected = draw(np.asarray)
    with intervals.precision(200):
        enclosed = draw(intervals.from_floats)
        for ball, value in zip(enclosed, expected, strict=True):
            assert radii(ball) < 1e-45
            np.testing.assert_allclose(intervals.to_floats(ball), value, atol=2e-13)
        # The ball of the distance contains the length that the frame vector really has.
        lengths = np.sqrt(np.sum(intervals.from_floats(frame) ** 2, axis=-1))
        assert np.all(intervals.elementwise(lambda d, t: d.overlaps(t), enclosed[1], lengths))


def test_wider_balls_overlap_narrower_ones(space):
    """The same draw at two precisions must enclose the same number."""
    frame = 0.4 * reach(space) * unit(np.random.default_rng(8), (1, space.dim))
    p = points(space, 3, 1)[0]
    found = []
    for bits in (80, 300):
        with intervals.precision(bits):
            v = space.from_frame(intervals.from_floats(frame))
            x = space.move(intervals.from_floats(p), space.exp(space.origin(v), v))
            found.append(space.coordinates(x))
    with intervals.precision(400):
        assert np.all(intervals.elementwise(lambda a, b: a.contains(b), *found))


def test_volume_of_balls(space):
    rng = np.random.default_rng(9)
    t, direction = 0.6 * min(space.injectivity_radius, 4.0) * np.ones(2), unit(rng, (2, space.dim))
    with intervals.precision(200):
        density = space.log_volume_density(
            intervals.from_floats(t), intervals.from_floats(direction)
        )
        envelope = space.log_volume_envelope(intervals.from_floats(t))
        assert radii(density + 0) < 1e-45
        assert radii(envelope + 0) < 1e-45
        expected = space.log_volume_density(t, direction)
        np.testing.assert_allclose(intervals.to_floats(density), expected, atol=1e-12)
        np.testing.assert_allclose(
            intervals.to_floats(envelope), space.log_volume_envelope(t), atol=1e-12
        )


# --- public facts --------------------------------------------------------------------------


def test_dimension_counts_the_frame(space):
    frame = space.from_frame(np.eye(space.dim))
    origin = space.origin(np.zeros(1))
    gram = np.array([[float(space.inner(origin, u, v)) for v in frame] for u in frame])
    np.testing.assert_allclose(gram, np.eye(space.dim), atol=1e-15)
    assert origin.shape == space.point_shape
    assert space.contains(origin)


def test_spaces_are_values(space):
    assert space == type(space)(**space.__dict__)
    assert hash(space) == hash(type(space)(**space.__dict__))
    assert space_from_spec(space.spec) == space


def test_laplace_rate_limit_is_the_growth_of_the_envelope(space):
    if np.isfinite(space.injectivity_radius):
        assert space.laplace_rate_limit == 0
        return
    t = np.array([4e3, 8e3])
    low, high = space.log_volume_envelope(t)
    assert (high - low) / 4e3 == pytest.approx(space.laplace_rate_limit, abs=3e-3)
