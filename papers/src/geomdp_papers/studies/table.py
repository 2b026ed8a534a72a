"""What a study measured: rows of named numbers, as CSV and JSON."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from geomdp.typing import Array

#: One row: text, whole numbers or floats, by column.
Row: TypeAlias = Mapping[str, str | int | float]


@dataclass(frozen=True)
class Table:
    """Rows of a study; columns that a row lacks are empty.

    Examples
    --------
    >>> table = Table([{"n": 10, "error": 0.5}, {"n": 20, "error": 0.25}])
    >>> table.where(n=20).column("error").tolist()
    [0.25]
    >>> print(table.csv(), end="")
    n,error
    10,0.5
    20,0.25
    """

    rows: Sequence[Row]

    @classmethod
    def from_csv(cls, text: str) -> "Table":
        r"""Read what :meth:`csv` wrote.

        >>> Table.from_csv("n,method,error\n10,laplace,\n").rows
        [{'n': 10, 'method': 'laplace'}]
        """
        rows = csv.DictReader(io.StringIO(text))
        return cls([{name: _read(value) for name, value in row.items() if value} for row in rows])

    def where(self, **wanted: object) -> "Table":
        """Keep the rows in which the columns have these values."""
        return Table([row for row in self.rows if all(row.get(k) == v for k, v in wanted.items())])

    def column(self, name: str) -> Array:
        """Return the numbers of a column."""
        return np.array([row[name] for row in self.rows], dtype=float)

    def values(self, name: str) -> list[str | int | float]:
        """Return the different entries of a column, in the order of their first row."""
        return list(dict.fromkeys(row[name] for row in self.rows if name in row))

    @property
    def columns(self) -> list[str]:
        """Names of all columns, in the order in which rows bring them."""
        return list(dict.fromkeys(name for row in self.rows for name in row))

    def csv(self) -> str:
        """Write as comma-separated text; floats with six digits."""
        text = io.StringIO()
        writer = csv.DictWriter(text, self.columns, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({name: _short(value) for name, value in row.items()} for row in self.rows)
        return text.getvalue()


def _short(value: str | int | float) -> str | int:
    return f"{value:.6g}" if isinstance(value, float) else value


def _read(text: str) -> str | int | float:
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def mean_and_error(sample: Array) -> tuple[float, float]:
    """Mean of a sample and its standard error.

    >>> mean_and_error(np.array([1.0, 3.0]))
    (2.0, 1.0)
    """
    sample = np.asarray(sample, dtype=float)
    return float(sample.mean()), float(sample.std(ddof=1) / np.sqrt(sample.size))


def quotients(one: Table, other: Table, column: str = "mean") -> tuple[Array, Array]:
    """Quotients of two tables' averages, row by row, and their standard errors.

    >>> a, b = (Table([{"mean": value, "error": 0.1}]) for value in (2.0, 1.0))
    >>> [found.round(3).tolist() for found in quotients(a, b)]
    [[2.0], [0.224]]
    """
    error = "error" if column == "mean" else f"{column} error"
    ratio = one.column(column) / other.column(column)
    parts = (part.column(error) / part.column(column) for part in (one, other))
    return ratio, ratio * np.hypot(*parts)


def span(values: Array, form: str = ".3f") -> str:
    """Tell the least and the largest of some numbers, once if they are the same.

    >>> span(np.array([2.0, 2.0])), span(np.array([1.0, 1234.5]), ",.0f")
    ('2.000', '1 to 1,234')
    """
    ends = [format(end, form) for end in (float(np.min(values)), float(np.max(values)))]
    return " to ".join(dict.fromkeys(ends))


def pooled(ratio: Array, spread: Array) -> tuple[float, float]:
    """Weighted average of quotients, by their standard errors, and its own standard error.

    >>> [round(found, 3) for found in pooled(np.array([1.0, 2.0]), np.array([0.1, 0.1]))]
    [1.5, 0.071]
    """
    weights = np.asarray(spread, dtype=float) ** -2
    return float(np.sum(weights * ratio) / np.sum(weights)), float(np.sum(weights) ** -0.5)
