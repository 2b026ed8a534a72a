"""Where the records of one person are averaged, so that all of them count as one record.

Proof: docs/theory/persons.md.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.spaces.admission import Admitted
from geomdp.spaces.base import Space
from geomdp.spaces.numerics import decompositions, linalg
from geomdp.typing import Array

#: Numbers beyond this are cut off before they are averaged: no sum of them can overflow.
LARGEST = 1e100


class Pooling(ABC):
    """A public place where records are vectors, which a mean can be taken of."""

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that :meth:`vectors` needs beside the points; it then takes ``Records``."""
        return ()

    @property
    @abstractmethod
    def dim(self) -> int:
        """Number of entries of a vector."""

    @property
    def exact(self) -> bool:
        """Whether sums of vectors are exact, so that their order does not matter."""
        return False

    @abstractmethod
    def vectors(self, records: Any) -> Admitted:
        """Finite vectors (n, dim), each of one record alone; 0 where it is none, with the reason.

        It raises only for public facts: the number and the shape of the records.
        """

    @abstractmethod
    def records(self, means: Array) -> Array:
        """Return records that stand for mean vectors (N, dim)."""


@dataclass(frozen=True, eq=False)
class TangentPooling(Pooling):
    """Logs at a public point, and a bound on the length of an average."""

    space: Space
    center: Array
    reach: float

    @property
    def dim(self) -> int:
        """Dimension of the space."""
        return self.space.dim

    def vectors(self, records: Any) -> Admitted:
        """Return logs at the centre, row by row; 0 where there is none."""
        points, invalid = self.space.parse(records, instead=self.center)
        with np.errstate(all="ignore"):
            resolved = self.space.resolved(self.center, points)
            logs = decompositions.row_by_row(
                lambda rows: self.space.frame_log(self.center, rows),
                np.asarray(resolved),
                (self.space.dim,),
            )
        finite = np.all(np.isfinite(logs), axis=-1, keepdims=True)
        return Admitted(np.where(finite, logs, 0.0), invalid)

    def records(self, means: Array) -> Array:
        """Points of the space, each at a distance of at most the reach.

        What has no finite coordinates is the centre.
        """
        with np.errstate(all="ignore"):
            lengths = linalg.row_norm(means)
            shorter = means * (self.reach / np.maximum(lengths, self.reach))
            shorter = np.where(np.isfinite(lengths), shorter, 0.0)
            shorter = np.ascontiguousarray(shorter)
            points = np.asarray(self.space.frame_exp(self.center, shorter))
            points = np.asarray(self.space.canonical(points))
        axes = tuple(range(1, points.ndim))
        good = np.all(np.isfinite(points), axis=axes, keepdims=True)
        return np.where(good, points, self.center)


@dataclass(frozen=True, eq=False)
class TemplatePooling(Pooling):
    """Numbers minus those of a public template, for curves and surfaces.

    ``read`` returns records as one finite array, and why some are the template instead.
    """

    template: Array
    read: Callable[[Any], tuple[Array, Mapping[int, str]]]

    @property
    def dim(self) -> int:
        """Numbers of the template."""
        return int(self.template.size)

    def vectors(self, records: Any) -> Admitted:  # noqa: D102
        parsed, invalid = self.read(records)
        away = np.clip(parsed, -LARGEST, LARGEST) - self.template
        return Admitted(away.reshape(len(parsed), -1), invalid)

    def records(self, means: Array) -> Array:  # noqa: D102
        return self.template + means.reshape(len(means), *self.template.shape)


@dataclass(frozen=True, eq=False)
class ClassPooling(Pooling):
    """Rows of classes, averaged; in each class the log is that of the person's records there.

    ``asked`` is the statistic whose rows they are (docs/theory/classes.md, section 2).
    """

    asked: Any

    @property
    def names(self) -> tuple[str, ...]:
        """Labels are needed beside the points."""
        found: tuple[str, ...] = self.asked.covariate_names
        return found

    @property
    def dim(self) -> int:
        """Entries of a row."""
        return int(self.asked.vector_dim)

    def vectors(self, records: Any) -> Admitted:  # noqa: D102
        found: Admitted = self.asked.admit(records)
        return found

    def records(self, means: Array) -> Array:
        """Rows: in each class the mean log of the records there, and their share of all."""
        count, dim = self.asked.count, self.asked.dim
        logs, shares = np.split(means, [count * dim], axis=1)
        logs = logs.reshape(len(means), count, dim)
        part = (shares / self.asked.radius)[:, :, None]
        with np.errstate(all="ignore"):
            logs = np.where(part > 0, logs / part, 0.0)
        return np.concatenate([logs.reshape(len(means), -1), shares], axis=1)
