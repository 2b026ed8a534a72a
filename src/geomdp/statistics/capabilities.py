"""What a statistic may be able to do beside answering, so that mechanisms name no classes."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from geomdp.spaces.admission import Admitted
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
class Invertible(Protocol):
    """A linear statistic that finds the coordinates of a value again.

    ``verify`` then checks the grid, and an audit knows the exact loss.
    """

    def to_coordinates(self, values: Array) -> Array:
        """Coordinates (..., D) of values (..., *shape): the inverse of ``decode``."""


@runtime_checkable
class Clipped(Protocol):
    """A linear statistic whose records are clipped to a length ``tau`` about a public record."""

    @property
    def tau(self) -> float | None:
        """Public bound on the length of a record's coordinates; None where it is left out."""

    @property
    def radius(self) -> float:
        """The same as a number: one that serves until a plan chooses, where it is left out."""

    @property
    def widest_tau(self) -> float:
        """A tau that is surely wide enough: the stated one, or a public fact where it has none."""

    def lengths(self, records: Any) -> Admitted:
        """Length (n,) of each record's coordinates before it is clipped; total, as ``admit``."""

    def clipped_at(self, tau: float) -> Any:
        """Return the statistic with another bound."""


def leaves_tau_out(statistic: Any) -> bool:
    """Tell whether records are clipped to a length that nobody stated.

    >>> import numpy as np
    >>> from geomdp.curves import FunctionMean, Matern
    >>> leaves_tau_out(FunctionMean(np.zeros(40), tau=1.0, kernel=Matern(0.5)))
    False
    """
    return isinstance(statistic, Clipped) and statistic.tau is None


@runtime_checkable
class OfCurves(Protocol):
    """Asks more of clipped records than their mean: ``curves`` is the mean of the same records."""

    @property
    def curves(self) -> Any:
        """A :class:`Clipped` statistic: the lengths of its records are meant."""


@runtime_checkable
class HasMesh(Protocol):
    """Its records can come as meshes, and its value can be written as one."""

    def prepare(
        self, records: Sequence[Any], *, workers: int | None = None, cache: Path | None = None
    ) -> Any:
        """Return the :class:`~geomdp.surfaces.Batch` of meshes: curves, and a list of failures."""

    def laid_over(self, records: Any) -> tuple[Array, dict[int, str]]:
        """Return the curves (n, ...) of meshes, and why some count as the template."""

    def mesh_of(self, value: Array) -> Any:
        """Build a :class:`~geomdp.surfaces.Surface` from a released value."""
