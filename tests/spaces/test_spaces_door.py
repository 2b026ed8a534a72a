"""The door is total: whatever numbers a record holds, it becomes a point of the ball."""

import numpy as np
import pytest
from spaces_exact import SPACES, exact

from geomdp import intervals
from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, PlanarShapes, Rotations, Sphere
from geomdp.spaces.ball import BITS, overshoot
from geomdp.spaces.numerics import decompositions
from geomdp.testing import check_door, hostile_records, some_balls

EACH = pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
METRICS = pytest.mark.parametrize("metric", ["affine", "log-euclidean"])


def assert_on_the_boundary(ball, records):
    clipped = ball.clip(records)
    assert np.all(ball.space.dist(ball.center, clipped) > ball.radius * (1 - 1e-5))
    assert np.all(overshoot(ball, clipped) <= 0)


# --- every space, every kind of record --------------------------------------------------------


@EACH
def test_hostile_records_become_points_of_the_ball(space):
    check_door(space, 25)


@pytest.mark.slow
@EACH
def test_ten_thousand_hostile_records_become_points_of_the_ball(space):
    check_door(space, 1700)


@EACH
def test_hostile_records_are_seldom_lost(space):
    """Valid records far outside reach the boundary; the centre is the last resort."""
    rng = np.random.default_rng(2)
    for ball in some_balls(space):
        records = hostile_records(space, ball, 300, rng, valid=True)
        admitted = ball.admit(records)
        assert not admitted.invalid
        before = space.dist(ball.center, space.resolved(ball.center, space.canonical(records)))
        after = space.dist(ball.center, admitted.records)
        far = before > 1.05 * ball.radius
        assert np.sum(far) > 20
        assert np.all(after[far] > ball.radius * (1 - 1e-5))


@EACH
def test_one_hostile_record_does_not_touch_the_others(space):
    rng = np.random.default_rng(3)
    for ball in some_balls(space)[2::3]:
        records = hostile_records(space, ball, 200, rng)
        together = ball.admit(records)
        for i in range(0, 200, 7):
            alone = ball.admit(records[i : i + 1])
            np.testing.assert_array_equal(alone.records[0], together.records[i])
            assert alone.invalid.get(0) == together.invalid.get(i)


def test_a_record_that_cannot_be_moved_counts_as_the_centre():
    class Broken(Euclidean):
        def log(self, p, q):
            return np.where(np.abs(q) > 1e6, np.nan, q - p)

    ball = Ball(Broken(2), np.ones(2), 1.0)
    assert ball.clip(np.array([[1e7, 0.0], [9.0, 1.0]])).tolist()[0] == [1.0, 1.0]
    assert ball.clip(np.array([[1e7, 0.0], [9.0, 1.0]]))[1] == pytest.approx([2.0, 1.0])


@pytest.mark.parametrize("off", [1e-9, 0.05, 0.4])
def test_a_record_moved_too_far_is_moved_again(off):
    """The check does not trust the move: an ``exp`` that overshoots is found and repeated."""

    class Overshooting(Euclidean):
        def exp(self, p, v):
            return p + (1 + off) * v

    ball = Ball(Overshooting(2), np.zeros(2), 1.0)
    clipped = ball.clip(np.array([[30.0, 40.0]]))[0]
    assert 0.5 <= np.hypot(*clipped) <= 1.0


# --- what was seen ------------------------------------------------------------------------------


@METRICS
@pytest.mark.parametrize("k", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [1e-17, 1e300, 1e-300, 5e-324, 8e307, 1e150, 1e-150])
def test_multiples_of_the_identity(k, size, metric):
    ball = Ball(SPD(k, metric=metric), np.eye(k), 2.0)
    assert_on_the_boundary(ball, size * np.eye(k)[None])
    root = np.exp((1 if size > 1 else -1) * 2 / np.sqrt(k))
    np.testing.assert_allclose(ball.clip(size * np.eye(k)), root * np.eye(k), atol=1e-4)


@METRICS
def test_nearly_singular_matrices(metric):
    rng = np.random.default_rng(5)
    turns = np.linalg.qr(rng.standard_normal((40, 3, 3)))[0]
    spectra = np.stack([np.ones(40), 10.0 ** -rng.uniform(8, 15, 40), np.full(40, 1e-15)], axis=1)
    matrices = (turns * spectra[:, None, :]) @ np.swapaxes(turns, 1, 2)
    records = (matrices + np.swapaxes(matrices, 1, 2)) / 2
    skewed = SPD(3, metric=metric).frame_exp(np.eye(3), rng.standard_normal(6))
    for center in (np.eye(3), skewed, 1e-9 * np.eye(3)):
        ball = Ball(SPD(3, metric=metric), center, 1.0)
        good = records[[i for i in range(40) if i not in ball.admit(records).invalid]]
        assert len(good) > 10
        assert_on_the_boundary(ball, good)


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("away", [0.0, 1e-3, 1.0, 3.0])
def test_far_points_of_hyperbolic_space(dim, away):
    rng = np.random.default_rng(6)
    space = Hyperbolic(dim)
    ball = Ball(space, space.point(np.sinh(away) * np.eye(dim)[0]), 0.8)
    for size in (1e5, 1e8, 1e16, 1e40, 1e150, 1e200, 1e300):
        free = rng.standard_normal((20, dim))
        free *= size / np.linalg.norm(free, axis=1, keepdims=True)
        free[:2] = [[size, *np.zeros(dim - 1)], [-size, *np.zeros(dim - 1)]]
        assert_on_the_boundary(ball, space.point(free))


@pytest.mark.parametrize("size", [1e5, 1e12, 1e15])
def test_hyperbolic_distance_of_points_at_very_different_heights(size):
    """Formerly up to six radii off: the difference of far and near coordinates lost the near."""
    space = Hyperbolic(2)
    p = space.point(np.array([0.3, -0.4]))
    q = space.point(size * np.array([0.6, 0.8]))
    with intervals.precision(BITS):
        (ideal,) = intervals.to_floats(space.proved_dist(exact(space, p), exact(space, q[None])))
    assert float(space.dist(p, q)) == pytest.approx(ideal, rel=1e-14)
    assert float(space.dist(q, p)) == pytest.approx(ideal, rel=1e-14)


@pytest.mark.parametrize("dim", [1, 2, 5])
@pytest.mark.parametrize("share", [0.3, 0.8, 0.99])
def test_antipodes_of_the_centre(dim, share):
    center = np.full(dim + 1, 1 / np.sqrt(dim + 1))
    space = Sphere(dim)
    ball = Ball(space, center, share * min(np.pi / 3, space.injectivity_radius / 2))
    exact = -ball.center * (1 + np.array([0.0, 1e-6, -1e-6, 1e-9, 1e-16])[:, None] * 0.99)
    typed = np.full((1, dim + 1), -round(1 / np.sqrt(dim + 1), 6))
    near = exact[:1] + 1e-9 * np.eye(dim + 1)
    records = np.concatenate([exact, typed, near])
    assert_on_the_boundary(ball, records)


def test_shapes_at_the_cut_locus():
    space = PlanarShapes(4)
    center = space.canonical(np.array([1, -1, 0, 0j]))
    ball = Ball(space, center, 0.5)
    records = np.array([[0, 0, 1, -1], [1, 1, -1, -1], [1e-320, 0, 1, -1]], dtype=complex)
    records = np.concatenate([records, records * np.exp(0.7j), 1e-300 * center + records])
    assert_on_the_boundary(ball, records)


@pytest.mark.parametrize("size", [1e300, 1e-300, 1e308, 5e-322, 1e154])
def test_shapes_of_any_size_are_the_same_shape(size):
    space = PlanarShapes(3)
    ball = Ball(space, space.canonical(np.array([0, 1, 1j])), 0.4)
    triangle = np.array([[0.0, 0.0], [1.0, 0.0], [0.25, 0.75]])
    tolerance = 0.02 if size < 1e-310 else 1e-15
    one, other = ball.clip(triangle), ball.clip(size * triangle)
    assert float(space.dist(one, other)) <= tolerance
    assert np.all(overshoot(ball, other[None]) <= 0)


def test_landmarks_with_gaps_in_one_part():
    ball = Ball(PlanarShapes(3), np.array([0, 1, 1j]), 0.4)
    records = np.array([[0, 1, complex(0, np.nan)], [0, complex(np.inf, 1), 1j], [0, 1, 2j]])
    admitted = ball.admit(records)
    assert sorted(admitted.invalid) == [0, 1]
    np.testing.assert_array_equal(admitted.records[:2], np.stack([ball.center] * 2))


@pytest.mark.parametrize("size", [1e154, 1e300, 1.7e308])
def test_far_euclidean_records(size):
    ball = Ball(Euclidean(3), np.array([1.0, -2.0, 0.5]), 2.0)
    shape = np.array([[1.0, 0.0, 0.0], [-0.7, 1.0, 0.2], [1.0, 1.0, 1.0]])
    records = size * shape
    assert_on_the_boundary(ball, records)
    expected = ball.center + 2 * shape[1] / np.linalg.norm(shape[1])
    np.testing.assert_allclose(ball.clip(records)[1], expected, atol=1e-9)


# --- precision, kinds of numbers, shapes ----------------------------------------------------------


@EACH
def test_single_precision_records_and_centres_count_as_doubles(space):
    single = np.complex64 if isinstance(space, PlanarShapes) else np.float32
    double = np.complex128 if isinstance(space, PlanarShapes) else np.float64
    wide = some_balls(space)[4]
    ball = Ball(space, wide.center.astype(single), wide.radius)
    again = Ball(space, wide.center.astype(single).astype(double), wide.radius)
    np.testing.assert_array_equal(ball.center, again.center)
    assert ball.center.dtype == double
    rng = np.random.default_rng(7)
    v = 3 * wide.radius * rng.standard_normal((20, space.dim)) / np.sqrt(space.dim)
    records = space.canonical(space.frame_exp(wide.center, v)).astype(single)
    clipped = ball.clip(records)
    assert clipped.dtype == double
    np.testing.assert_array_equal(clipped, ball.clip(records.astype(double)))
    assert np.all(overshoot(ball, clipped) <= 0)


def test_complex_numbers_where_real_ones_belong():
    ball = Ball(SPD(2), np.eye(2), 1.0)
    records = np.stack([np.eye(2) + 0j, 1j * np.eye(2), np.full((2, 2), np.nan * 1j)])
    admitted = ball.admit(records)
    assert admitted.invalid == {
        1: "it has complex entries",
        2: "it has a missing or infinite entry",
    }
    assert admitted.records.dtype == np.float64


@pytest.mark.parametrize("k", [2, 3, 4])
def test_what_is_positive_definite_does_not_depend_on_other_records(k):
    rng = np.random.default_rng(8)
    matrices = rng.standard_normal((60, k, k)) * 10.0 ** rng.uniform(-160, 150, (60, 1, 1))
    matrices = matrices @ np.swapaxes(matrices, 1, 2)
    matrices[::3] -= np.max(np.abs(matrices[::3]), axis=(1, 2), keepdims=True) * np.eye(k)
    matrices[1], matrices[2], matrices[4] = np.nan, np.inf, 1.7e308
    with np.errstate(all="ignore"):
        together = decompositions.well_conditioned(matrices)
        alone = [bool(decompositions.well_conditioned(matrix)) for matrix in matrices]
    assert together.tolist() == alone
    assert 10 < sum(alone) < 50


def test_one_record_in_another_public_shape_does_not_touch_the_others():
    """Formerly the first record's shape decided which of the others were read at all."""
    ball = Ball(PlanarShapes(4), np.exp(2j * np.pi * np.arange(4) / 4), 0.3)
    numbers = ball.space.frame_exp(ball.center, 0.25 * np.eye(4))
    pairs = [np.stack([z.real, z.imag], axis=-1) for z in numbers]
    alone = ball.admit(pairs)
    for mixed in ([numbers[0], *pairs[1:]], [*pairs[:3], numbers[3]]):
        admitted = ball.admit(mixed)
        assert not admitted.invalid
        np.testing.assert_array_equal(admitted.records, alone.records)


#: What a list may hold beside records; each would make NumPy read the whole list otherwise.
ODD = [
    "north",
    None,
    1j,
    [[1, 2], [3]],
    10**400,
    {"a": 1},
    [1j, 1j, 1j],
    np.eye(3) * 1j,
    np.ones(9),
]


def assert_only_the_odd_one_is_none(ball, records, alone):
    for odd in ODD:
        admitted = ball.admit([*records[:1], odd, *records[1:]])
        assert list(admitted.invalid) == [1], odd
        np.testing.assert_array_equal(np.delete(admitted.records, 1, axis=0), alone)


@EACH
def test_one_odd_record_of_a_list_does_not_touch_the_others(space):
    """Formerly one complex record moved all others by a rounding."""
    rng = np.random.default_rng(11)
    ball = some_balls(space)[4]
    v = ball.radius * rng.standard_normal((20, space.dim)) / np.sqrt(space.dim)
    records = space.frame_exp(ball.center, v)
    assert_only_the_odd_one_is_none(ball, list(records), ball.admit(records).records)
    fortran = ball.admit(np.asfortranarray(records)).records
    np.testing.assert_array_equal(fortran, ball.admit(records).records)


def test_one_odd_record_does_not_touch_rotation_matrices():
    """Formerly one text among matrices made all of them the centre."""
    ball = some_balls(Rotations())[4]
    turns = ball.space.frame_exp(ball.center, 0.3 * np.random.default_rng(12).normal(size=(9, 3)))
    matrices = ball.space.matrices(turns)
    alone = ball.admit(matrices).records
    np.testing.assert_allclose(alone, ball.admit(turns).records, atol=1e-14)
    mixed = ball.admit([*matrices[:4], turns[4], *matrices[5:]]).records
    np.testing.assert_allclose(mixed, alone, atol=1e-14)
    assert_only_the_odd_one_is_none(ball, list(matrices), alone)
    objects = np.empty(9, dtype=object)
    objects[:] = list(matrices)
    np.testing.assert_array_equal(ball.admit(objects).records, alone)


def test_one_complex_record_does_not_touch_landmarks_as_pairs():
    ball = Ball(PlanarShapes(4), np.exp(2j * np.pi * np.arange(4) / 4), 0.3)
    numbers = ball.space.frame_exp(ball.center, 0.25 * np.eye(4))
    pairs = np.stack([numbers.real, numbers.imag], axis=-1)
    alone = ball.admit(pairs).records
    assert_only_the_odd_one_is_none(ball, list(pairs), alone)
    admitted = ball.admit([pairs[0], 1j * pairs[1], *pairs[1:]])
    assert list(admitted.invalid) == [1]
    np.testing.assert_array_equal(np.delete(admitted.records, 1, axis=0), alone)


@EACH
@pytest.mark.parametrize("count", [1, 3])
def test_records_that_are_no_numbers_at_all_count_as_the_centre(space, count):
    """Under the public policy no data set of n records is refused, the worst one included."""
    ball = some_balls(space)[1]
    good = ball.center if np.iscomplexobj(ball.center) else ball.center.tolist()
    odd = ["north", None, [], np.zeros(7), {"a": 1}, object()]
    for records in ([one] * count for one in odd):
        admitted = ball.admit([*records, "south"])
        assert sorted(admitted.invalid) == list(range(count + 1))
        np.testing.assert_array_equal(admitted.records, np.stack([ball.center] * (count + 1)))
        assert sorted(ball.admit([*records, good]).invalid) == list(range(count))


def test_landmarks_as_pairs_are_refused_where_preshapes_belong():
    """Formerly wrong numbers in silence."""
    space = PlanarShapes(4)
    pairs = np.random.default_rng(9).standard_normal((5, 4, 2))
    shapes = space.canonical(pairs)
    for call in (space.dist, space.log, space.exp):
        for arguments in ((shapes[0], pairs), (pairs, shapes), (shapes[0], shapes[:, :3])):
            with pytest.raises(GeomdpError, match="takes preshapes"):
                call(*arguments)
    with pytest.raises(InvalidRecordError, match="second last axis"):
        Ball(space, shapes[0], 0.3).admit(pairs[:, :, 0])


@pytest.mark.parametrize(
    ("space", "center", "radius"),
    [
        (Euclidean(2), np.zeros(2), 1e200),
        (Euclidean(2), np.full(2, 1e200), 1e190),
        (Euclidean(2), np.zeros(2), 1e-160),
        (SPD(2), 1e-200 * np.eye(2), 1.0),
        (SPD(2, metric="log-euclidean"), 1e200 * np.eye(2), 1.0),
    ],
    ids=str,
)
def test_balls_beyond_the_squares_of_floats_are_refused(space, center, radius):
    with pytest.raises(GeomdpError, match="floating-point"):
        Ball(space, center, radius)


@pytest.mark.parametrize("curvature", [1e-308, 1e308, float("nan")])
def test_spheres_beyond_the_squares_of_floats_are_refused(curvature):
    with pytest.raises(GeomdpError, match="curvature"):
        Sphere(2, curvature=curvature)


def test_a_singular_value_lost_to_rounding_has_a_finite_log():
    lost, kept = decompositions.log_of_square(np.array([0.0, 1.0]))
    assert np.isfinite(lost)
    assert lost < -700
    assert kept == 0
