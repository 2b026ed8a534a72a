"""Covariates of a regression: public ranges and levels, and values as vectors of length at most 1.

Each covariate becomes a vector in a unit ball by itself; all together are divided by the root of
their number, so that nothing within the declared ranges is ever clipped (docs/theory/regression.md,
section 2). Privacy does not rest on any of this: the vector is clipped again, in integers.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError, way_out_of_unit
from geomdp.options import PUBLIC, Option, OptionError
from geomdp.serial import Document
from geomdp.spaces.rows import real_number
from geomdp.typing import Array

#: What a user writes: ``{"age": (20, 90), "sex": ("f", "m")}``.
Declared: TypeAlias = Mapping[str, Sequence[float] | Sequence[str]]

#: As an option: once for each covariate.
COVARIATE = Option(
    "--covariate",
    "With --statistic regression or normative-region, once for each covariate: the public range "
    "of a number (age=20:90), or the public levels of a category (sex=f,m). NAME is the data's "
    "column.",
    panel=PUBLIC,
    metavar="NAME=LOW:HIGH",
    many=True,
    needs="--statistic regression or normative-region",
)
#: Coordinates of all covariates together: enough for any table, and few enough to be fitted.
MOST_COORDINATES = 32


class Covariate(ABC):
    """One covariate with what is public about it."""

    name: str

    @property
    @abstractmethod
    def width(self) -> int:
        """Number of its coordinates."""

    @property
    def range_ends(self) -> tuple[float, float] | None:
        """Ends of the public range of a number; None of anything else."""
        return None

    @property
    def level_names(self) -> tuple[str, ...]:
        """Public levels of a category; none of anything else."""
        return ()

    @abstractmethod
    def codes(self, column: Any) -> Array:
        """Vectors (n, width) of length at most 1, one a value; NaN where a value is none."""

    @abstractmethod
    def code(self, value: Any) -> Array:
        """Vector (width,) of one public value, or a refusal."""

    def complaint(self, value: Any) -> str:
        """Say what is wrong with a value that is none, and what may be meant."""
        what = "level" if self.level_names else "number"
        said = f"its {self.name!r} is no {what} that the plan declares"
        folded = {name.strip().casefold(): name for name in self.level_names or ()}
        text = value.strip() if isinstance(value, str) else ""
        if text.casefold() in folded:
            return f"{said}: write {folded[text.casefold()]!r} for {text!r}"
        way_out = None if self.level_names else way_out_of_unit(text)
        return said if way_out is None else f"{said}: {way_out}"

    @abstractmethod
    def values_at(self, codes: Array) -> NDArray[Any]:
        """Values (n,) whose codes are these, or nearly."""

    @abstractmethod
    def pooled(self, column: Any, owner: NDArray[np.intp], count: int) -> NDArray[Any]:
        """One value a person, a function of that person's values alone; invalid if any is."""

    @abstractmethod
    def describe(self) -> str:
        """Say what is declared."""

    @abstractmethod
    def to_json(self) -> Document:
        """Describe exactly."""


@dataclass(frozen=True)
class Interval(Covariate):
    """A number, scaled from its public range to [-1, 1]; values outside count as the nearer end."""

    name: str
    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise GeomdpError(
                f"The range of the covariate {self.name!r} must be two finite numbers, the lower "
                f"first, not {self.low:g} and {self.high:g}; declare it, never take it from data."
            )
        if not 0 < self.half < math.inf:
            raise GeomdpError(f"The range of the covariate {self.name!r} is beyond floats.")

    @property
    def range_ends(self) -> tuple[float, float]:  # noqa: D102
        return self.low, self.high

    @property
    def half(self) -> float:
        """Half of the range: one unit of the code."""
        return (self.high - self.low) / 2

    @property
    def middle(self) -> float:
        """The value whose code is 0."""
        return self.low + self.half

    @property
    def width(self) -> int:  # noqa: D102
        return 1

    def codes(self, column: Any) -> Array:  # noqa: D102
        numbers = self._within(column)
        return np.clip((numbers - self.middle) / self.half, -1.0, 1.0)[:, None]

    def code(self, value: Any) -> Array:  # noqa: D102
        number = real_number(value)
        if not self.low <= number <= self.high:
            raise GeomdpError(
                f"{self.name} must be a number from {self.low:g} to {self.high:g}, not {value!r}: "
                "beyond its range the curve says nothing."
            )
        return self.codes([number])[0]

    def values_at(self, codes: Array) -> NDArray[Any]:  # noqa: D102
        return np.asarray(self.middle + self.half * codes[:, 0])

    def pooled(self, column: Any, owner: NDArray[np.intp], count: int) -> NDArray[Any]:
        """Mean of a person's values, each within the range."""
        sums = np.zeros(count)
        # In the order of the rows, so that nobody else's values change a sum.
        np.add.at(sums, owner, self._within(column))
        means = sums / np.maximum(np.bincount(owner, minlength=count), 1)
        return np.asarray(means)

    def _within(self, column: Any) -> Array:
        numbers = _numbers(column)
        return np.where(np.isfinite(numbers), np.clip(numbers, self.low, self.high), np.nan)

    def describe(self) -> str:  # noqa: D102
        return f"{self.name} from {self.low:g} to {self.high:g}"

    def to_json(self) -> Document:  # noqa: D102
        return {"name": self.name, "low": self.low, "high": self.high}


@dataclass(frozen=True)
class Levels(Covariate):
    """A category: its public levels are the corners of a regular simplex in the unit ball.

    All levels are treated alike. Texts are compared without blanks around them, numbers as numbers.
    """

    name: str
    levels: tuple[str, ...]

    def __post_init__(self) -> None:
        texts = [_text(level) for level in self.levels]
        if len(texts) < 2 or len(set(texts)) < len(texts) or not all(texts):
            raise GeomdpError(
                f"The covariate {self.name!r} needs at least two levels that differ, none empty; "
                "a number needs its range, such as (20, 90)."
            )

    @property
    def level_names(self) -> tuple[str, ...]:  # noqa: D102
        return self.levels

    @property
    def width(self) -> int:  # noqa: D102
        return len(self.levels) - 1

    @cached_property
    def corners(self) -> Array:
        """Unit vectors (levels, width) whose sum is 0, all equally far apart."""
        count = len(self.levels)
        rows = np.zeros((count, count - 1))
        for k in range(count - 1):
            rest = count - 1 - k
            rows[k, k] = math.sqrt(1 - float(np.sum(rows[k, :k] ** 2)))
            rows[k + 1 :, k] = -rows[k, k] / rest
        return rows

    def codes(self, column: Any) -> Array:  # noqa: D102
        places = self._places(column)
        found = self.corners[np.maximum(places, 0)]
        return np.where(places[:, None] >= 0, found, np.nan)

    def code(self, value: Any) -> Array:  # noqa: D102
        place = int(self._places([value])[0])
        if place < 0:
            raise GeomdpError(f"{self.name} must be one of {', '.join(self.levels)}.")
        return np.asarray(self.corners[place])

    def values_at(self, codes: Array) -> NDArray[Any]:  # noqa: D102
        return np.array(self.levels)[np.argmax(codes @ self.corners.T, axis=1)]

    def pooled(self, column: Any, owner: NDArray[np.intp], count: int) -> NDArray[Any]:
        """Most frequent level of a person, the first in the plan's order among equals."""
        places = self._places(column)
        votes = np.zeros((count, len(self.levels)), dtype=np.intp)
        np.add.at(votes, (owner[places >= 0], places[places >= 0]), 1)
        chosen = np.array(self.levels, dtype=object)[np.argmax(votes, axis=1)]
        spoiled = np.zeros(count, dtype=bool)
        spoiled[owner[places < 0]] = True
        return np.where(spoiled, "", chosen)

    def _places(self, column: Any) -> NDArray[np.intp]:
        order = {_text(level): place for place, level in enumerate(self.levels)}
        return np.array([order.get(_text(cell), -1) for cell in column], dtype=np.intp)

    def describe(self) -> str:  # noqa: D102
        return f"{self.name} ({', '.join(self.levels)})"

    def to_json(self) -> Document:  # noqa: D102
        return {"name": self.name, "levels": list(self.levels)}


@dataclass(frozen=True)
class Design:
    """All covariates of a regression, in order."""

    covariates: tuple[Covariate, ...]

    def __post_init__(self) -> None:
        names = self.names
        if not names or len(set(names)) < len(names):
            raise GeomdpError(
                "A regression needs at least one covariate, each with a name of its own, such as "
                '{"age": (20, 90)}.'
            )
        if self.dim > MOST_COORDINATES:
            raise GeomdpError(
                f"The covariates take {self.dim} coordinates, but at most {MOST_COORDINATES} can "
                "be fitted; use fewer covariates or levels."
            )

    @classmethod
    def declared(cls, covariates: Any) -> Self:
        """Read ``{"age": (20, 90), "sex": ("f", "m")}``."""
        if not isinstance(covariates, Mapping):
            raise GeomdpError('Covariates are declared by name, such as {"age": (20, 90)}.')
        return cls(tuple(_declared(name, what) for name, what in covariates.items()))

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the covariates, which are the names of the data's columns."""
        return tuple(one.name for one in self.covariates)

    @property
    def dim(self) -> int:
        """Number of coordinates."""
        return sum(one.width for one in self.covariates)

    @property
    def share(self) -> float:
        """Factor on every covariate's own code: all together then have length at most 1."""
        return 1 / math.sqrt(len(self.covariates))

    def places(self, name: str) -> slice:
        """Return where the coordinates of a covariate stand."""
        ends = np.cumsum([0, *(one.width for one in self.covariates)]).tolist()
        place = self.names.index(self.named(name).name)
        return slice(ends[place], ends[place + 1])

    def named(self, name: str) -> Covariate:
        """Return the covariate of a name."""
        if name not in self.names:
            raise GeomdpError(f"There is no covariate {name!r}; there are {', '.join(self.names)}.")
        return self.covariates[self.names.index(name)]

    def codes(self, columns: Mapping[str, Any], n: int) -> tuple[Array, dict[int, str]]:
        """Vectors (n, dim) of the records, 0 where a value is none, and reasons by row."""
        read = self._columns(columns, n)
        parts = [one.codes(column) for one, column in read]
        invalid: dict[int, str] = {}
        for (one, column), part in zip(read, parts, strict=True):
            wrong = set(np.flatnonzero(np.isnan(part).any(axis=1)).tolist())
            for row, value in enumerate(column if wrong else ()):
                if row in wrong:
                    invalid.setdefault(row, one.complaint(value))
        vectors = self.share * np.concatenate(parts, axis=1)
        vectors[list(invalid)] = 0.0
        return vectors, invalid

    def at(self, /, **values: Any) -> Array:
        """Vector (dim,) of public values, one for every covariate."""
        if set(values) != set(self.names):
            raise GeomdpError(
                f"Give a value for each covariate and no others: {', '.join(self.names)}."
            )
        parts = [one.code(values[one.name]) for one in self.covariates]
        return np.asarray(self.share * np.concatenate(parts))

    @property
    def middle(self) -> dict[str, Any]:
        """The middle of every range, and the first of all levels."""
        return {
            one.name: one.level_names[0] if one.range_ends is None else sum(one.range_ends) / 2
            for one in self.covariates
        }

    def along(self, name: str, count: int = 5) -> list[tuple[str, dict[str, Any]]]:
        """Values along one covariate, the others in their middle or at their first level."""
        chosen = self.named(name)
        values: Sequence[Any] = chosen.level_names
        if chosen.range_ends is not None:
            values = np.linspace(*chosen.range_ends, count).tolist()
        return [
            (f"{name} {value if isinstance(value, str) else format(value, 'g')}", at)
            for value in values
            for at in ({**self.middle, name: value},)
        ]

    @property
    def far_end(self) -> tuple[str, dict[str, Any]]:
        """The end of the first covariate: where a curve is shown that is shown at one place."""
        return self.along(self.names[0])[-1]

    def columns_at(self, vectors: Array) -> dict[str, NDArray[Any]]:
        """Columns whose codes are these vectors (n, dim), or nearly, for levels: for audits."""
        codes = np.asarray(vectors)
        return {
            one.name: one.values_at(codes[:, self.places(one.name)] / self.share)
            for one in self.covariates
        }

    def pooled(
        self, columns: Mapping[str, Any], owner: NDArray[np.intp], count: int
    ) -> dict[str, NDArray[Any]]:
        """Columns with one value a person: the rule is in docs/theory/regression.md, section 4."""
        given = self._columns(columns, len(owner))
        return {one.name: one.pooled(column, owner, count) for one, column in given}

    def _columns(self, columns: Mapping[str, Any], n: int) -> list[tuple[Covariate, Any]]:
        """Return each covariate's column, or refuse a table without it: a public fact."""
        missing = [name for name in self.names if name not in columns]
        if missing:
            raise InvalidRecordError(
                f"The plan asks for the covariate {missing[0]!r}; give it with the records "
                "(Records(points, covariates={...}), or a column of that name)."
            )
        if any(len(columns[name]) != n for name in self.names):
            raise InvalidRecordError(f"A covariate needs one value for each of the {n} records.")
        return [(one, columns[one.name]) for one in self.covariates]

    def describe(self) -> str:
        """List what is declared."""
        return ", ".join(one.describe() for one in self.covariates)

    def to_json(self) -> list[Document]:
        """Describe exactly, in order."""
        return [one.to_json() for one in self.covariates]

    @staticmethod
    def declaration(document: Sequence[Document]) -> dict[str, Any]:
        """Return what :meth:`declared` takes, from what :meth:`to_json` wrote."""
        found: dict[str, Any] = {}
        for one in document:
            both = tuple(one["levels"]) if "levels" in one else (one["low"], one["high"])
            if one["name"] in found:
                raise GeomdpError("Two covariates have the same name.")
            found[one["name"]] = both
        return found


def _declared(name: Any, what: Any) -> Covariate:
    if not isinstance(name, str) or not name.strip() or name != name.strip():
        raise GeomdpError("A covariate's name is a text without blanks around it.")
    try:
        parts = None if isinstance(what, str) else tuple(what)
    except TypeError:
        parts = None
    if parts is not None and parts and all(isinstance(part, str) for part in parts):
        return Levels(name, tuple(part.strip() for part in parts))
    numbers = [real_number(part) for part in parts or () if not isinstance(part, str | bool)]
    if parts is None or len(parts) != 2 or len(numbers) != 2:
        raise GeomdpError(
            f"The covariate {name!r} needs a public range such as (20, 90), or its levels as texts "
            'such as ("f", "m").'
        )
    return Interval(name, *numbers)


def _numbers(column: Any) -> Array:
    """Return a column as floats, NaN where a cell is no number: each by itself."""
    if isinstance(column, list | tuple):
        return np.array([real_number(cell) for cell in column], dtype=np.float64)
    array = np.asarray(column)
    if array.dtype.kind in "biuf":
        with np.errstate(all="ignore"):
            return array.astype(np.float64)
    return np.array([real_number(cell) for cell in array], dtype=np.float64)


def _text(cell: Any) -> str:
    """Return a cell as a text that is equal for equal cells: trimmed, numbers in one spelling."""
    try:
        text = cell.decode(errors="replace") if isinstance(cell, bytes) else str(cell)
    except Exception:  # an object without a name is no level
        return ""
    text = "" if cell is None else text.strip()
    number = real_number(text)
    return repr(number + 0.0) if math.isfinite(number) else text  # -0 is 0


def read_covariates(texts: Sequence[str] | None) -> dict[str, Any]:
    """Read ``age=20:90`` as a range and ``sex=f,m`` as levels."""
    found: dict[str, Any] = {}
    for text in texts or ():
        name, _, declared = text.rpartition("=")
        if not name.strip() or not declared.strip() or name.strip() in found:
            raise OptionError(
                f"--covariate {text!r} is not NAME=LOW:HIGH or NAME=LEVEL,LEVEL with a name of its "
                "own"
            )
        found[name.strip()] = _range_or_levels(declared)
    return found


def _range_or_levels(text: str) -> tuple[float, float] | tuple[str, ...]:
    low, _, high = text.partition(":")
    try:
        return float(low), float(high)
    except ValueError:
        if (way_out := way_out_of_unit(low) or way_out_of_unit(high)) is not None:
            raise OptionError(f"--covariate has the range {text!r}; {way_out}, age=20:90") from None
        return tuple(part.strip() for part in text.split(","))
