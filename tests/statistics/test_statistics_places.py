"""What a record becomes depends on that record alone, bit for bit.

Not on its place, on how many records there are, on how they lie in memory, or on who stands beside
it: a product of matrices or a sum that chose its kernel by the size of a batch would let one record
reach all others through their last digits (docs/theory/clipping.md).
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    FunctionMoments,
    FunctionRegression,
    IntervalGrid,
    JointKernel,
    Matern,
    PoweredExponential,
    RingGrid,
    clipped_curves,
)
from geomdp.images import Descriptors, covariance_descriptors
from geomdp.noise.lattice import Lattice, block_vectors
from geomdp.plans.pooling import one_record_a_person
from geomdp.readings import Compositions, Directions, Scaled, Signals, UnitVectors
from geomdp.readings.base import READINGS
from geomdp.spaces import SPACES, space_from_spec
from geomdp.spaces.ball import largest_radius
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.clipped_share import ClippedShare
from geomdp.statistics.cover_radius import CoverLength, CoverRadius
from geomdp.statistics.encoded import encode
from geomdp.statistics.map_mean import MapMean
from geomdp.statistics.pooling import TangentPooling
from geomdp.testing.hostile import hostile_records
from geomdp.typing import Array
from geomdp_papers.point_mean import PointMean

#: Turns a batch into one row a record.
Rows = Callable[[Any], Array]

SIZES = (1, 2, 3, 5, 7, 8, 16, 17, 31, 33, 64, 100)
#: Records of a case, and how many of them are followed through all batches.
POOL, FOLLOWED = 60, 2

#: Every family of spaces, small and large: libraries change their kernels with the size.
SPECS = (
    "sphere:1",
    "sphere:2",
    "sphere:9",
    "sphere:2:0.25",
    "euclidean:3",
    "euclidean:40",
    "hyperbolic:2",
    "hyperbolic:12",
    "spd:2",
    "spd:3",
    "spd:4",
    "spd:9",
    "spd:3:log-euclidean",
    "spd:9:log-euclidean",
    "correlation:3",
    "correlation:7",
    "axes:4",
    "grassmannian:2:5",
    "rotations",
    "planar-shapes:4",
    "planar-shapes:30",
    "size-and-shape:6:3",
    "shapes:6:3",
    "shapes:9:2",
    "product:sphere:2*1.0+euclidean:3*0.5",
    "product:spd:3*1.0+hyperbolic:2*2.0",
)


def center_of(space: Space) -> Array:
    """Some regular point that is not the origin."""
    rng = np.random.default_rng(5)
    if space.chart_only:
        numbers = rng.standard_normal(space.point_shape) + np.ones(space.point_shape)
        return space.require(space.canonical(numbers))
    way = 0.3 * rng.standard_normal(space.dim) / np.sqrt(space.dim)
    return np.asarray(space.canonical(space.frame_exp(space.origin(np.zeros(space.dim)), way)))


def ball_on(spec: str, shaped: bool = False) -> dp.Ball:
    space = space_from_spec(spec)
    radius = min(1.0, 0.6 * (0.5 if space.chart_only else largest_radius(space)))
    spread = np.diag(np.linspace(1.0, 3.0, space.dim)) + 0.1
    return dp.Ball(space, center_of(space), radius, form=spread if shaped else None)


def records_about(ball: dp.Ball) -> Array:
    """Ordinary records inside and outside, and hostile ones."""
    rng = np.random.default_rng(11)
    v = rng.standard_normal((POOL // 2, ball.space.dim))
    v *= ball.radius * rng.uniform(0.1, 1.6, (POOL // 2, 1)) / np.linalg.norm(v, axis=1)[:, None]
    near = np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, v)))
    return np.concatenate([near, hostile_records(ball.space, ball, POOL // 2, rng)])


def batches(few: int) -> Iterator[list[int]]:
    """Batches of every size: each followed record first, last and somewhere."""
    rng = np.random.default_rng(2)
    for size in SIZES:
        for one in rng.choice(POOL, size=few, replace=False).tolist():
            for place in {0, size - 1, int(rng.integers(size))}:
                batch = rng.integers(POOL, size=size).tolist()
                batch[place] = one
                yield batch


def layouts(records: Array) -> Iterator[Array]:
    """The same numbers as they may lie in memory."""
    yield np.asfortranarray(records)
    yield records[::-1].copy()[::-1]
    yield np.repeat(records, 2, axis=0)[::2]
    wider = np.zeros((*records.shape[:-1], records.shape[-1] + 3), dtype=records.dtype)
    wider[..., 1:-2] = records
    yield wider[..., 1:-2]
    yield np.flip(np.flip(records, axis=-1).copy(), axis=-1)
    shifted = np.zeros(records.nbytes + 8, dtype=np.uint8)[8:].view(records.dtype)
    shifted = shifted.reshape(records.shape)
    shifted[...] = records
    yield shifted


def require_places_do_not_matter(
    rows: Rows, records: Any, take: Any = None, few: int = FOLLOWED
) -> None:
    """Compare every row of every batch with that of its record alone."""
    take = take or (lambda batch: records[batch])
    alone = [np.asarray(rows(take([i])))[0] for i in range(POOL)]
    with np.errstate(all="ignore"):
        for batch in batches(few):
            found = np.asarray(rows(take(batch)))
            same = [found[i].tobytes() == alone[one].tobytes() for i, one in enumerate(batch)]
            assert all(same), f"row {same.index(False)} of {len(batch)} depends on its place"
        if isinstance(records, np.ndarray):
            for number, laid in enumerate(layouts(records)):
                found = np.asarray(rows(laid))
                same = [found[i].tobytes() == alone[i].tobytes() for i in range(POOL)]
                assert all(same), f"row {same.index(False)} depends on memory layout {number}"


def test_every_family_of_spaces_is_asked():
    assert {spec.split(":")[0] for spec in SPECS} == set(SPACES)


@pytest.mark.parametrize("spec", SPECS)
@pytest.mark.parametrize("what", ["clipped", "distance", "log", "depth", "leading", "excess"])
@pytest.mark.parametrize("shaped", [False, True], ids=["round", "shaped"])
def test_points(spec: str, what: str, shaped: bool):
    ball = ball_on(spec, shaped)
    cover = CoverRadius(ball.space, ball.center, top=4.0, steps=40, outside=1)
    rows = {
        "clipped": lambda x: ball.admit(x).records,
        "distance": ball.distances,
        "log": lambda x: dp.TangentMean(ball).admit(x).records,
        "depth": lambda x: cover.admit(x).records,
        "leading": lambda x: dp.LeadingMean(ball, min(2, ball.space.dim)).admit(x).records,
        "excess": lambda x: ClippedShare(dp.TangentMean(ball), cap=1.0).admit(x).records,
    }
    if what == "leading" and not shaped:
        pytest.skip("round balls have no leading directions")
    require_places_do_not_matter(rows[what], records_about(ball))


@pytest.mark.parametrize("spec", SPECS)
def test_vectors_of_persons(spec: str):
    ball = ball_on(spec)
    at = TangentPooling(ball.space, ball.center, ball.radius)
    require_places_do_not_matter(lambda x: at.vectors(x).records, records_about(ball))


@pytest.mark.parametrize("spec", SPECS)
def test_records_of_persons(spec: str):
    ball = ball_on(spec)
    at = TangentPooling(ball.space, ball.center, ball.radius)
    require_places_do_not_matter(at.records, at.vectors(records_about(ball)).records)


# --- statistics of other records ----------------------------------------------------------------


def curves(shape: tuple[int, ...], gaps: bool = False) -> Array:
    rng = np.random.default_rng(3)
    made = np.cumsum(rng.standard_normal((POOL, *shape)), axis=-1) / shape[-1]
    made[::3] *= 40.0
    made[5], made[6, ..., 0] = 1e300, -1e-300
    if gaps:
        made[:8:4, ..., shape[-1] // 3 : shape[-1] // 2] = np.nan
        made[9] = np.nan
    return made


ANGLES = CircleGrid(33)
INTERVAL = IntervalGrid(np.linspace(0, 1, 41))
RINGS = RingGrid(IntervalGrid(np.linspace(0, 1, 6)), CircleGrid(17))
BOTH = JointKernel(Matern(0.5), PoweredExponential(1.0))
CURVES = {
    "circle": FunctionMean(np.zeros(33), 1.0, PoweredExponential(1.0), 0.01, ANGLES),
    "interval": FunctionMean(np.zeros(41), 1.0, Matern(0.3), 0.01, INTERVAL),
    "channels": FunctionMean(np.zeros((3, 41)), 1.0, Matern(0.3), 0.01, INTERVAL),
    "one channel": FunctionMean(np.zeros((1, 41)), 1.0, Matern(0.3), 0.01, INTERVAL),
    "rings": FunctionMean(np.zeros((2, 6, 17)), 1.0, BOTH, 0.01, RINGS),
    "one ring": FunctionMean(np.zeros((6, 17)), 1.0, BOTH, 0.01, RINGS),
    "terms": FunctionMean(np.zeros(200), 1.0, Matern(0.3), 0.01, terms=7),
    "long": FunctionMean(np.zeros(200), 1.0, Matern(0.3), 0.01),
}


@pytest.mark.parametrize("name", CURVES)
def test_curves(name: str):
    asked = CURVES[name]
    records = curves(asked.template.shape, gaps=asked.fills_gaps)
    cover = CoverLength(asked, top=4.0, steps=40, outside=1)

    def rows(batch: Any) -> Array:
        lengths, depths = asked.lengths(batch).records, cover.admit(batch).records
        coordinates = to_integers(asked, asked.admit(batch).records)
        return np.column_stack([coordinates, lengths.view(np.int64), depths])

    require_places_do_not_matter(rows, records)
    require_places_do_not_matter(lambda x: asked.pooling.vectors(x).records, records, few=1)


@pytest.mark.parametrize("asked", [CURVES["long"], CoverLength(CURVES["long"], 4.0, 40, 1)])
def test_other_persons_are_not_moved_by_one(asked: Any, monkeypatch: pytest.MonkeyPatch):
    """However many records somebody has, the rows of all others stay: also those of a radius."""
    monkeypatch.setattr(clipped_curves, "CHUNK", 20)  # so that the last of 21 comes alone
    rng = np.random.default_rng(9)
    others, names = curves((200,))[:40], np.repeat([f"p{i:02}" for i in range(20)], 2)

    def rows(mine: Array) -> Array:
        points, person = np.concatenate([mine, others]), np.r_[["a"] * len(mine), names]
        order = rng.permutation(len(points))
        records = dp.Records(points[order], person=person[order])
        pooled = one_record_a_person(asked, records, 21, "public")
        # Whoever has no record comes last in the roster, and all others move up.
        found = np.asarray(encode(asked.of_persons, pooled, "public"))
        return found[1:] if len(mine) else found[:-1]

    first = rows(others[:1])
    for mine in (others[:0], others[:7], np.full((3, 200), 1e300), np.full((1, 200), np.nan)):
        assert rows(mine).tobytes() == first.tobytes()


@pytest.mark.parametrize("grid", [CircleGrid(20), IntervalGrid(np.linspace(0, 1, 20))])
@pytest.mark.parametrize("shape", [(20,), (2, 20)])
def test_curves_that_are_registered(grid: Any, shape: tuple[int, ...]):
    template = np.broadcast_to(np.sin(2 * np.pi * grid.points), shape)
    asked = FunctionMean(template, 1.0, Matern(0.3), 0.01, grid, registration="elastic")
    require_places_do_not_matter(lambda x: asked.admit(x).records, curves(shape, gaps=True), few=1)


def covariates() -> dict[str, Array]:
    rng = np.random.default_rng(8)
    ages = rng.uniform(0, 100, POOL)
    ages[7] = np.nan
    sexes = rng.choice(["f", "m", "?"], POOL)
    return {"age": ages, "sex": sexes, "group": rng.choice(["a", "b", "a longer one"], POOL)}


DECLARED = {"age": (20, 90), "sex": ("f", "m")}


EMBEDDED = (
    "sphere:9",
    "axes:4",
    "grassmannian:2:5",
    "rotations",
    "planar-shapes:6",
    "product:rotations*1.0+sphere:2*0.5",
)


def extrinsic(spec: str) -> tuple[Any, Array]:
    ball = ball_on(spec)
    cap = ball if spec.startswith("sphere") else None
    return STATISTICS["extrinsic-mean"](ball.space, cap), records_about(ball)


def other_statistics() -> dict[str, tuple[Any, Any]]:
    """Every other statistic of the registry, with records."""
    ball, flat = ball_on("sphere:9"), ball_on("spd:3:log-euclidean")
    points, voxels = records_about(ball), records_about(flat)
    maps = np.stack([np.roll(voxels, i, axis=0)[:5] for i in range(POOL)])
    landmarks = 3 * np.random.default_rng(4).standard_normal((POOL, 7, 3))
    landmarks[3, 2, 1] = np.inf
    leading = CURVES["terms"]
    return {
        "frechet-mean": (dp.FrechetMean(ball), points),
        **{f"extrinsic-mean {spec}": extrinsic(spec) for spec in EMBEDDED},
        "moments": (dp.Moments(ball_on("sphere:9", shaped=True)), points),
        "distance-histogram": (
            STATISTICS["distance-histogram"](ball.space, ball.center, 2.0, 8),
            points,
        ),
        "dispersion": (STATISTICS["dispersion"](ball), points),
        "map-mean": (MapMean(flat, 5, bound=0.2), maps),
        "point-mean": (PointMean(np.zeros((7, 3)), 0.5), landmarks),
        "point-mean each": (PointMean(np.zeros((7, 3)), 0.5, "each"), landmarks),
        "regression": (dp.Regression(ball, DECLARED), points),
        "normative-region": (dp.NormativeRegion(ball), points),
        "classes": (dp.Classes(ball, ("a", "b", "unknown")), points),
        "whitened-radius": (whitened(ball), points),
        "distribution-mean": (dp.DistributionMean(-1, 1, tau=0.4), np.sort(curves((200,)))),
        "function-moments": (FunctionMoments(leading), curves((200,))),
        "function-regression": (FunctionRegression(leading, DECLARED), curves((200,))),
    }


def whitened(ball: Any) -> Any:
    """Return distances in units of a covariance that weighs no two directions alike."""
    rng, dim = np.random.default_rng(6), ball.space.dim
    mean, root = rng.standard_normal(dim) / 9, rng.standard_normal((dim, dim))
    return STATISTICS["whitened-radius"](ball, mean, root, 0.95, 0.0, 8.0, 24, outside=1)


@pytest.mark.parametrize("name", other_statistics())
def test_other_statistics(name: str):
    asked, records = other_statistics()[name]

    def rows(batch: Any) -> Array:
        return to_integers(asked, asked.admit(batch).records)

    if not asked.covariate_names:
        require_places_do_not_matter(rows, records)
        return
    columns = covariates()

    def take(batch: list[int]) -> dp.Records:
        beside = {name: column[batch] for name, column in columns.items()}
        return dp.Records(records[batch], covariates=beside)

    require_places_do_not_matter(rows, None, take)


def to_integers(asked: Any, rows: Array) -> Array:
    """Rows as a release adds them up: integers, of linear statistics."""
    view = asked.as_linear()
    if view is None:
        return rows
    vectors = view.to_coordinates(rows)
    lattice = Lattice.within(view.linear.radius)
    rounded = block_vectors(np.asfortranarray(vectors), lattice, view.linear.blocks)
    return np.asarray(view.linear.kept_short(rounded, lattice.largest_square))


def test_every_statistic_is_asked():
    shown_above = {"tangent-mean", "cover-radius", "cover-length", "function-mean"}
    shown_above |= {"leading-mean", "clipped-share"}
    # Rings of curves; no records at all; moments, and then a whitened radius.
    by_curves_and_by_points = {"surface-mean", "summary", "normative-region"}
    named = {name.split()[0] for name in other_statistics()}
    assert named | shown_above | by_curves_and_by_points == set(STATISTICS)


# --- readings and images ------------------------------------------------------------------------


def readings() -> dict[str, tuple[Any, Array]]:
    rng = np.random.default_rng(6)
    shares = rng.dirichlet(np.ones(9), POOL)
    shares[4], shares[5] = np.nan, -1.0
    images = rng.integers(0, 256, (POOL, 13, 11)).astype(float) / 255
    images[8] = 0.5
    vectors = rng.standard_normal((POOL, 10)) * 10.0 ** rng.uniform(-200, 200, (POOL, 1))
    angles = rng.uniform(-90, 90, (POOL, 2))
    angles[2] = 400.0
    signals = rng.standard_normal((POOL, 9, 37)) * 10.0 ** rng.uniform(-9, 9, (POOL, 1, 1))
    signals[3, 2] = 1.0
    return {
        "unit-vectors": (UnitVectors(), vectors),
        "directions": (Directions("dec-inc"), angles),
        "directions lat-lon": (Directions("lat-lon"), angles),
        "compositions": (Compositions(), shares),
        "compositions of counts": (Compositions(normalize=True), 100 * shares),
        "scaled": (Scaled(0.1), vectors),
        "signals": (Signals(9, 37, gain=1e6), signals),
        "signals shrunk": (Signals(9, 37, shrink=0.1), signals),
        "descriptors": (Descriptors(13, 11), images),
    }


@pytest.mark.parametrize("name", readings())
def test_readings(name: str):
    reading, raw = readings()[name]
    require_places_do_not_matter(lambda x: reading.points(x, raw.shape[1:]), raw)


def test_every_reading_is_asked():
    assert {name.split()[0] for name in readings()} == set(READINGS)


def test_colour_images():
    images = np.random.default_rng(6).integers(0, 256, (POOL, 13, 11, 3)).astype(np.uint8)
    require_places_do_not_matter(covariance_descriptors, images)


# --- the test can fail --------------------------------------------------------------------------


def test_a_product_of_all_rows_at_once_is_noticed(monkeypatch: pytest.MonkeyPatch):
    """The mutant: one product of BLAS for a batch, as it was."""
    monkeypatch.setattr(linalg, "row_product", lambda rows, matrix: rows @ matrix)
    for asked, records in (
        (CURVES["long"], curves((200,))),
        (dp.TangentMean(ball_on("sphere:9", shaped=True)), records_about(ball_on("sphere:9"))),
    ):
        with pytest.raises(AssertionError, match="depends on its place"):
            require_places_do_not_matter(lambda x, asked=asked: asked.admit(x).records, records)
