"""What a case asks: the statistic, who is protected, the budget, and records that are made up."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from geomdp.curves import (
    CircleGrid,
    FunctionMean,
    FunctionMoments,
    FunctionRegression,
    IntervalGrid,
    Matern,
)
from geomdp.images import Descriptors, descriptor_ball
from geomdp.readings import Compositions, Directions, Reading, Scaled, Signals, UnitVectors
from geomdp.spaces.base import Space

from .covering import Case
from .table import is_curves, is_images, line_of, space_of

#: Public radius of balls, of curves about their template, and of what lies far from a prior's pole.
RADIUS, TAU, NARROW = 0.5, 2.0, 0.15
#: Records, or persons, where one release is made, and where stages need more.
FEW, MANY = 48, 240
#: Share of the records in the first group.
FIRST = 0.4
#: Most records of a person, where a plan states it; and voxels of a map.
LIMIT, VOXELS = 2, 2
#: Periods of releases over time.
PERIODS = 2
#: Levels of the quantiles that a distribution is written by.
LEVELS = tuple((i + 0.5) / 8 for i in range(8))
COVARIATES: dict[str, Any] = {"age": (20.0, 90.0), "sex": ("f", "m")}
AMOUNTS = {"small": 1, "large": 40}
READINGS: dict[str, Reading] = {
    "unit-vectors": UnitVectors(),
    "dec-inc": Directions("dec-inc"),
    "lat-lon": Directions("lat-lon"),
    "compositions": Compositions(),
    "counts": Compositions(normalize=True),
    "scaled": Scaled(4.0),
}
#: Samples of a signal.
SAMPLES = 7
#: Centres as records are written, where the origin of the space will not do.
CENTERS = {"dec-inc": (30.0, -60.0), "lat-lon": (-60.0, 30.0)}


@dataclass(frozen=True, eq=False)
class Data:
    """Raw records with what is known beside them, one entry a record."""

    raw: list[Any]
    group: list[str] | None = None
    person: list[str] | None = None
    covariates: Mapping[str, list[Any]] = field(default_factory=dict)
    period: list[int] | None = None

    def replaced(self, place: int, record: Any) -> "Data":
        """Return the same records but one."""
        raw = [*self.raw[:place], record, *self.raw[place + 1 :]]
        return Data(raw, self.group, self.person, self.covariates, self.period)

    @property
    def columns(self) -> dict[str, list[Any]]:
        """What stands beside the records in a table."""
        named = {"group": self.group, "person": self.person, "period": self.period}
        named |= self.covariates
        return {name: column for name, column in named.items() if column is not None}

    def records(self, points: Any) -> dp.Records:
        """Put what is known beside points."""
        return dp.Records(points, self.group, self.person, self.covariates, period=self.period)


@dataclass(frozen=True, eq=False)
class Question:
    """A case as objects: everything follows from its values."""

    case: Case

    @cached_property
    def rng(self) -> np.random.Generator:
        """Numbers of this case alone, whichever cases run beside it."""
        return np.random.default_rng(crc32(line_of(self.case).encode()))

    def __getattr__(self, name: str) -> str:
        try:
            return self.case[name]
        except KeyError:
            raise AttributeError(name) from None

    # --- what is asked --------------------------------------------------------------------------

    @cached_property
    def home(self) -> Space:
        """The space of the records, where they are points."""
        return space_of(self.space)

    @cached_property
    def raw_reading(self) -> Reading | None:
        """What a raw record means."""
        if is_images(self.space):
            return Descriptors.of(self.space.removeprefix("descriptors:"))
        if self.reading == "signals":
            return Signals(self.home.record_shape.shape[0], SAMPLES, gain=2.0)
        return READINGS.get(self.reading)

    @cached_property
    def ball(self) -> dp.Ball:
        """The public ball, or the prior."""
        if is_images(self.space):
            return descriptor_ball(1, (8, 8))
        if self.prior != "a ball":
            return dp.Ball.whole(self.home)
        wide = self.stages != "none"
        return dp.Ball(
            self.home, center=self.center, radius=RADIUS, denoiser=self.assumed, wide=wide
        )

    @cached_property
    def assumed(self) -> dp.Denoiser | None:
        """What is declared of the means in the ball."""
        kinds = {
            "none": lambda: dp.Denoiser("none"),
            "smooth": lambda: dp.Denoiser("smooth"),
            "form": lambda: dp.Denoiser(np.diag(1.0 / np.arange(1, self.home.dim + 1))),
            "alike": lambda: dp.Denoiser(alike=True),
        }
        return None if self.denoiser == "left out" else kinds[self.denoiser]()

    @property
    def form(self) -> NDArray[Any]:
        """A public form, steep enough that some of its directions are left out."""
        return np.diag(4.0 ** -np.arange(self.home.dim))

    @cached_property
    def raw_center(self) -> NDArray[Any]:
        """The centre as records are written."""
        if self.reading in CENTERS:
            return np.array(CENTERS[self.reading])
        if self.reading in ("compositions", "counts"):
            parts = self.home.dim + 1
            return np.full(parts, 1.0 / parts if self.reading == "compositions" else 20.0)
        return np.asarray(self.home.origin(np.zeros(self.home.dim)))

    @cached_property
    def center(self) -> NDArray[Any]:
        """The public centre."""
        reading = self.raw_reading
        if reading is None or not reading.gives_back:
            return self.raw_center
        return reading.points(self.raw_center[None])[0]

    @cached_property
    def statistic_asked(self) -> Any:
        """What is asked of all records, in the ball or around the template."""
        if self.space.startswith("distributions:"):
            return dp.DistributionMean(-3, 3, 8, levels=LEVELS)
        if is_curves(self.space):
            return self._of_curves(self.curves)
        kinds = {
            "mean": lambda: dp.FrechetMean(self.ball),
            "tangent-mean": lambda: dp.TangentMean(self.ball),
            "leading-mean": lambda: dp.LeadingMean(replace(self.ball, form=self.form, wide=True)),
            "extrinsic-mean": lambda: dp.ExtrinsicMean(self.home, self.ball),
            "moments": lambda: dp.Moments(self.ball),
            "regression": lambda: dp.Regression(self.ball, COVARIATES),
            "normative-region": lambda: dp.NormativeRegion(self.ball),
            "normative-chart": lambda: dp.NormativeRegion(self.ball, covariates=COVARIATES),
            "classes": lambda: dp.Classes(self.ball, LABELS),
            "classes by class": lambda: dp.Classes(self.ball, UNLISTED, "by-class"),
            "map-mean": lambda: dp.MapMean(self.ball, VOXELS),
            "summary": lambda: dp.Summary(self.home, 0.01),
        }
        return kinds[self.statistic]()

    @cached_property
    def curves(self) -> FunctionMean:
        """The mean of curves around a public template."""
        template = np.zeros(8)
        if self.space.endswith("around"):
            return FunctionMean(template, TAU, Matern(0.5), grid=CircleGrid(8))
        grid = IntervalGrid(np.linspace(0.0, 1.0, 8))
        off = "linear" if self.space.startswith("curves") else "fit"
        return FunctionMean(template, TAU, Matern(0.2), grid=grid, resampling=off)

    def _of_curves(self, mean: FunctionMean) -> Any:
        if self.statistic == "moments":
            return FunctionMoments(mean)
        return mean if self.statistic == "mean" else FunctionRegression(mean, COVARIATES)

    @cached_property
    def asked(self) -> Any:
        """What a plan is made for: the statistic, or what is found in stages."""
        if self.stages == "ball alone":
            return dp.PrivateBall(self.ball)
        if self.stages == "over time":
            return dp.OverTime(self.statistic_asked, periods=PERIODS)
        asked = self.statistic_asked if self.stages == "none" else dp.Refined(self.statistic_asked)
        return dp.Clipped(asked) if self.case.get("clipped") == "asked" else asked

    @cached_property
    def protected(self) -> dp.Unit:
        """Who is protected."""
        labels: Any = self.groups
        if self.unit == "record":
            return dp.Unit.record(labels=labels)
        if self.unit == "person with limit":
            return dp.Unit.person(max_records=LIMIT, labels=labels)
        return dp.Unit.person(groups=2 if "two" in self.unit else 1, labels=labels)

    @cached_property
    def promise(self) -> dp.Budget:
        """The budget."""
        return self.budget_of(AMOUNTS[self.amount])

    def budget_of(self, number: int) -> dp.Budget:
        """Return a budget of the case's kind."""
        kinds = {
            "pure": lambda: dp.Pure(number),
            "approximate": lambda: dp.Approximate(number, "1e-6"),
            "gdp": lambda: dp.GDP(number),
            "zcdp": lambda: dp.ZCDP(number),
        }
        return kinds[self.budget]()

    def plan(self) -> dp.Plan:
        """Plan it in Python."""
        return dp.plan(
            self.asked,
            n=self.sizes,
            budget=self.promise,
            unit=self.protected,
            invalid=self.policy,
            reading=self.raw_reading,
            about=ABOUT,
        )

    # --- the records ----------------------------------------------------------------------------

    @cached_property
    def units(self) -> int:
        """How many are protected, in all groups together."""
        staged = self.stages != "none" or self.statistic.startswith("normative")
        return MANY if staged else FEW

    @cached_property
    def sizes(self) -> Any:
        """The public number of records or persons, or that of each group."""
        if self.statistic == "summary":
            return None
        if self.groups == "none":
            return self.units
        if self.unit in ("person", "person in two groups"):
            return {label: len(people) for label, people in self._rosters.items()}
        assert self.data.group is not None
        return {label: self.data.group.count(label) for label in LABELS}

    @cached_property
    def _rosters(self) -> dict[str, list[str]]:
        """Who may have records in which group; the last of each has none."""
        people = [f"p{i:03}" for i in range(self.units)]
        if self.groups == "none":
            return {"": people}
        cut = round(FIRST * self.units)
        both = people[:5] if "two" in self.unit else []
        return {LABELS[0]: people[:cut], LABELS[1]: [*both, *people[cut:]]}

    @cached_property
    def data(self) -> Data:
        """The records, in an order of their own."""
        if self.statistic == "summary":
            return Data(list(self.raw_points(1)))
        places = self._places()
        order = self.rng.permutation(len(places))
        group, person = ([places[i][which] for i in order] for which in (0, 1))
        raw = self.raw_points(len(places))
        covariates: dict[str, list[Any]] = {}
        if self.statistic in ("regression", "normative-chart"):
            ages = np.round(self.rng.uniform(15, 95, len(places)), 1).tolist()
            covariates = {"age": ages, "sex": self.rng.choice(["f", "m"], len(places)).tolist()}
        return Data(
            raw,
            self._labels(group),
            None if self.unit == "record" else person,
            covariates,
            self._periods(person) if self.stages == "over time" else None,
        )

    def _labels(self, group: list[str]) -> list[str] | None:
        """Label of each record: of classes any, also where one person has several."""
        if self.statistic.startswith("classes"):
            return self.rng.choice(LABELS, len(group)).tolist()
        return None if self.groups == "none" else group

    def _periods(self, person: list[str]) -> list[int]:
        """Period of each record: of persons that count once, one and the same."""
        if self.unit == "person":
            return [self.entered(who) for who in person]
        return [1 + i % PERIODS for i in range(len(person))]

    def entered(self, who: str) -> int:
        """Period in which a person enters."""
        return 1 + int(who.removeprefix("p")) % PERIODS

    def newcomers(self, period: int) -> int | None:
        """Public number of persons that enter in a period; None where records are counted."""
        if self.unit != "person":
            return None
        everyone = (who for people in self._rosters.values() for who in people)
        return sum(self.entered(who) == period for who in everyone)

    def _places(self) -> list[tuple[str, str]]:
        """Group and person of each record."""
        if self.unit in ("person", "person in two groups"):
            return [
                (label, who)
                for label, people in self._rosters.items()
                for i, who in enumerate(people[:-1])
                for _ in range(1 + i % 3)
            ]
        labels = [LABELS[int(i >= FIRST * self.units)] for i in range(self.units)]
        # Persons beyond their limit do not count; private labels do not allow any.
        limit = LIMIT if self.groups == "private" else LIMIT + 1
        return [(label, f"p{i // limit:03}") for i, label in enumerate(labels)]

    def raw_points(self, many: int) -> list[Any]:
        """Make up records as the plan reads them, most of them inside the ball."""
        if is_images(self.space):
            return list(self.rng.random((many, 8, 8)))
        if is_curves(self.space):
            return self._raw_curves(many)
        count = VOXELS if self.statistic == "map-mean" else 1
        points = self._points(many * count)
        raw = self._raw(points)
        if self.statistic == "map-mean":
            raw = raw.reshape(many, VOXELS, *raw.shape[1:])
        return list(raw)

    @cached_property
    def middle(self) -> NDArray[Any]:
        """What the records scatter about: the centre, or a place far from that of a prior."""
        center, dim = np.asarray(self.ball.center), self.home.dim
        ways = np.zeros((1, dim))
        if self.prior == "whole, far away":
            # Of subspaces and products only some ways lead as far as there is.
            ways = np.r_[np.eye(dim), np.random.default_rng(0).standard_normal((200, dim))]
            ways *= 0.93 * self.home.farthest / np.linalg.norm(ways, axis=1, keepdims=True)
        ends = np.asarray(self.home.canonical(self.home.frame_exp(center, ways)))
        return ends[int(np.argmax(np.round(self.home.dist(center, ends), 9)))]

    def _points(self, many: int) -> NDArray[Any]:
        radius = RADIUS if self.prior == "a ball" else NARROW
        logs = self.rng.standard_normal((many, self.home.dim))
        logs *= 0.6 * radius / np.sqrt(self.home.dim)
        logs[:, 0] += 0.2 * radius
        return np.asarray(self.home.canonical(self.home.frame_exp(self.middle, logs)))

    def _raw(self, points: NDArray[Any]) -> NDArray[Any]:
        """Write points as records of the reading."""
        many = len(points)
        if self.reading == "unit-vectors":
            return points * self.rng.uniform(0.5, 2.0, (many, 1))
        if self.reading in ("dec-inc", "lat-lon"):
            reading = READINGS[self.reading]
            return np.array([reading.value(point) for point in points])
        if self.reading in ("compositions", "counts"):
            shares = points**2 / np.sum(points**2, axis=1, keepdims=True)
            return shares if self.reading == "compositions" else 60 * shares
        if self.reading == "signals":
            return np.stack([_signal(point) for point in points])
        return points / 4.0 if self.reading == "scaled" else points

    def _raw_curves(self, many: int) -> list[Any]:
        times = np.linspace(0, 1, 8)
        waves = self.rng.standard_normal((many, 3)) * 0.5

        def at(wave: NDArray[Any], t: NDArray[Any]) -> NDArray[Any]:
            return wave[0] + wave[1] * np.cos(2 * np.pi * t) + wave[2] * np.sin(2 * np.pi * t)

        if not self.space.startswith("curves"):
            return [at(wave, times) for wave in waves]
        visits = [np.sort(self.rng.uniform(0, 1, 4 + i % 5)) for i in range(many)]
        return [(t.tolist(), at(w, t).tolist()) for t, w in zip(visits, waves, strict=True)]


#: The labels of the groups.
LABELS = ("control", "patient")
#: The same as classes, with one for labels that are not on the list.
UNLISTED = (*LABELS, "unknown")
#: What the plan is for: words that stand on every page.
ABOUT = dp.About(title="Crossings", institution="The Institute")


def _signal(covariance: NDArray[Any]) -> NDArray[Any]:
    """Return a signal with this covariance, after its gain of two."""
    waves = np.linalg.qr(np.vander(np.linspace(-1, 1, SAMPLES), len(covariance) + 1)[:, ::-1])[0]
    return np.linalg.cholesky(covariance) @ waves[:, 1:].T * np.sqrt(SAMPLES - 1) / 2
