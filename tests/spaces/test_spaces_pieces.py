"""Maps from one point to many: what a row gets depends on that row alone, and keeps its digits."""

import mpmath as mp
import numpy as np
import pytest

import geomdp as dp
from geomdp.spaces import spd_affine
from geomdp.spaces.numerics import elementary, pieces

#: Few axes, as many as lie axis by axis, more, and complex ones.
SPACES = [dp.Sphere(2), dp.Sphere(1), dp.Sphere(6, 4.0), dp.Sphere(40), dp.PlanarShapes(20)]
EACH = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)


def scattered(space, count=300):
    """Points all over the space, close to the first, at its antipode and by it; velocities."""
    rng = np.random.default_rng(0)
    center = space.canonical(space.origin(np.zeros(1)))
    v = rng.normal(size=(count, space.dim))
    v *= (
        space.injectivity_radius
        * rng.uniform(0, 1.2, (count, 1))
        / np.linalg.norm(v, axis=1)[:, None]
    )
    points = space.canonical(space.frame_exp(center, v))
    near = space.frame_exp(points[0], 1e-9 * v[:5])
    if isinstance(space, dp.Sphere):
        near = np.concatenate([near, -points[:1], space.canonical(-near)])
    points = np.concatenate([points, near])
    return points, space.log(points[0], points)


def maps(space, p, q, v):
    return {"log": space.log(p, q), "dist": space.dist(p, q), "exp": space.exp(p, v)}


@EACH
@pytest.mark.parametrize("count", [1, 3])
def test_pieces_change_no_bit(space, count, monkeypatch):
    points, v = scattered(space)
    whole = maps(space, points[0], points, v)
    monkeypatch.setattr(pieces, "PIECE_NUMBERS", 7 * points.shape[1])
    monkeypatch.setattr("os.cpu_count", lambda: count)
    for name, found in maps(space, points[0], points, v).items():
        np.testing.assert_array_equal(found, whole[name], err_msg=name)
    rows = [maps(space, points[0], q[None], u[None]) for q, u in zip(points, v, strict=True)]
    for name, together in whole.items():
        alone = np.concatenate([row[name] for row in rows])
        np.testing.assert_array_equal(alone, together, err_msg=name)


@EACH
def test_hostile_rows_leave_the_others_as_they_are(space, monkeypatch):
    """Rows that are no points get something; nothing is raised, and no thread keeps it."""
    points, v = scattered(space)
    good = maps(space, points[0], points, v)
    spoilt, pushed = points.copy(), v.copy()
    hostile = np.array([np.nan, np.inf, -np.inf, 1e300, 1e-300, 0.0, -0.0])
    places = np.arange(3, 3 + 40 * len(hostile), 40)
    spoilt[places], pushed[places] = hostile[:, None], hostile[:, None]
    others = np.setdiff1d(np.arange(len(points)), places)
    monkeypatch.setattr(pieces, "PIECE_NUMBERS", 50 * points.shape[1])
    with np.errstate(all="ignore"):
        for _ in range(2):
            found = maps(space, points[0], spoilt, pushed)
            for name, rows in found.items():
                np.testing.assert_array_equal(rows[others], good[name][others], err_msg=name)
    for name, rows in maps(space, points[0], points, v).items():
        np.testing.assert_array_equal(rows, good[name], err_msg=name)


def test_a_thread_that_keeps_its_arrays_sees_each_base_point():
    """Also one that was changed in place, and one that equals the last but not bit for bit."""
    space, (points, _) = dp.Sphere(3), scattered(dp.Sphere(3))
    p = points[0].copy()
    for _ in range(3):
        np.testing.assert_allclose(
            space.dist(p, points), [space.dist(p, q) for q in points], rtol=1e-13, atol=1e-15
        )
        p[:] = points[np.argmax(np.abs(points - p).sum(axis=1))]
    north = np.array([0.0, 0.0, 0.0, 1.0])
    for base in (north, -0.0 * north + north, north):
        np.testing.assert_array_equal(
            np.signbit(space.log(base, np.zeros((2, 4)) + north)), [np.signbit(north - base)] * 2
        )


@EACH
def test_other_shapes_of_arrays(space):
    """Pairs of rows, one row and its columns in any order: the same numbers."""
    points, v = scattered(space)
    expected = maps(space, points[0], points, v)
    many = np.broadcast_to(points[0], points.shape)
    shown = {
        "pairs": maps(space, many, points, v),
        "in Fortran's order": maps(
            space, points[0], np.asfortranarray(points), np.asfortranarray(v)
        ),
        "in a stack": {
            name: found[0] for name, found in maps(space, points[0], points[None], v[None]).items()
        },
    }
    for how, found in shown.items():
        for name in expected:
            np.testing.assert_allclose(
                found[name], expected[name], rtol=1e-13, atol=1e-15, err_msg=f"{name}, {how}"
            )
    several = space.exp(points[:4], v[0])  # one velocity, many points
    np.testing.assert_allclose(several[2], space.exp(points[2], v[0]), rtol=1e-13, atol=1e-15)


def sphere_log(p, q):
    """Log and distance on the unit sphere in sixty digits."""
    p, q = (mp.matrix([mp.mpf(float(x)) for x in point]) for point in (p, q))
    p, q = p / mp.norm(p), q / mp.norm(q)
    cosine = mp.fsum(a * b for a, b in zip(p, q, strict=True))
    across = q - cosine * p
    angle = mp.atan2(mp.norm(across), cosine)
    return np.array([float(x) for x in across * (angle / mp.norm(across))]), float(angle)


@pytest.mark.parametrize("dim", [2, 30])
@pytest.mark.parametrize("length", [1e-12, 1e-5, 0.3, 1.5707, 1.5709, 2.5, np.pi - 1e-5])
def test_digits_from_near_to_the_antipode(dim, length):
    """Relative errors: a cosine alone would leave none of the digits of 1e-12."""
    rng = np.random.default_rng(1)
    space = dp.Sphere(dim)
    p = space.canonical(rng.normal(size=dim + 1))
    v = rng.normal(size=(5, dim))
    v *= length / np.linalg.norm(v, axis=1)[:, None]
    q = space.canonical(space.frame_exp(p, v))
    logs, distances = space.log(p, q), space.dist(p, q)
    allowed = 20 * np.sqrt(dim) * 2.0**-53 * max(1.0, 1 / np.sin(length) if length > 2 else 1.0)
    with mp.workdps(60):
        for log, distance, other in zip(logs, distances, q, strict=True):
            expected, angle = sphere_log(p, other)
            assert np.linalg.norm(log - expected) <= allowed * length
            # Norms differ by rounding, across the sphere: felt by the shortest alone.
            assert abs(distance - angle) <= allowed * length + (dim + 1) * 2.0**-105 / length


@pytest.mark.parametrize("shape", [(7, 1), (7, 30), (30,)], ids=str)
def test_the_volume_of_matrices_is_the_same_piece_by_piece(monkeypatch, shape):
    """A forecast asks for all radii and directions at once: a table that leaves every cache."""
    rng = np.random.default_rng(0)
    space = dp.SPD(4)
    t = rng.uniform(0.01, 3.0, shape)
    directions = rng.normal(size=(30, space.dim))
    directions /= np.linalg.norm(directions, axis=1)[:, None]
    at_once = space.log_volume_density(t, directions)
    sizes = []
    log_sinhc = elementary.log_sinhc

    def counted(x):
        sizes.append(x.size)
        return log_sinhc(x)

    monkeypatch.setattr(elementary, "log_sinhc", counted)
    monkeypatch.setattr(spd_affine, "PIECE_NUMBERS", 6 * 30)
    np.testing.assert_array_equal(space.log_volume_density(t, directions), at_once)
    assert max(sizes) <= 6 * 30
    assert sum(sizes) == 6 * at_once.size


@pytest.mark.parametrize("dim", [2, 20])
@pytest.mark.parametrize("curvature", [1.0, 0.25])
def test_velocities_that_are_not_quite_tangent_lead_to_points(dim, curvature):
    space = dp.Sphere(dim, curvature=curvature)
    rng = np.random.default_rng(0)
    p = space.canonical(rng.normal(size=dim + 1))
    v = rng.normal(size=(50, dim + 1))
    angle = np.sqrt(curvature) * np.linalg.norm(v, axis=1, keepdims=True)
    expected = space.canonical(np.cos(angle) * p + np.sin(angle) / angle * v)
    np.testing.assert_allclose(space.exp(p, v), expected, rtol=0, atol=4e-15)
