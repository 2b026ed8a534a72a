"""Means by an embedding: exact diameters on the lattice, one record at a time, and no cut locus."""

from fractions import Fraction

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import exact_mean, lattice_sums
from geomdp.noise.lattice import Lattice, block_vectors
from geomdp.releases.verification import verify
from geomdp.sources.records import Records
from geomdp.statistics import ExtrinsicMean, encoded, statistic_from_json
from geomdp.statistics.encoded import encode
from geomdp.testing import search_neighbours

MIXED = dp.Product(dp.Sphere(2), dp.Rotations(), dp.PlanarShapes(4), weights=(1.0, 0.3, 2.0))
SPACES = [
    dp.Sphere(1),
    dp.Sphere(2),
    dp.Sphere(9, 4.0),
    dp.Axes(1),
    dp.Axes(2),
    dp.Axes(4),
    dp.Grassmannian(1, 3),
    dp.Grassmannian(2, 5),
    dp.Grassmannian(4, 6),
    dp.Rotations(),
    dp.PlanarShapes(3),
    dp.PlanarShapes(8),
    MIXED,
]
DIAMETERS = {
    **{"sphere:2": 2, "axes:2": 2**0.5, "rotations": 2**0.5, "planar-shapes:8": 2**0.5},
    **{"grassmannian:1:3": 2**0.5, "grassmannian:2:5": 2, "grassmannian:4:6": 2},
}


def anywhere(space, n, seed=0):
    """Points all over a space."""
    rng = np.random.default_rng(seed)
    if isinstance(space, dp.Product):
        return space.join(
            *(anywhere(factor, n, seed + i) for i, factor in enumerate(space.factors))
        )
    origin = space.origin(np.zeros(1))
    vectors = rng.standard_normal((n, space.dim))
    vectors *= rng.uniform(0, space.farthest, (n, 1)) / np.linalg.norm(vectors, axis=1)[:, None]
    return np.asarray(space.canonical(space.frame_exp(origin, vectors)))


def exact_square(mean, first, second, bits):
    """Squared distance of two records' coordinates on a lattice, in exact arithmetic."""
    lattice = Lattice.within(mean.radius, bits)
    step = Fraction(2) ** lattice.exponent
    sums = [
        lattice_sums(mean, lattice, block_vectors(rows[None], lattice, mean.blocks))
        for rows in (first, second)
    ]
    total = Fraction(0)
    for a, b, degree, unit in zip(*sums, mean.degrees, mean.noise_profile, strict=True):
        total += (Fraction(int(a) - int(b)) * step ** int(degree) / Fraction(float(unit))) ** 2
    return total


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_points_go_there_and_back_and_small_steps_keep_their_length(space):
    mean, points = ExtrinsicMean(space), anywhere(space, 50)
    rows = mean.encode(points)
    coordinates = mean.embedding.coordinates(rows)
    assert np.max(space.dist(points, mean.mean_point(coordinates))) < 1e-13
    assert np.max(space.dist(points, mean.records_at(rows))) < 1e-13
    np.testing.assert_allclose(mean.integer_sums(rows).astype(float), coordinates.sum(axis=0))
    steps = 1e-4 * np.random.default_rng(1).standard_normal((50, space.dim))
    moved = np.asarray(space.canonical(space.frame_exp(points[0], steps)))
    away = mean.embedding.coordinates(mean.encode(moved)) - coordinates[0]
    lengths = np.linalg.norm(away / mean.noise_profile, axis=1)
    wanted = mean.embedding.stretch * np.linalg.norm(steps, axis=1)
    np.testing.assert_allclose(lengths, wanted, rtol=1e-6)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
@pytest.mark.parametrize("bits", [3, 5, 24])
def test_integer_vectors_keep_the_diameter_exactly(space, bits):
    """Rounded to nearest and not shortened, coarse vectors lie farther apart."""
    mean = ExtrinsicMean(space)
    rows = mean.encode(anywhere(space, 60))
    far = mean.embedding.opposite(rows)
    squares = [exact_square(mean, a, b, bits) for a, b in zip(rows, far, strict=True)]
    squares += [exact_square(mean, a, b, bits) for a, b in zip(rows, rows[::-1], strict=True)]
    assert max(squares) <= mean.diameter**2
    assert float(max(squares)) > (0.999 if bits == 24 else 0.4) * float(mean.diameter) ** 2
    if space.spec in DIAMETERS:
        assert float(mean.diameter) == pytest.approx(DIAMETERS[space.spec], rel=1e-15)


def test_products_that_are_rounded_themselves_would_lie_too_far_apart():
    """Why vectors are rounded, and matrices made of the integers."""
    rng, scale, worst = np.random.default_rng(0), 2.0, 0.0
    for _ in range(400):
        u, v = np.linalg.qr(rng.standard_normal((4, 2)))[0].T
        matrices = [np.rint(scale * np.outer(w, w)) / scale for w in (u, v)]
        worst = max(worst, float(np.linalg.norm(matrices[0] - matrices[1])))
    assert worst > 1.05 * np.sqrt(2)


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_no_search_moves_it_farther_than_stated_and_one_comes_near(space):
    assert 0.99 < search_neighbours(ExtrinsicMean(space), 4, steps=60).share <= 1 + 1e-12


@pytest.mark.parametrize("radius", [0.1, 0.8, 1.5])
def test_a_cap_shortens_the_way_and_an_invalid_record_is_its_middle(radius):
    cap = dp.Ball(dp.Sphere(2), [0.0, 0.6, 0.8], radius, wide=True)
    mean = ExtrinsicMean(dp.Sphere(2), cap)
    assert float(mean.diameter) == pytest.approx(2 * np.sin(radius), rel=1e-15)
    points = np.concatenate([anywhere(dp.Sphere(2), 200), np.full((1, 3), np.nan)])
    rows = mean.admit(points).under("public")
    np.testing.assert_array_equal(rows[-1], mean.encode(cap.center[None])[0])
    worst = max(exact_square(mean, rows[-1], row, 24) for row in rows)
    assert worst <= mean.diameter**2
    if radius == 0.1:  # the zero vector of R^3 would be far away from all of it
        zero = -np.asarray(mean.embedding.middle)
        assert np.linalg.norm(rows[-1] - zero) > 4.9 * float(mean.diameter)
    wide = ExtrinsicMean(dp.Sphere(2), dp.Ball(dp.Sphere(2), [0.0, 0.6, 0.8], 2.0, wide=True))
    assert wide.diameter == 2


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_a_record_becomes_the_same_wherever_it_stands(space):
    mean, points = ExtrinsicMean(space), anywhere(space, 40)
    rows = mean.encode(points)
    for i in (0, 17, 39):
        np.testing.assert_array_equal(mean.encode(points[i : i + 1])[0], rows[i])
        np.testing.assert_array_equal(mean.encode(points[i:])[0], rows[i])
    hostile = mean.admit(np.concatenate([points, np.full_like(points[:1], np.nan)]))
    np.testing.assert_array_equal(hostile.records[:-1], rows)
    public = mean.encode(np.asarray(mean.public_record)[None])[0]
    np.testing.assert_array_equal(hostile.records[-1], public)
    assert list(hostile.invalid) == [40]


@pytest.mark.parametrize("space", SPACES, ids=lambda space: space.spec)
def test_ties_and_nothing_are_the_public_point(space):
    mean = ExtrinsicMean(space)
    zeros = np.zeros((2, mean.noise_profile.size))
    np.testing.assert_array_equal(mean.mean_point(zeros), np.stack([mean.public_record] * 2))
    for bad in (np.nan, np.inf):
        np.testing.assert_array_equal(mean.mean_point(zeros[0] + bad), mean.public_record)
    assert space.contains(mean.mean_point(1e300 * np.ones(mean.noise_profile.size)))


@pytest.mark.parametrize("space", [dp.Sphere(2), dp.Rotations(), MIXED], ids=lambda s: s.spec)
@pytest.mark.parametrize("budget", [dp.GDP(1), dp.Pure(2), dp.ZCDP(0.5)], ids=repr)
def test_a_plan_lives_its_whole_life(space, budget, tmp_path):
    mean, points = ExtrinsicMean(space), anywhere(space, 500)
    plan = dp.plan(mean, n=500, budget=budget)
    plan.save(tmp_path / "plan.json")
    release = dp.load_plan(tmp_path / "plan.json").release(points, folder=tmp_path / "out")
    assert space.contains(mean.mean_point(release.value))
    assert verify(tmp_path / "out", plan=tmp_path / "plan.json").problems == ()
    np.testing.assert_array_equal(dp.load_release(tmp_path / "out").value, release.value)
    again = statistic_from_json(mean.to_json())
    assert again.describe() == mean.describe()


@pytest.mark.parametrize(
    "space", [dp.Sphere(2), dp.Rotations(), dp.PlanarShapes(5), MIXED], ids=lambda s: s.spec
)
def test_blocks_elsewhere_and_passes_give_the_same_sums(space, monkeypatch):
    da = pytest.importorskip("dask.array")
    mean, points = ExtrinsicMean(space), anywhere(space, 900)
    here = exact_mean(mean, encode(mean, Records(points), "refuse"))
    blocks = da.from_array(points, chunks=(211, *points.shape[1:]))
    assert exact_mean(mean, encode(mean, Records(blocks), "refuse")) == here
    last = mean.records_at(np.tile(np.r_[np.zeros(mean.vector_dim - 1), 1.0], (300, 1)))
    ends = da.from_array(last, chunks=(100, *last.shape[1:]))  # as large as sums can be
    exact_mean(mean, encode(mean, Records(ends), "refuse"))
    monkeypatch.setattr(encoded, "KEPT_NUMBERS", 0)
    assert exact_mean(mean, encode(mean, Records(points), "refuse")) == here


def test_a_person_is_the_mean_of_their_records_and_keeps_the_diameter():
    space = dp.Rotations()
    mean = ExtrinsicMean(space)
    half = np.array([1.0, 0.0, 0.0, 0.0])  # half a turn: the cut locus of the identity
    turns = 0.1 * np.random.default_rng(3).standard_normal((90, 3))
    points = np.asarray(space.canonical(space.frame_exp(half, turns)))
    plan = dp.plan(mean, n=31, budget=dp.GDP(1000), unit=dp.Unit.person())
    who = np.repeat(np.arange(100, 130), 3)
    ready = plan.prepare(dp.Records(points, person=who))
    rows = np.concatenate(list(ready.encoded.chunks()))
    persons = mean.records_at(rows)
    for i in (0, 29):
        own = mean.mean_point(mean.estimate(mean.encode(points[who == 100 + i])))
        assert float(space.dist(persons[i], own)) < 1e-12
    np.testing.assert_array_equal(rows[30], mean.encode(np.asarray(mean.public_record)[None])[0])
    assert np.max(np.abs(np.linalg.norm(rows, axis=1) - 1)) < 1e-12
    alone = plan.prepare(dp.Records(points[who == 107], person=who[who == 107]))
    np.testing.assert_array_equal(np.concatenate(list(alone.encoded.chunks()))[0], rows[7])


def test_what_has_no_embedding_is_refused_in_a_sentence():
    with pytest.raises(GeomdpError, match="no embedding"):
        ExtrinsicMean(dp.SPD(2))
    with pytest.raises(GeomdpError, match="no embedding"):
        ExtrinsicMean(dp.Product(dp.Sphere(2), dp.Euclidean(1)))
    with pytest.raises(GeomdpError, match="same space"):
        ExtrinsicMean(dp.Sphere(2), dp.Ball(dp.Sphere(3), [0, 0, 0, 1], 1.0))


def shares_of(n, parts, seed=0):
    """Square roots of compositions, many of whose shares are 0."""
    shares = np.random.default_rng(seed).dirichlet(np.full(parts, 0.1), n)
    return np.sqrt(shares)


@pytest.mark.parametrize("bits", [3, 5, 24])
def test_compositions_keep_a_smaller_diameter_in_integers(bits):
    mean = ExtrinsicMean(dp.Sphere(6), positive=True)
    rows = np.concatenate([mean.encode(shares_of(60, 7)), np.eye(7)])
    others = [*rows[::-1], *mean.embedding.opposite(rows), mean.public_row]
    squares = [exact_square(mean, a, b, bits) for a in rows[-9:] for b in others]
    assert max(squares) <= 2 <= mean.diameter**2 < Fraction(2) + Fraction(1, 2**50)
    assert float(max(squares)) > 1.99 * (1 if bits == 24 else 0.4)
    assert search_neighbours(mean, 4, steps=60).share > 0.99


def test_a_record_below_0_is_the_public_composition_and_would_lie_too_far_away():
    mean = ExtrinsicMean(dp.Sphere(2), positive=True)
    points = np.array([[0.6, 0.8, 0.0], [-0.6, 0.8, 0.0], [np.nan, 0.0, 1.0]])
    admitted = mean.admit(points)
    assert sorted(admitted.invalid) == [1, 2]
    np.testing.assert_array_equal(admitted.records[1:], np.stack([mean.public_row] * 2))
    np.testing.assert_allclose(mean.public_row, 3**-0.5)
    kept = ExtrinsicMean(dp.Sphere(2)).encode(np.array([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0]]))
    assert np.linalg.norm(kept[0] - kept[1]) > 1.4 * float(mean.diameter)  # what it is without
    value = mean.mean_point(np.array([0.3, -0.2, 0.4]))
    np.testing.assert_allclose(value, [0.6, 0.0, 0.8])  # nearest without entries below 0


def test_positive_entries_are_refused_where_they_say_nothing():
    for space, cap in (
        (dp.Axes(2), None),
        (dp.Sphere(2, 4.0), None),
        (dp.Sphere(2), dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)),
    ):
        with pytest.raises(GeomdpError, match="whole unit sphere"):
            ExtrinsicMean(space, cap, positive=True)
    for floor in (0.0, 1.5, float("nan")):
        with pytest.raises(GeomdpError, match="floor"):
            ExtrinsicMean(dp.Sphere(2), floor=floor)


def both_ways(n, seed, spread=0.4):
    """Vectors about an axis, with polarities by chance."""
    rng = np.random.default_rng(seed)
    points = np.array([0.0, 0.6, 0.8]) + spread * rng.standard_normal((n, 3))
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    return points * rng.choice([-1.0, 1.0], (n, 1))


def test_an_axis_is_found_from_both_polarities_and_a_direction_is_not():
    points = both_ways(2000, 4)
    plan = dp.plan(ExtrinsicMean(dp.Axes(2)), n=2000, budget=dp.GDP(1))
    found = dp.extrinsic_of(plan.release(points))
    truth = np.linalg.eigh(points.T @ points)[1][:, -1]
    assert abs(found.mean @ truth) > np.cos(6 * found.error)
    assert found.concentration is None
    directions = dp.plan(ExtrinsicMean(dp.Sphere(2)), n=2000, budget=dp.GDP(1))
    assert dp.extrinsic_of(directions.release(points)).length < 0.1
    assert found.length > 0.5


@pytest.mark.parametrize("budget", [dp.GDP("0.3"), dp.Pure(1)], ids=repr)
@pytest.mark.parametrize("cap", [None, 1.2], ids=["anywhere", "cap"])
def test_length_and_errors_of_what_was_released_are_those_of_many_releases(budget, cap):
    space = dp.Sphere(2)
    points = both_ways(400, 5, 0.6)
    points *= np.sign(points @ [0.0, 0.6, 0.8])[:, None]
    ball = None if cap is None else dp.Ball(space, [0.0, 0.6, 0.8], cap, wide=True)
    mean = ExtrinsicMean(space, ball)
    plan = dp.plan(mean, n=400, budget=budget)
    truth = mean.estimate(mean.encode(points))
    found = [dp.extrinsic_of(plan.release(points)) for _ in range(120)]
    lengths = np.array([one.length for one in found])
    assert abs(lengths.mean() - mean.length(truth)) < 4 * lengths.std() / 11 + 1e-3
    assert np.mean([one.length_error for one in found]) == pytest.approx(lengths.std(), rel=0.3)
    away = [float(space.dist(one.mean, mean.mean_point(truth))) for one in found]
    assert np.mean([one.error for one in found]) == pytest.approx(np.mean(away), rel=0.3)
    kappas = [one.concentration for one in found]
    told = np.mean([one.concentration_error for one in found])
    assert told == pytest.approx(np.std(kappas), rel=0.4)
    floored = ExtrinsicMean(space, ball, floor=mean.length(truth))
    forecast = dp.plan(floored, n=400, budget=budget).expected_error
    assert forecast == pytest.approx(np.mean(away), rel=0.3)
    if cap is None:
        assert plan.expected_error < 0.9 * forecast


def test_what_is_typed_is_planned_without_a_ball_and_shown(tmp_path, with_reports):
    from typer.testing import CliRunner

    from geomdp.cli import app

    np.save(tmp_path / "shares.npy", shares_of(300, 4, 6) ** 2)
    out, plan = tmp_path / "out", tmp_path / "plan.json"
    typed = ["--space", "sphere:3", "--compositions", "--statistic", "extrinsic-mean", "--n", "300"]
    typed += ["--mu", "1", "--length-floor", "0.5", "--out", str(plan)]
    result = CliRunner().invoke(app, ["plan", *typed])
    assert result.exit_code == 0, result.output
    asked = dp.load_plan(plan).statistic
    assert (asked.positive, asked.cap, asked.floor) == (True, None, 0.5)
    data = [str(plan), str(tmp_path / "shares.npy"), "--out", str(out)]
    result = CliRunner().invoke(app, ["release", *data])
    assert result.exit_code == 0, result.output
    page = (out / "report.html").read_text()
    assert "esultant length" in page
    assert "nearest point" in page
    assert verify(out, plan=plan).problems == ()


def test_only_an_extrinsic_mean_has_a_length():
    ball = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
    release = dp.plan(dp.TangentMean(ball), n=9, budget=dp.GDP(1)).release([[0.0, 0.0, 1.0]] * 9)
    with pytest.raises(GeomdpError, match="extrinsic mean"):
        dp.extrinsic_of(release)


def test_a_shorter_mean_points_the_same_way_also_from_the_middle_of_a_cap():
    cap = dp.Ball(dp.Sphere(2), [0.0, 0.6, 0.8], 1.2, wide=True)
    for mean in (ExtrinsicMean(dp.Sphere(2), cap), ExtrinsicMean(dp.Axes(2)), ExtrinsicMean(MIXED)):
        at = mean.embedding.coordinates(mean.encode(np.asarray(mean.public_record)[None]))
        short = mean.embedding.shortened(at, 0.25)
        assert mean.length(short) == pytest.approx(0.25)
        assert float(mean.space.dist(mean.mean_point(short)[0], mean.public_record)) < 1e-12


def test_what_noise_adds_to_a_length_is_taken_off():
    mean = ExtrinsicMean(dp.Sphere(2))
    points = np.concatenate([np.eye(3), -np.eye(3)] * 10)  # of length 0
    plan = dp.plan(mean, n=60, budget=dp.GDP("0.1"))
    releases = [plan.release(points) for _ in range(60)]
    raw = np.mean([mean.length(one.value) ** 2 for one in releases])
    found = np.mean([dp.extrinsic_of(one).length ** 2 for one in releases])
    assert found < 0.6 * raw
