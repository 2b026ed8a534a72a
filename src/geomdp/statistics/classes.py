"""The statistic ``Classes``: means, spread and sizes of classes whose labels are private.

Proofs: docs/theory/classes.md.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidBallError, InvalidRecordError
from geomdp.intervals import float_above
from geomdp.noise.lattice import Lattice
from geomdp.options import PUBLIC, Given, Option
from geomdp.privacy.base import Budget
from geomdp.serial import Document
from geomdp.sources.records import GROUP, Records, as_records
from geomdp.spaces.admission import Admitted
from geomdp.spaces.ball import Ball
from geomdp.spaces.embedding import root_above
from geomdp.statistics.base import STATISTICS
from geomdp.statistics.denoising import Parts, Rule, rule_in
from geomdp.statistics.moments import LogStack
from geomdp.statistics.pooling import ClassPooling, Pooling
from geomdp.statistics.regression import LARGEST, SMALLEST
from geomdp.typing import Array

#: Bits of a record, and how finely shares of a person are told: sums of products fit 64 bits.
CLASS_BITS, WHOLE = 20, 1 << 8
#: Classes at most: a row has a place for each.
MOST_CLASSES = 200
#: Dimension up to which a class draws its count together with its sum, under pure privacy.
TOGETHER = 35
#: Part of a pure budget that counts take beyond it.
COUNTS_SHARE = Fraction(1, 10)
#: The class that other labels count in, where the public list has it.
UNKNOWN = "unknown"

Second = Literal["pooled", "by-class", "none"]

CLASSES = Option(
    "--classes",
    "Public list of classes whose labels are private: control,patient. With unknown among them, "
    "and --invalid public, other labels count there.",
    panel=PUBLIC,
    metavar="LABEL,LABEL",
)
SECOND = Option(
    "--second-moments",
    "With --classes: of all classes together (pooled, for linear discriminants), of each "
    "(by-class, for quadratic ones), or none; pure budgets take none.",
    panel=PUBLIC,
    choices=("pooled", "by-class", "none"),
    needs="--classes",
)


class Stack(NamedTuple):
    """The parts of a value, each a mean over all n records (v: the clipped log)."""

    #: Mean of v in a class, 0 elsewhere: (..., K, d).
    sums: Array
    #: Share of records in a class: (..., K).
    shares: Array
    #: Mean of v v^T, of all or in a class: (..., 1 or K, d, d); none without second moments.
    second: Array


@dataclass(frozen=True, eq=False)
class Classes(LogStack):
    """Sums, second moments and counts of classes with private labels, for the price of one mean.

    A release is an array of means over all records (:class:`Stack` in a row);
    :func:`geomdp.classes_of` turns it into class means with errors, sizes, covariances, a test
    whether classes differ, and linear or quadratic discriminants.

    Parameters
    ----------
    ball
        Public; may be wide, found privately, or shaped.
    labels
        The public list of classes. Records say theirs as ``Records(points, group=...)``; another
        label makes a record invalid, and with ``"unknown"`` on the list counts there.
    second
        Second moments of all classes together, of each, or none. Pure budgets take none.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> both = Classes(ball, labels=("control", "patient"))
    >>> made, mean = (dp.plan(s, n=100, budget=dp.GDP(1)) for s in (both, dp.TangentMean(ball)))
    >>> made.scale == mean.scale
    True
    """

    labels: tuple[str, ...]
    second: Second = "pooled"
    apart: bool = False
    averaged: bool = False
    tag: ClassVar[str] = "classes"
    options: ClassVar[tuple[Option, ...]] = (CLASSES, SECOND)
    asked_by: ClassVar[Option | None] = CLASSES
    proof: ClassVar[str] = "classes"
    section: ClassVar[str] = "classes"
    compared: ClassVar[tuple[str, str]] = ("a class mean", "public centre, which costs nothing")
    pictured: ClassVar[bool] = False  # the class means are
    labelled: ClassVar[bool] = True
    record_bits: ClassVar[int] = CLASS_BITS
    value_note: ClassVar[str] = (
        "Class by class the mean of the clipped logs over all records, and the class's share of "
        "them; then the mean products, where there are any."
    )

    def __post_init__(self) -> None:
        labels = tuple(str(label).strip() for label in _listed(self.labels))
        if len(labels) < 2 or len(set(labels)) < len(labels) or not all(labels):
            raise GeomdpError('Classes need at least two different labels: ("control", "patient")')
        if len(labels) > MOST_CLASSES:
            raise GeomdpError(f"There are {len(labels)} classes, but at most {MOST_CLASSES} fit.")
        if self.second not in ("pooled", "by-class", "none"):
            raise GeomdpError(f"Second moments are pooled, by-class or none, not {self.second!r}.")
        if self.apart and self.second != "none":
            raise GeomdpError("Noise is drawn class by class where there are no second moments.")
        if not SMALLEST <= getattr(self.ball, "radius", 0.0) <= LARGEST:
            raise InvalidBallError(
                f"Classes take a public Ball on a space, of radius {SMALLEST:g} to {LARGEST:g}."
            )
        object.__setattr__(self, "labels", labels)

    @classmethod
    def asked(cls, ball: Ball, given: Given) -> Self:
        """Build it from a public ball and the list that was typed."""
        if not given.said(CLASSES):
            return cls.in_ball(ball)
        labels = tuple(given[CLASSES.key].split(","))  # stripped as they come
        return cls(ball, labels, given[SECOND.key] if given.said(SECOND) else "pooled")

    def under(self, budget: Budget, n: int) -> "Classes":
        """Under pure privacy each class draws noise by itself, and second moments are left out."""
        return replace(self, second="none", apart=True) if budget.is_pure else self

    # --- what the release path needs ------------------------------------------------------------

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.labels)

    @property
    def covariate_names(self) -> tuple[str, ...]:
        """The label of a record travels beside its point; averages hold theirs."""
        return () if self.averaged else (GROUP,)

    @property
    def blocks(self) -> tuple[int, ...]:
        """A log for each class, and shares of the classes in units of the radius."""
        return (*(self.dim,) * self.count, self.count)

    @property
    def diameter(self) -> Fraction:
        """Twice the radius, as of one mean (docs/theory/classes.md, section 1)."""
        return 2 * Fraction(self.radius)

    @property
    def reach_squared(self) -> Fraction:
        """No more is used of who leaves a group."""
        return self.diameter**2

    @property
    def noise_blocks(self) -> tuple[int, ...]:
        """Under pure privacy the classes, in many dimensions sums and counts by themselves."""
        if not self.apart:
            return super().noise_blocks
        return (self.dim + 1,) * self.count if self.dim <= TOGETHER else (self.dim, 1) * self.count

    @property
    def block_diameter(self) -> Fraction:
        """Lengths of what changes in each block, added up: two classes change with a label."""
        if not self.apart:
            return self.diameter
        r, weight = Fraction(self.radius), 1 / Fraction(self._count_profile)
        if self.dim > TOGETHER:
            return 2 * r + 2 * weight
        return 2 * root_above(r**2 + weight**2)

    @cached_property
    def _count_profile(self) -> float:
        """Noise on a share beside noise on a sum: the inverse of its weight, NEVER LESS."""
        r = Fraction(self.radius)
        if not self.apart:
            return float(root_above((1 if self.second == "none" else 2) / r**2))
        if self.dim > TOGETHER:
            return float_above((1 - COUNTS_SHARE) / COUNTS_SHARE / r)
        return float_above(Fraction((4.0 * self.dim) ** 0.25) / r)

    @cached_property
    def _pairs(self) -> tuple[Array, Array]:
        return np.triu_indices(self.dim)

    @property
    def _seconds(self) -> int:
        """How many matrices of second moments there are."""
        return {"pooled": 1, "by-class": self.count, "none": 0}[self.second]

    @cached_property
    def rule(self) -> Rule | None:
        """The sum of each class by what is proved of a mean: sums of few are mostly noise."""
        one, starts = rule_in(self.ball), tuple(range(0, self._parts[0], self.dim + 1))
        told = (self.dim, "the sum of each class", 1 / self.count)
        counted = (self._count_profile * self.radius / 2) ** 2 / self.dim
        return None if one is None else Parts(one, starts, *told, counted)

    @property
    def _parts(self) -> tuple[int, int]:
        """Numbers of sums and shares, and of second moments."""
        return self.count * (self.dim + 1), self._seconds * self._pairs[0].size

    @cached_property
    def degrees(self) -> Array:  # noqa: D102
        first = np.r_[np.ones(self.dim, dtype=int), 0]
        return np.r_[np.tile(first, self.count), np.full(self._parts[1], 2)]

    @cached_property
    def largest(self) -> Array:  # noqa: D102
        return np.full(sum(self._parts), WHOLE)

    @cached_property
    def shrinkage(self) -> Array:
        """Shares are counted in 256ths, so that a person's average of classes is exact."""
        return np.full(sum(self._parts), 1 / WHOLE)

    @cached_property
    def noise_profile(self) -> Array:
        """One on sums; on matrices as of moments, and on shares such that labels are free."""
        rows, columns = self._pairs
        diagonal = np.nextafter(np.sqrt(2.0) * self.radius, np.inf)
        matrix = np.where(rows == columns, diagonal, self.radius)
        first = np.r_[np.ones(self.dim), self._count_profile]
        return np.r_[np.tile(first, self.count), np.tile(matrix, self._seconds)]

    def integer_sums(self, vectors: Any) -> Any:
        """Add up all parts FROM THE SAME integers: v of each class, and 256ths of a record."""
        weights = self._weights(vectors)
        firsts, seconds = [], np.zeros((self.count, self._pairs[0].size), dtype=weights.dtype)
        for k in range(self.count):
            here = weights[:, k] > 0
            v, w = vectors[here, k * self.dim : (k + 1) * self.dim], weights[here, k, None]
            firsts += [(w * v).sum(axis=0), w.sum(axis=0)]
            if self._seconds:
                seconds[k] = ((w * v).T @ v)[self._pairs]
        parts = {"pooled": seconds.sum(axis=0), "by-class": seconds.reshape(-1)}
        return np.concatenate([*firsts, *([parts[self.second]] if self._seconds else [])])

    def _weights(self, vectors: Any) -> Any:
        """256ths (n, K) of each record in each class: not negative, AT MOST 256 IN ALL."""
        shares = np.maximum(vectors[:, self.count * self.dim :], 0)
        if shares.dtype.kind == "f":  # of the answer without noise, in floats
            return WHOLE * shares / np.maximum(shares.sum(axis=1, keepdims=True), self.radius)
        # The longest block that the lattice lets through is one whole record.
        whole = math.isqrt(Lattice.within(self.radius, self.record_bits).largest_square)
        weights = np.minimum(shares, whole) * WHOLE // whole
        total = np.maximum(weights.sum(axis=1, keepdims=True), WHOLE)
        return weights * WHOLE // total

    def decode(self, coordinates: Array) -> Array:
        """Return the means themselves."""
        return np.asarray(coordinates)

    def to_coordinates(self, values: Array) -> Array:  # noqa: D102
        return np.asarray(values)

    def split(self, value: Array) -> Stack:
        """Name the parts of a value (..., D)."""
        first, rest = np.split(value, [self._parts[0]], axis=-1)
        first = first.reshape((*value.shape[:-1], self.count, self.dim + 1))
        second = np.zeros((*value.shape[:-1], self._seconds, self.dim, self.dim))
        rows, columns = self._pairs
        second[..., rows, columns] = rest.reshape((*second.shape[:-2], rows.size))
        second[..., columns, rows] = second[..., rows, columns]
        return Stack(first[..., :-1], first[..., -1], second)

    @property
    def public_value(self) -> Array:
        """Sums of nothing."""
        return np.zeros(sum(self._parts))

    # --- records --------------------------------------------------------------------------------

    @property
    def public_row(self) -> Array:
        """Nothing in any class; where the list has an unknown class, the centre in that."""
        row = np.zeros(self.vector_dim)
        if UNKNOWN in self.labels:
            row[self.count * self.dim + self.labels.index(UNKNOWN)] = self.radius
        return row

    def admit(self, records: Any) -> Admitted:
        """Rows (n, K d + K): the log in the place of its class, and which class that is.

        A record that is invalid is the public one; one whose label is not on the list is unknown.
        """
        data = as_records(records)
        if self.averaged:
            rows = np.array(data.points, dtype=float).reshape(-1, self.vector_dim)
            good = np.all(np.isfinite(rows), axis=1, keepdims=True)
            return Admitted(np.where(good, rows, self.public_row))
        if GROUP not in data.beside:
            raise InvalidRecordError(
                "The plan has classes; say which each record belongs to (Records(points, "
                "group=labels), --by)."
            )
        alone = self.tangent.admit(data.points)
        places = self._places(data.beside[GROUP])
        rows = np.repeat(self.public_row[None], len(places), axis=0)
        invalid = dict.fromkeys(
            np.flatnonzero(places < 0).tolist(), "its label is not on the plan's list of classes"
        )
        if UNKNOWN in self.labels:
            places = np.where(places < 0, self.labels.index(UNKNOWN), places)
        good = places >= 0
        good[list(alone.invalid)] = False
        at = np.flatnonzero(good)
        rows[at] = 0.0
        columns = places[at, None] * self.dim + np.arange(self.dim)
        rows[at[:, None], columns] = alone.records[at]
        rows[at, self.count * self.dim + places[at]] = self.radius
        return Admitted(rows, dict(sorted({**invalid, **alone.invalid}.items())))

    def _places(self, column: Any) -> NDArray[np.intp]:
        order = {label: place for place, label in enumerate(self.labels)}
        # Texts are trimmed as those of groups are; a row is judged by itself.
        texts = Records(np.empty(len(column)), group=column).group
        return np.array([order.get(text, -1) for text in texts.tolist()], dtype=np.intp)

    @property
    def extremes(self) -> Array:
        """One log in each of two classes: under pure privacy nothing loses more than a label."""
        logs, shares = (np.kron(np.eye(2, self.count), np.eye(1, k)) for k in (self.dim, 1))
        return self.radius * np.hstack([logs, shares])

    def encode_public(self, at: Any) -> Array:
        """Public records of the first class, or public Records."""
        if GROUP in as_records(at).beside:
            return self.encode(at)
        points = self.ball.space.require(at, what="public points")
        points = points.reshape(-1, *self.ball.space.point_shape)
        return self.encode(Records(points, group=[self.labels[0]] * len(points)))

    def records_at(self, vectors: Array) -> Records:
        """Return records of the class with the largest share, with its log."""
        rows = np.asarray(vectors)
        chosen = np.argmax(rows[:, self.count * self.dim :], axis=1)
        logs = rows[:, : self.count * self.dim].reshape(len(rows), self.count, self.dim)
        points = self.tangent.decode(logs[np.arange(len(rows)), chosen])
        return Records(points, covariates={GROUP: np.array(self.labels)[chosen]})

    @property
    def pooling(self) -> Pooling:
        """A person is the average of classes, in each of which their logs are averaged."""
        return ClassPooling(self)

    @property
    def of_persons(self) -> "Classes":  # noqa: D102
        return replace(self, averaged=True)

    # --- forecast -------------------------------------------------------------------------------

    @property
    def flat(self) -> bool:  # noqa: D102
        return False

    @property
    def simulated_at(self) -> str:  # noqa: D102
        return "classes of one size, whose mean lies half way to the boundary"

    def error_of(self, noise: Array) -> Array:
        """First-order error (m,) of a class mean: that of its sum, and of its count."""
        found = self.split(noise)
        off = np.array(found.sums[..., 0, :])
        off[..., 0] -= found.shares[..., 0] * self.radius / 2
        return np.asarray(self.count * np.linalg.norm(self.ball.coloured(off), axis=-1))

    @property
    def bias_note(self) -> str:  # noqa: D102
        told = ("of a class mean by noise alone; small ones err by more", self.tangent.bias_note)
        return "; ".join(filter(None, told))

    def forecast_note(self, scale: float) -> str:
        """Say also how far apart two classes must lie to be found."""
        return f"{self.bias_note}; {self.power_note(scale)}" if self._seconds else self.bias_note

    def power_note(self, scale: float) -> str:
        """Say which difference a test finds: its statistic is K scale^2 times a chi-square."""
        from scipy.optimize import brentq
        from scipy.stats import chi2, ncx2

        free = (self.count - 1) * self.dim
        bar = float(chi2.ppf(0.95, free))
        away = brentq(lambda x: ncx2.sf(bar, free, x) - 0.8, 1e-6, 40 + 20 * math.sqrt(free))
        apart = self.count * scale * math.sqrt(2 * float(away))
        return f"a test finds classes {apart:.3g} apart in 8 of 10 releases, by noise alone"

    def deviations(self, first: float) -> Array:
        """Return deviations (D,) of the noise, where the first coordinate has this one."""
        sizes = np.array(self.noise_blocks, dtype=float)
        each = np.sqrt((sizes + 1) / (sizes[0] + 1)) if self.apart else np.ones(1)
        return np.asarray(first * self.noise_profile * np.repeat(each, self.noise_blocks))

    # --- words ----------------------------------------------------------------------------------

    def title_in(self, seen: Any) -> str:  # noqa: D102
        return f"Private classes {', '.join(self.labels)}: {seen.title}"

    def describe(self) -> str:  # noqa: D102
        with_second = {
            "pooled": "means, sizes and one covariance",
            "by-class": "means, sizes and covariances",
            "none": "means and sizes",
        }[self.second]
        return (
            f"{with_second} of the classes {', '.join(self.labels)} with private labels, on "
            f"{self.ball.space.spec}, {'' if self.ball.form is None else 'shaped '}ball of radius "
            f"{self.radius:.6g}"
        )

    def to_json(self) -> Document:  # noqa: D102
        apart = {"apart": True} if self.apart else {}
        return {**super().to_json(), "labels": list(self.labels), "second": self.second, **apart}

    @classmethod
    def from_json(cls, document: Document) -> Self:
        """Inverse of :meth:`to_json`."""
        labels, apart = document["labels"], document.get("apart", False)
        return cls(Ball.from_json(document), _listed(labels), document["second"], bool(apart))

    @classmethod
    def in_ball(cls, ball: Ball) -> Self:  # noqa: D102
        raise GeomdpError(
            "Classes need their public list: --classes control,patient, or in Python "
            'Classes(ball, labels=("control", "patient")).'
        )


def _listed(labels: Any) -> tuple[Any, ...]:
    if isinstance(labels, str | bytes | Mapping):
        raise GeomdpError('A list of classes is several texts, such as ("control", "patient").')
    try:
        return tuple(labels)
    except TypeError:
        raise GeomdpError(f"A list of classes is several texts, not {labels!r}.") from None


STATISTICS.register(Classes.tag, Classes)
