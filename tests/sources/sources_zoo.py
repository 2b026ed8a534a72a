"""What a curator may hand in beside records, and statistics of every kind to hand it to."""

import datetime
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd

import geomdp as dp
from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, Matern
from geomdp.readings import Compositions, Directions, Scaled, UnitVectors
from geomdp.statistics.map_mean import MapMean
from geomdp_papers.point_mean import PointMean

N = 6


class Raising:
    """An object that raises whatever it is asked."""

    def _raise(self, *_: Any, **__: Any) -> Any:
        raise RuntimeError("no")

    __array__ = __len__ = __float__ = __iter__ = __getitem__ = __repr__ = __str__ = _raise
    __eq__ = __ne__ = __bool__ = __complex__ = __int__ = __index__ = _raise  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


class Endless:
    """An object that says that it is longer than memory."""

    def __len__(self) -> int:
        return 10**15

    def __getitem__(self, place: int) -> float:
        return 1.0


def zoo() -> dict[str, Any]:
    """Objects of which none is a record of any statistic."""
    table = np.array([(1.0, 2)], dtype=[("a", float), ("b", int)])
    return {
        "None": None,
        "NA": pd.NA,
        "NaT": pd.NaT,
        "text": "north",
        "empty text": "",
        "digits": "1.5",
        "bytes": b"\xff\x00",
        "dict": {"a": 1},
        "set": {1.0, 2.0, 3.0},
        "frozenset": frozenset({1}),
        "empty": [],
        "visits": ([], []),
        "text visits": (["a"] * 5, [1.0] * 5),
        "huge visits": ([10**400] * 5, [1.0] * 5),
        "no times": (None, [1.0] * 5),
        "three": ([1.0], [2.0], [3.0]),
        "ragged": [[1, 2], [3]],
        "nested": [[[[[[1.0]]]]]],
        "scalar": 1.0,
        "0-d": np.array(1.0),
        "huge": 10**400,
        "complex": 1j,
        "bool": True,
        "date": datetime.date(2020, 1, 1),
        "datetime64": np.datetime64("2020-01-01", "ns"),
        "durations": np.ones(3, "m8[ns]"),
        "Decimal": Decimal("1e999999"),
        "Fraction": Fraction(1, 3),
        "masked": np.ma.masked_all(3),
        "structured": table,
        "void": table[0],
        "generator": (i for i in range(3)),
        "raising": Raising(),
        "endless": Endless(),
        "raising inside": [Raising(), 1.0, 2.0],
        "function": len,
        "type": object,
        "long": list(range(1000)),
        "empty matrix": np.empty((0, 3)),
        "frame": pd.DataFrame({"a": [1, 2]}),
    }


#: What may stand in one cell of a good record and spoils it.
CELLS = {
    "None": None,
    "NA": pd.NA,
    "NaN": np.nan,
    "text": "x1",
    "n/a": "n/a",
    "huge": 10**400,
    "complex": 1j,
    "list": [1.0],
    "date": datetime.datetime(2020, 1, 1),
    "raising": Raising(),
}


@dataclass(frozen=True, eq=False)
class Case:
    """A statistic, good records for it, and the reading of its plan."""

    name: str
    statistic: Any
    records: Any
    reading: Any = None
    covariates: dict[str, Any] = field(default_factory=dict)

    def data(self, points: Any, places: Any = None, **columns: Any) -> Any:
        """Records with the covariates of the good ones at these places."""
        if not self.covariates:
            return dp.Records(points, **columns) if columns else points
        chosen = range(len(points)) if places is None else places
        cells = {
            name: [column[place] for place in chosen] for name, column in self.covariates.items()
        }
        return dp.Records(points, covariates=cells, **columns)

    def rows(self, points: Any, places: Any = None) -> tuple[np.ndarray, dict[int, str]]:
        """What the records become behind the door, and which are none."""
        data = self.data(points, places)
        if self.reading is not None:
            shape = self.statistic.record_shape
            raw = self.reading.complaints(dp.Records(data), shape)
            data = self.reading.records(dp.Records(data), "public", shape).points[:]
            admitted = self.statistic.admit(data)
            return admitted.records, {**admitted.invalid, **raw}
        admitted = self.statistic.admit(data)
        return admitted.records, dict(admitted.invalid)

    def plan(self, n: int = N, **options: Any) -> Any:
        if "public" in self.statistic.policies:
            options.setdefault("invalid", "public")
        return dp.plan(self.statistic, n=n, budget=dp.GDP(1e4), reading=self.reading, **options)


def _points(ball: Any, seed: int = 0, scale: float = 0.4) -> np.ndarray:
    rng = np.random.default_rng(seed)
    v = scale * ball.radius * rng.standard_normal((N, ball.space.dim)) / np.sqrt(ball.space.dim)
    return np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, v)))


def _balls() -> Iterator[tuple[str, Any]]:
    corner = np.concatenate([np.zeros((1, 3)), np.diag([1.0, 2.0, 3.0]), np.ones((1, 3))])
    product = dp.Product(dp.Rotations(), dp.Euclidean(2), weights=(1.0, 0.25))
    for space, center, radius in [
        (dp.Euclidean(3), np.zeros(3), 1.0),
        (dp.Sphere(2), [0.0, 0.0, 1.0], 0.5),
        (dp.Hyperbolic(2), [0.0, 0.0, 1.0], 0.5),
        (dp.SPD(2), np.eye(2), 1.0),
        (dp.SPD(3), np.eye(3), 1.0),
        (dp.SPD(2, "log-euclidean"), np.eye(2), 1.0),
        (dp.PlanarShapes(4), [0, 1, 1 + 1j, 1j], 0.2),
        (dp.Rotations(), [0.0, 0.0, 0.0, 1.0], 0.5),
        (dp.Correlation(3), np.eye(3), 1.0),
        (dp.SizeAndShape(5), corner, 0.5),
        (dp.Shapes(5), corner, 0.3),
        (product, product.origin(np.zeros(1)), 0.5),
    ]:
        yield space.spec, dp.Ball(space, center, radius)


def _curves(resampling: str | None, registration: str | None = None) -> Case:
    grid = IntervalGrid(np.linspace(0, 1, 12))
    mean = FunctionMean(
        np.sin(grid.points),
        1.0,
        Matern(0.5),
        0.1,
        grid,
        resampling=resampling,
        registration=registration,
    )
    records = mean.template + 0.2 * np.random.default_rng(1).standard_normal((N, 12))
    return Case(f"curves {resampling} {registration}", mean, records)


def cases() -> list[Case]:
    """Statistics of every kind, each with good records."""
    found = []
    for spec, ball in _balls():
        made = dp.TangentMean(ball) if ball.is_wide else dp.FrechetMean(ball)
        found.append(Case(spec, made, _points(ball)))
    sphere = dp.Ball(dp.Sphere(2), [0.0, 0.0, 1.0], 0.5)
    spd = dp.Ball(dp.SPD(2), np.eye(2), 1.0)
    flat = dp.Ball(dp.SPD(2, "log-euclidean"), np.eye(2), 1.0)
    rng = np.random.default_rng(2)
    found += [
        Case("tangent", dp.TangentMean(sphere), _points(sphere, 3)),
        Case("moments", dp.Moments(sphere), _points(sphere, 4)),
        Case("matrices of rotations", found[7].statistic, _matrices(found[7])),
        Case("pairs of landmarks", found[6].statistic, _pairs(found[6].records)),
        Case(
            "regression",
            dp.Regression(spd, covariates={"age": (20, 90), "sex": ("f", "m")}),
            _points(spd, 5),
            covariates={"age": [30, 40.5, "50", 60, 70, 80], "sex": ["f", "m"] * 3},
        ),
        Case("maps", MapMean(flat, 3), np.stack([_points(flat, i)[:3] for i in range(N)])),
        Case("points", PointMean(np.zeros((4, 2)), 1.0), 0.3 * rng.standard_normal((N, 4, 2))),
        *(_curves(rule) for rule in (None, "fit", "linear", "pchip")),
        _curves("fit", "elastic"),
        Case("closed curves", _loops(), 0.1 * rng.standard_normal((N, 2, 8))),
        Case("compositions", dp.FrechetMean(_simplex()), _shares(), Compositions(normalize=True)),
        Case("unit vectors", dp.FrechetMean(sphere), 2 * _points(sphere, 6), UnitVectors()),
        Case("dec-inc", dp.FrechetMean(sphere), _angles(), Directions("dec-inc")),
        Case("lat-lon", dp.FrechetMean(sphere), _angles()[:, ::-1], Directions("lat-lon")),
        Case(
            "scaled",
            dp.TangentMean(dp.Ball(dp.Euclidean(2), np.zeros(2), 1.0)),
            rng.standard_normal((N, 2)) / 1000,
            Scaled(1000.0),
        ),
        _images(),
    ]
    return found


def _matrices(case: Case) -> np.ndarray:
    return np.asarray(case.statistic.ball.space.matrices(case.records))


def _pairs(z: np.ndarray) -> np.ndarray:
    return np.stack([z.real, z.imag], axis=-1)


def _loops() -> FunctionMean:
    return FunctionMean(np.zeros((2, 8)), 1.0, Matern(0.5), 0.1, CircleGrid(8))


def _simplex() -> Any:
    return dp.Ball(dp.Sphere(2), np.full(3, 1 / np.sqrt(3)), 0.5)


def _shares() -> np.ndarray:
    return np.random.default_rng(7).integers(20, 40, (N, 3)).astype(float)


def _angles() -> np.ndarray:
    rng = np.random.default_rng(8)
    return np.stack([rng.uniform(0, 360, N), rng.uniform(65, 90, N)], axis=1)


def _images() -> Case:
    from geomdp.images import descriptor_ball
    from geomdp.images.reading import Descriptors

    reading = Descriptors(8, 8)
    pixels = np.random.default_rng(9).integers(0, 256, (N, 8, 8)) / 255.0
    return Case("images", dp.TangentMean(descriptor_ball(1, (8, 8))), pixels, reading)


def objects(records: Any) -> np.ndarray:
    """The records as entries of one array of objects."""
    out = np.empty(len(records), dtype=object)
    for row, record in enumerate(records):
        out[row] = record
    return out


#: Containers that hold any objects as records.
LOOSE: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "objects": objects,
    "series": lambda records: pd.Series(objects(records), index=range(7, 7 + len(records))),
}


def tight(records: np.ndarray) -> dict[str, Any]:
    """Hold good records of numbers in containers that keep them as one array or table."""
    found: dict[str, Any] = {
        "fortran": np.asfortranarray(records),
        "objects": records.astype(object),
        "masked": np.ma.MaskedArray(records),
    }
    if not np.iscomplexobj(records):
        found["big-endian"] = records.astype(">f8")
        found["long"] = records.astype(np.longdouble)
        found["texts"] = np.array(
            [repr(x) for x in records.ravel().tolist()], dtype=object
        ).reshape(records.shape)
    if records.ndim == 2:
        found["frame"] = pd.DataFrame(records)
        found["frame of objects"] = pd.DataFrame(records.astype(object))
        if not np.iscomplexobj(records):
            found["nullable frame"] = pd.DataFrame(records).astype("Float64")
    return found
