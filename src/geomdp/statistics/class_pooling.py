"""Records of a person in several classes as one row: docs/theory/classes.md, section 2."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.spaces.admission import Admitted
from geomdp.statistics.pooling import Pooling
from geomdp.typing import Array


@dataclass(frozen=True, eq=False)
class ClassPooling(Pooling):
    """Rows of records, averaged; in each class the log is that of the person's records there.

    ``asked`` is the statistic of classes whose rows they are.
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
