"""What a statistic may be able to do beside answering, so that mechanisms name no classes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from geomdp.spaces.ball import Ball
from geomdp.statistics.sensitivity import Bound, Sensitivity
from geomdp.typing import Array


@runtime_checkable
class HasGradient(Protocol):
    """Its answer minimises the mean of half the squared distances to its encoded records.

    They are points of the ball, and the gradient at a point x of the ball is the mean of the
    ``-log(x, record)``: what the K-norm gradient mechanism rests on (docs/theory/kng.md).
    """

    @property
    def ball(self) -> Ball:
        """The public ball of the encoded records and of the answer."""

    def tolerance(self, n: int) -> float:
        """Bound on the gradient at the computed answer, and on the error of evaluating it."""

    def estimate(self, encoded: Any, tolerance: float) -> Array:
        """Return the non-private answer."""

    def gradient_sensitivity(self, n: int, bound: Bound) -> Sensitivity:
        """Change of the computed gradient between neighbours, at any point of the ball."""


@runtime_checkable
class HasMesh(Protocol):
    """Its records can come as meshes, and its value can be written as one."""

    def mesh_ending(self) -> str:
        """How the name of that file ends: as that of the public template."""

    def prepare(
        self, records: Sequence[Any], *, workers: int | None = None, cache: Path | None = None
    ) -> Any:
        """Return the :class:`~geomdp.surfaces.Batch` of meshes: curves, and a list of failures."""

    def laid_over(self, records: Any) -> tuple[Array, dict[int, str]]:
        """Return the curves (n, ...) of meshes, and why some count as the template."""

    def mesh_of(self, value: Array) -> Any:
        """Build a :class:`~geomdp.surfaces.Surface` from a released value."""
