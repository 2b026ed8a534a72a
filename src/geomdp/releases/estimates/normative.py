"""Centiles of new people by a released normative region: all post-processing.

Formulas and coverage: docs/theory/normative.md.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.plans.release import DERIVED, PAGES, Release
from geomdp.readings.base import Reading
from geomdp.releases.estimates.document import numbers_of
from geomdp.releases.estimates.moments import ConfidenceRegion
from geomdp.releases.estimates.spectra import chi_square
from geomdp.runtime.surroundings import undisturbed
from geomdp.serial import Document
from geomdp.sources.records import as_records
from geomdp.statistics.covariates import Design
from geomdp.statistics.normative import MEDIAN, WhitenedRadius
from geomdp.typing import Array

#: Name of the file beside the value.
NORMATIVE = "normative.json"
#: Degrees of freedom between which the law of distances is sought.
FREEDOMS = (0.25, 1e5)
#: Centiles that tables show.
SHOWN = (5, 25, 50, 75, 90, 95, 99)
#: Centiles whose curves a chart of one number has, as clinics draw them.
CURVES = (3, 10, 25, 50, 75, 90, 97)
MIDDLE = 50


@dataclass(frozen=True, eq=False)
class NormativeEstimate:
    """Where most people lie, and how far out a new one is; made by :func:`normative_of`.

    Attributes
    ----------
    asked
        What the last stage asked: mean, whitening matrix, level, and the median's radius.
    radius
        The released radius that holds ``asked.level`` of people, in standard deviations.
    n
        Records, or persons, by which radii were found.
    promised
        Lower bound on how many new people lie inside, on average over records and noise.
    reading
        What a raw record means; None where records are points.
    """

    asked: WhitenedRadius
    radius: float
    n: int
    promised: float
    reading: Reading | None = None

    @property
    def mean(self) -> Array:
        """The point in the middle."""
        return self._points(self.asked.mean)

    @property
    def whole(self) -> bool:
        """Whether no narrower radius was found than one that holds everybody."""
        return self.radius >= self.asked.top

    @property
    def median(self) -> float:
        """Radius that holds half of people.

        What was released is one step of the grid too wide on average, which is taken off.
        """
        return float(min(self.asked.median / 2 ** (1 / self.asked.halving), 0.99 * self.radius))

    @cached_property
    def freedom(self) -> float:
        """Degrees of freedom of the chi-square law whose quantiles are as the two radii are."""
        from scipy.optimize import brentq

        wanted = 2 * np.log(self.radius / max(self.median, 1e-300))

        def beyond(log_freedom: float) -> float:
            high, low = (chi_square(p, np.exp(log_freedom)) for p in (self.asked.level, MEDIAN))
            return float(np.log(high) - np.log(low) - wanted)

        low, high = np.log(FREEDOMS)
        if beyond(low) <= 0:
            return FREEDOMS[0]
        return FREEDOMS[1] if beyond(high) >= 0 else float(np.exp(brentq(beyond, low, high)))

    def distances(self, people: Any) -> Array:
        """How many standard deviations (m,) people lie from the mean; NaN for invalid records."""
        data, invalid = as_records(people), {}
        if self.reading is not None and not data.read:
            invalid = self.reading.complaints(data, self.asked.record_shape)
            data = self.reading.records(data, "public", self.asked.record_shape)
        found = []
        for block in data.pieces(self.asked.covariate_names):
            measured = self.asked.measured(block)
            measured.records[list(measured.invalid)] = np.nan
            found.append(measured.records)
        every = np.concatenate([np.empty(0), *found])
        every[list(invalid)] = np.nan
        return every

    def at(self, /, **covariates: Any) -> "NormativeEstimate":
        """Return the region at these covariates, such as ``age=50``: one without any."""
        asked = self.asked
        if asked.design is None:
            raise GeomdpError("This region was planned without covariates: it is the same for all.")
        mean = asked.mean + asked.design.at(**covariates) @ asked.slopes
        return replace(self, asked=replace(asked, mean=mean, slopes=None, covariates=None))

    def curves(
        self, name: str, count: int = 41, /, **others: Any
    ) -> tuple[Array, dict[float, Array]]:
        """Return a chart of one number: its values (count,), and by centile a curve over them.

        Of records that are one number (``Euclidean(1)``): the curve of centile p is where p of a
        hundred people lie below, if the law about the mean is symmetric. ``others`` are values of
        other covariates, such as ``sex="f"``; what is not said is in its middle, or at its first
        level.
        """
        if self.asked.mean.size != 1 or self.asked.design is None:
            raise GeomdpError(
                "Centile curves are drawn of records that are one number, along a covariate."
            )
        low, high = ages_of(self.asked.design, name)
        ages = np.linspace(low, high, count)
        rest = {**rest_of(self.asked.design), **others}
        middle = [self.at(**{**rest, name: age}) for age in ages.tolist()]
        curve = np.array([float(one.mean[0]) for one in middle])
        unit = 1 / float(self.asked.root[0, 0])
        away = {p: unit * self.radius_at(abs(2 * p - 100)) for p in CURVES if p != MIDDLE}
        return ages, {p: curve + np.sign(p - MIDDLE) * away.get(p, 0.0) for p in CURVES}

    def score(self, people: Any) -> Array:
        """Centiles (m,) of people, from 0 in the middle to 100 far out; NaN for invalid records.

        Half and ``level`` of people have a lower one than 50 and 100 ``level`` by the released
        radii; between and beyond a chi-square law is assumed that has both.
        """
        return self.centiles(self.distances(people))

    def centiles(self, distances: Array) -> Array:
        """Centiles of distances in standard deviations."""
        from scipy.special import gammainc

        at = chi_square(self.asked.level, self.freedom)
        found = 100 * gammainc(
            self.freedom / 2, at * (np.asarray(distances) / self.radius) ** 2 / 2
        )
        return np.minimum(found, 100 * self.asked.level) if self.whole else np.asarray(found)

    def radius_at(self, centile: float) -> float:
        """Distance that so many of a hundred people do not exceed: inverse of :meth:`centiles`."""
        if not 0 < centile < 100:
            raise GeomdpError(f"A centile lies between 0 and 100, not {centile}.")
        share = chi_square(centile / 100, self.freedom) / chi_square(self.asked.level, self.freedom)
        return float(self.radius * np.sqrt(share))

    def contains(self, people: Any) -> Array:
        """Tell who lies in the region."""
        found = self.distances(people)
        return np.isfinite(found) & ((found <= self.radius) | self.whole)

    def region(self, centile: float) -> ConfidenceRegion:
        """Return the region of a centile as an ellipsoid at the centre."""
        level = self.asked.level
        dim = self.asked.mean.size
        inverse = np.linalg.inv(self.asked.root)
        size = self.radius_at(centile) ** 2 / chi_square(level, dim)
        return ConfidenceRegion(self.asked.ball, self.asked.mean, size * inverse.T @ inverse, level)

    def along(self, name: str, count: int = 5) -> list[tuple[str, dict[str, Any]]]:
        """Values along one covariate, the others in their middle or at their first level."""
        if self.asked.design is None:
            return []
        rest, one = rest_of(self.asked.design), self.asked.design.named(name)
        values: Any = one.level_names
        if not values:
            values = np.linspace(*ages_of(self.asked.design, name), count).tolist()
        told = [value if isinstance(value, str) else f"{value:g}" for value in values]
        return [
            (f"{name} {text}", {**rest, name: value})
            for text, value in zip(told, values, strict=True)
        ]

    def groups(self) -> list[dict[str, str]]:
        """Every combination of levels of covariates: a single empty one where there are none."""
        every = () if self.asked.design is None else self.asked.design.covariates
        levels = [[(one.name, text) for text in one.level_names] for one in every]
        return [dict(one) for one in product(*filter(None, levels))]

    def _points(self, coordinates: Array) -> Array:
        ball = self.asked.ball
        return np.asarray(ball.space.canonical(ball.space.frame_exp(ball.center, coordinates)))

    def describe(self) -> str:
        """Say in words what was found, and what is promised of new people."""
        share = f"{100 * self.asked.level:g}%"
        if self.whole:
            return (
                f"no radius was found that holds {share} of people: the ball is too small, or its "
                "centre too far from them; nobody counts as outside"
            )
        return (
            f"{share} of people are to lie within {self.radius:.3g} standard deviations of the "
            f"mean, half of them within {self.median:.3g}; on average over records and noise at "
            f"least {100 * self.promised:.3g}% of new people from the same population do"
        )

    def to_json(self) -> Document:
        """Describe it for programs and other languages."""
        return {
            "says": self.describe(),
            "space": self.asked.ball.space.spec,
            "center": numbers_of(self.asked.ball.center),
            "mean": numbers_of(self.mean),
            "coordinates": self.asked.mean.tolist(),
            "whitening": self.asked.root.tolist(),
            "level": self.asked.level,
            "radius": self.radius,
            "median_radius": self.median,
            "degrees_of_freedom": self.freedom,
            "at_least_inside_on_average": self.promised,
            **self._of_covariates(),
            "centiles": {str(centile): self.radius_at(centile) for centile in SHOWN},
        }

    def _of_covariates(self) -> Document:
        """Describe how the mean moves with covariates."""
        design = self.asked.design
        if design is None or self.asked.slopes is None:
            return {}
        return {"covariates": design.to_json(), "slopes": self.asked.slopes.tolist()}


@undisturbed()
def normative_of(release: Release) -> NormativeEstimate:
    """Read the region and its centiles off a release of ``NormativeRegion``: no further cost.

    Parameters
    ----------
    release
        Of ``NormativeRegion``, or its last stage.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(1), [0.0], radius=4.0)
    >>> plan = dp.plan(dp.NormativeRegion(ball), n=2000, budget=dp.GDP(1))
    >>> heights = np.random.default_rng(0).standard_normal((2000, 1))
    >>> found = normative_of(plan.release(heights))
    >>> 1.5 < found.radius < 2.7, found.contains([[0.0], [9.0]]).tolist()
    (True, [True, False])
    """
    last = release.answer
    plan: Any = last.plan
    asked = plan.statistic
    if not plan.one_value or not getattr(asked, "median", 0.0) > 0:
        raise GeomdpError("Only a release of NormativeRegion has centiles.")
    epsilon = float(plan.single.calibration.request.epsilon)
    promised = asked.promised(plan.n, epsilon)
    return NormativeEstimate(asked, float(last.value[0]), plan.n, promised, plan.reading)


def normative_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the text of the file, empty where a release has no region; never an error."""
    try:
        with np.errstate(all="ignore"):
            return json.dumps(normative_of(release).to_json(), indent=1) + "\n"
    except Exception:  # no region, or numbers beyond all floats: the value is drawn
        return ""


def ages_of(design: Design, name: str) -> tuple[float, float]:
    """Return the ends of a number's public range."""
    covariate: Any = design.named(name)
    if covariate.level_names:
        raise GeomdpError(f"{name} has levels; a chart is drawn along a number.")
    return covariate.low, covariate.high


def rest_of(design: Design) -> dict[str, Any]:
    """Return the covariates in their middle, or at their first level."""
    every: Any = design.covariates
    return {one.name: one.level_names[0] if one.level_names else one.middle for one in every}


PAGES.register(NORMATIVE, normative_text)
DERIVED.register("normative", normative_of)
