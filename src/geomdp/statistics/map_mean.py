"""The statistic ``MapMean``: a mean in every voxel, of people who have one record in each."""

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError
from geomdp.options import PUBLIC, Given, Option, OptionError, read_number
from geomdp.serial import Document, array_from_json, array_to_json
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import linalg
from geomdp.spaces.options import ALIKE, BALL
from geomdp.spaces.rows import real_rows
from geomdp.statistics.asking import SUBJECTS, Subject
from geomdp.statistics.base import STATISTICS, CheckFindings
from geomdp.statistics.frechet import FrechetMean
from geomdp.statistics.linear import Shrinkable
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: Voxels of a grid at most: ten times an image of a tenth of a millimetre of a whole head.
MOST_VOXELS = 2**34


@dataclass(frozen=True, eq=False)
class VoxelGrid:
    """The voxels of a public mask, and where they lie in space.

    ``affine`` leads from voxels to millimetres right, forward and up.
    """

    inside: NDArray[np.bool_]
    affine: NDArray[np.float64]

    def __post_init__(self) -> None:
        if self.inside.ndim != 3 or not self.inside.any():
            raise GeomdpError("A mask has three axes, and voxels other than 0; take another one.")
        if self.affine.shape != (4, 4) or not np.all(np.isfinite(self.affine)):
            raise GeomdpError("A mask says by 4 x 4 numbers where its voxels lie; export it again.")

    @cached_property
    def count(self) -> int:
        """How many voxels there are."""
        return int(np.count_nonzero(self.inside))

    def __eq__(self, other: object) -> bool:
        """Tell whether the voxels are the same, at the same places."""
        return (
            isinstance(other, VoxelGrid)
            and np.array_equal(self.inside, other.inside)
            # As NIfTI files hold them.
            and np.array_equal(self.affine.astype(np.float32), other.affine.astype(np.float32))
        )

    __hash__ = None  # type: ignore[assignment]  # arrays have none

    def spread(self, rows: Array) -> Array:
        """Put rows (voxels, ...) on the grid, NaN outside of the mask."""
        field = np.full((*self.inside.shape, *rows.shape[1:]), np.nan)
        field[self.inside] = rows
        return field

    @cached_property
    def axes(self) -> tuple[tuple[int, bool], ...]:
        """For right, forward and up: the axis of voxels nearest, and if it runs against it."""
        cosines = self.affine[:3, :3] / self._steps
        order = max(
            permutations(range(3)),
            key=lambda axes: sum(abs(cosines[i, axis]) for i, axis in enumerate(axes)),
        )
        return tuple((axis, bool(cosines[i, axis] < 0)) for i, axis in enumerate(order))

    @property
    def steps(self) -> tuple[float, float, float]:
        """Millimetres between voxels, right, forward and up."""
        right, forward, up = (float(self._steps[axis]) for axis, _ in self.axes)
        return right, forward, up

    @cached_property
    def _steps(self) -> NDArray[np.float64]:
        """Millimetres between voxels along the axes of the file; 1 where it says nothing."""
        steps = np.linalg.norm(self.affine[:3, :3], axis=0)
        return np.asarray(np.where(steps > 0, steps, 1.0))

    def upright(self, field: Array) -> Array:
        """Turn a field (x, y, z, ...) so that its axes run right, forward and up."""
        order = [axis for axis, _ in self.axes]
        turned = np.transpose(field, (*order, *range(3, field.ndim)))
        return np.asarray(
            np.flip(turned, tuple(i for i, (_, back) in enumerate(self.axes) if back))
        )

    def to_json(self) -> Document:
        """Describe exactly: lengths of the runs outside and inside in turn, in the file's order."""
        flat = self.inside.reshape(-1)
        turns = np.flatnonzero(np.diff(flat, prepend=False))
        ends = np.append(turns, flat.size)
        return {
            "shape": list(self.inside.shape),
            "runs": array_to_json(np.diff(ends, prepend=0).astype(np.uint32)),
            "affine": array_to_json(self.affine),
        }

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        shape = tuple(int(size) for size in document["shape"])
        runs = array_from_json(document["runs"])
        voxels = int(np.prod(shape, dtype=object)) if min(shape, default=0) > 0 else 0
        if not 0 < voxels <= MOST_VOXELS or runs.ndim != 1 or int(runs.sum(dtype=object)) != voxels:
            raise GeomdpError("The mask in the file is damaged; take the file from its source.")
        inside = np.repeat(np.arange(runs.size) % 2 == 1, runs).reshape(shape)
        return cls(inside, np.asarray(array_from_json(document["affine"]), dtype=np.float64))


@dataclass(frozen=True, eq=False)
class MapMean(Shrinkable):
    """Mean of maps: voxel by voxel over people, all voxels in one release.

    A person changes every voxel at once, so that the voxels are one vector: each is clipped to the
    ball, the map to a root mean square over the voxels, and noise is added to all of it together
    (docs/theory/tangent-mean.md, "Maps"). Distances are root mean squares over the voxels.

    Parameters
    ----------
    ball
        Public ball of every voxel, on a flat space: log-Euclidean matrices, correlations, vectors.
    voxels
        Public number of voxels.
    bound
        Public bound on the root mean square distance from the centre over the voxels; the radius of
        the ball if left out. A map that is ordinary in most voxels keeps a smaller one.
    grid
        Public places of the voxels, from a mask; pictures and files of the map need them.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.SPD(3, "log-euclidean"), center=np.eye(3), radius=1.0)
    >>> mean = MapMean(ball, voxels=50, bound=0.5)
    >>> mean.encode(np.tile(np.eye(3), (4, 50, 1, 1))).shape, mean.sensitivity(100).value
    ((4, 300), 0.01)
    """

    ball: Ball
    voxels: int
    bound: float | None = None
    grid: VoxelGrid | None = None
    tag: ClassVar[str] = "map-mean"
    proof: ClassVar[str] = "tangent-mean"
    everywhere: ClassVar[str] = "in every voxel"
    compared: ClassVar[tuple[str, str]] = ("the mean map", "public centre in every voxel")

    def __post_init__(self) -> None:
        if self.voxels < 1:
            raise GeomdpError(f"A map needs voxels, not {self.voxels} of them.")
        if not self._one.flat:
            raise GeomdpError(
                f"Maps are released on flat spaces, not on {self.ball.space.spec} with this ball: "
                "take spd:K:log-euclidean, correlation:K or euclidean:D, and a round ball."
            )
        if not 0 < self.radius <= self.ball.radius:
            raise GeomdpError(
                f"The root mean square over the voxels, {self.bound}, must be positive and at most "
                f"the radius of a voxel, {self.ball.radius:.6g}."
            )
        if self.grid is not None and self.grid.count != self.voxels:
            raise GeomdpError(
                f"The mask has {self.grid.count} voxels where the map has {self.voxels}."
            )

    @cached_property
    def _one(self) -> TangentMean:
        """The mean of one voxel."""
        return TangentMean(self.ball)

    @property
    def radius(self) -> float:
        """Largest root mean square distance from the centre."""
        return self.ball.radius if self.bound is None else self.bound

    def as_map(self) -> Self:
        """Return itself."""
        return self

    @property
    def home_space(self) -> Space:
        """The space of one voxel."""
        return self.ball.space

    @property
    def public_center(self) -> Array:
        """Centre of one voxel."""
        return self.ball.center

    @property
    def public_radius(self) -> float:  # noqa: D102
        return self.radius

    @cached_property
    def shrinkage(self) -> Array:
        """No coordinate is smoothed."""
        return np.ones(self.voxels * self.ball.space.dim)

    @property
    def noise_profile(self) -> Array:
        """Equal noise on all coordinates."""
        return self.shrinkage

    @cached_property
    def public_record(self) -> Array:
        """The centre in every voxel."""
        center = np.asarray(self.ball.center)
        return np.broadcast_to(center, (self.voxels, *center.shape)).copy()

    def admit(self, records: Any) -> Admitted:
        """Coordinates (n, voxels d) of the clipped logs, over the root of the number of voxels.

        A record with a voxel that is no point counts as the public record, whole.
        """
        coordinates, invalid = self._of_voxels(records)
        coordinates[sorted(invalid)] = 0.0
        norms = linalg.row_norm(coordinates)
        return Admitted(coordinates * (self.radius / np.maximum(norms, self.radius)), invalid)

    def check(self, records: Any) -> CheckFindings:
        """Compare root mean squares over the voxels with the public bound."""
        coordinates, invalid = self._of_voxels(records)
        return CheckFindings.of_norms(linalg.row_norm(coordinates)[..., 0], self.radius, invalid)

    def _of_voxels(self, records: Any) -> tuple[Array, dict[int, str]]:
        rows = real_rows(records, self.public_record.shape, "Maps, one a person,")
        maps = rows.numbers
        admitted = self._one.admit(maps.reshape(-1, *self.public_record.shape[1:]))
        invalid = dict(rows.invalid)
        for row in sorted(admitted.invalid):
            person, voxel = divmod(row, self.voxels)
            invalid.setdefault(person, f"voxel {voxel}: {admitted.invalid[row]}")
        coordinates = admitted.records.reshape(len(maps), -1) / np.sqrt(self.voxels)
        return coordinates, invalid

    def decode(self, coordinates: Array) -> Array:
        """Return maps (..., voxels, *point) with these ``coordinates``."""
        logs = np.asarray(coordinates) * np.sqrt(self.voxels)
        return self._one.decode(logs.reshape(*logs.shape[:-1], self.voxels, -1))

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., voxels d) of released maps: the inverse of :meth:`decode`."""
        logs = self._one.to_coordinates(np.asarray(values))
        return logs.reshape(*logs.shape[:-2], -1) / np.sqrt(self.voxels)

    def forecast_note(self, scale: float) -> str:
        """Say what all voxels at once cost."""
        return (
            "root mean square over the voxels; everybody is in every voxel, so that the error of a "
            f"voxel is {np.sqrt(self.voxels):.3g} times that of one voxel released alone with the "
            "same radius and budget"
        )

    def edge_records(self, around: Any, most: int) -> Array:
        """Return maps that lie as far from the centre in every voxel."""
        edge = around(self.ball.space, self.ball.center, self.radius)[:most, None]
        return np.broadcast_to(edge, (len(edge), *self.public_record.shape))

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private mean map of {self.voxels} voxels"

    def distance_words(self, distance: float) -> str:  # noqa: D102
        return " (root mean square over the voxels)"

    def describe(self) -> str:  # noqa: D102
        return (
            f"mean map of {self.voxels} voxels on {self.ball.space.spec}, each within "
            f"{self.ball.radius:.6g} of the centre, root mean square within {self.radius:.6g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        bound = {} if self.bound is None else {"bound": self.bound}
        grid = {} if self.grid is None else {"grid": self.grid.to_json()}
        return {"tag": self.tag, "voxels": self.voxels, **bound, **grid, **self.ball.to_json()}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        grid = VoxelGrid.from_json(document["grid"]) if "grid" in document else None
        ball, voxels = Ball.from_json(document), int(document["voxels"])
        return cls(ball, voxels, document.get("bound"), grid)


STATISTICS.register(MapMean.tag, MapMean)


VOXELS = Option(
    "--voxels",
    "A map: one mean in each voxel of a public NIfTI mask (or this many voxels), over people who "
    "have a record in each. --center and --radius are those of a voxel, on a flat --space such as "
    "spd:3:log-euclidean.",
    panel=PUBLIC,
    metavar="MASK",
)
MAP_BOUND = Option(
    "--map-bound",
    "With --voxels: root mean square distance from the centre over the voxels that maps keep; "
    "--radius if left out. Noise is proportional to it.",
    panel=PUBLIC,
    metavar="FLOAT",
    read=read_number,
    needs="--voxels",
)


class Maps(Subject):
    """A record is a map: a point of a flat space in each voxel."""

    options: ClassVar[tuple[Option, ...]] = (*BALL, ALIKE, VOXELS, MAP_BOUND)
    typed: ClassVar[str] = "--voxels"
    reads: ClassVar[bool] = True

    def concerns(self, given: Given) -> bool:  # noqa: D102
        return given.said(VOXELS)

    def asked(self, given: Given) -> MapMean:
        """Return the mean in each voxel of a mask, or in a number of voxels without places."""
        if given["statistic"] not in (FrechetMean.tag, TangentMean.tag):
            raise OptionError("--voxels goes with a mean in a ball: no other --statistic")
        ball, voxels, bound = given.ball(), given["voxels"], given["map_bound"]
        if voxels.isdecimal():
            return MapMean(ball, int(voxels), bound)
        grid = given.mask(voxels)
        return MapMean(ball, grid.count, bound, grid)


SUBJECTS.register("maps", Maps())
