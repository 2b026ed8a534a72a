"""Mean functions by command: which grid, whether it closes, and how smooth the answer is."""

from typing import Any, ClassVar

import numpy as np

from geomdp.curves.distributions import DistributionMean
from geomdp.curves.function_mean import FunctionMean
from geomdp.curves.function_moments import FunctionMoments
from geomdp.curves.function_regression import FunctionRegression
from geomdp.curves.grids import CircleGrid, IntervalGrid
from geomdp.curves.kernels import Matern
from geomdp.curves.registration import CurveRegistration
from geomdp.options import CURVES, Given, Option, OptionError, read_count, read_number
from geomdp.spaces import Euclidean
from geomdp.spaces.options import CENTER, RADIUS, SPACE
from geomdp.statistics.asking import MEAN, SUBJECTS, Subject
from geomdp.statistics.base import Statistic
from geomdp.statistics.covariates import COVARIATE, read_covariates
from geomdp.typing import Array

#: Curves deviate alike over this share of an interval, and over half a radian of a circle.
ALIKE = 0.2

PERIOD = Option(
    "--period",
    "With --space functions:M, whether the M samples go once around, so that the first follows the "
    "last (hours of a day, an outline). Asked for, never assumed.",
    panel=CURVES,
    choices=("yes", "no"),
    needs="--space functions:M",
)
GRID = Option(
    "--grid",
    "With --period no: where functions are sampled, evenly from FIRST to LAST (0:1 if left out) or "
    "at the numbers of a file.",
    panel=CURVES,
    metavar="FIRST:LAST|FILE",
    needs="--space functions:M",
)
PENALTY = Option(
    "--penalty",
    "How smooth the mean is: less noise, more bias towards the template. Left out, the plan "
    "chooses it from n and the budget.",
    panel=CURVES,
    metavar="FLOAT",
    read=read_number,
    needs="--space functions:M or --template",
)
REGISTRATION = Option(
    "--registration",
    "With --template: how meshes are laid over it (elastic if left out); homologous for meshes "
    "whose vertices correspond. With --space functions:M, elastic lays every curve over the "
    "template (none if left out).",
    panel=CURVES,
    choices=("elastic", "similarity", "homologous", "none"),
    needs="--space functions:M or --template",
)


BINS = Option(
    "--bins",
    "With --space distributions:LOW:HIGH: a record is a histogram; edges of its bins with commas, "
    "or FIRST:LAST:COUNT.",
    panel=CURVES,
    metavar="EDGES",
    needs="--space distributions:LOW:HIGH",
)
LEVELS = Option(
    "--levels",
    "With --space distributions:LOW:HIGH: a record is a row of quantiles; their levels with "
    "commas (0.1,0.5,0.9), or a number of readings a row.",
    panel=CURVES,
    metavar="LEVELS",
    needs="--space distributions:LOW:HIGH",
)
ABOVE = Option(
    "--above",
    "With --space distributions:LOW:HIGH: a threshold; pages say what share lies above it.",
    panel=CURVES,
    metavar="FLOAT",
    many=True,
    needs="--space distributions:LOW:HIGH",
)


class Distributions(Subject):
    """A record is a distribution of a number: ``--space distributions:LOW:HIGH``."""

    options: ClassVar[tuple[Option, ...]] = (SPACE, CENTER, RADIUS, BINS, LEVELS, ABOVE)
    typed: ClassVar[str] = "--space distributions:LOW:HIGH"
    space_help: ClassVar[str] = "distributions:40:400 for distributions of numbers from 40 to 400"

    def concerns(self, given: Given) -> bool:  # noqa: D102
        return _parts(given)[0] == "distributions"

    def asked(self, given: Given) -> Statistic:
        """Return the mean of distributions on a public range, in a declared ball or without."""
        if given["statistic"] != MEAN:
            raise OptionError("distributions have a mean; leave --statistic out")
        ends = _parts(given)[1].split(":")
        if len(ends) not in (2, 3):
            raise OptionError("write the range as --space distributions:LOW:HIGH")
        low, high = (read_number(end) for end in ends[:2])
        points = read_count(ends[2]) if len(ends) == 3 else 200
        center, radius = given["center"], given["radius"]
        if center not in (None, "uniform"):
            center = given.point(Euclidean(points), center)
        levels: Any = None if given["levels"] is None else _numbers(given["levels"])
        if levels is not None and len(levels) == 1 and levels[0] >= 1:
            levels = int(levels[0])
        return DistributionMean(
            *(low, high, points, center, radius),
            bins=None if given["bins"] is None else _edges(given["bins"]),
            levels=levels,
            above=tuple(read_number(text) for text in given["above"] or ()),
        )


def _edges(text: str) -> Any:
    first, *rest = text.split(":")
    if len(rest) != 2:
        return _numbers(text)
    return np.linspace(read_number(first), read_number(rest[0]), read_count(rest[1]) + 1)


def _numbers(text: str) -> list[float]:
    return [read_number(one) for one in text.split(",")]


class Functions(Subject):
    """A record is a function, sampled at M points: ``--space functions:M``."""

    options: ClassVar[tuple[Option, ...]] = (
        *(SPACE, CENTER, RADIUS, COVARIATE),
        *(PERIOD, GRID, PENALTY, REGISTRATION),
    )
    typed: ClassVar[str] = "--space functions:M"
    space_help: ClassVar[str] = "functions:24 for curves of 24 samples"

    def concerns(self, given: Given) -> bool:  # noqa: D102
        return _parts(given)[0] == "functions"

    def asked(self, given: Given) -> Statistic:
        """Return what is asked of curves around a public template."""
        mean = self._mean(given)
        if given["statistic"] == "moments":
            return FunctionMoments(mean)
        return mean_or_regression(mean, given)

    def _mean(self, given: Given) -> FunctionMean:
        center, radius, period = (given[key] for key in ("center", "radius", "period"))
        if center is None or radius is None or period is None:
            raise OptionError(
                "functions need --center (origin for zero, or a file with the template), --radius "
                "(how far a curve may be from it, root mean square) and --period yes or no"
            )
        where = Euclidean(read_count(_parts(given)[1]))
        template, laid = given.point(where, center), _laid(given["registration"])
        chosen: Any = CircleGrid(where.dim)
        kernel = Matern(0.5)
        if period == "no":
            points = _points(given["grid"] or "0:1", where, given)
            chosen, kernel = IntervalGrid(points), Matern(ALIKE * float(points[-1] - points[0]))
        elif given.said(GRID):
            raise OptionError("--grid goes with --period no: around a circle samples are even")
        return FunctionMean(template, radius, kernel, given["penalty"], chosen, registration=laid)


def mean_or_regression(mean: Any, given: Given) -> Statistic:
    """Return what is asked of curves or surfaces: their mean, or their regression."""
    tag, covariates = given["statistic"], read_covariates(given["covariate"])
    if (tag == "regression") is not bool(covariates):
        raise OptionError("--statistic regression and --covariate go together")
    if covariates:
        return FunctionRegression(mean, covariates)
    if tag != MEAN:
        raise OptionError(
            f"--statistic {tag} is not for them: curves and surfaces take regression, curves also "
            "moments; leave it out for their mean"
        )
    asked: Statistic = mean
    return asked


def _parts(given: Given) -> tuple[str, str]:
    name, _, size = (given["space"] or "").partition(":")
    return name, size


def _laid(registration: str | None) -> CurveRegistration | None:
    """Return how curves are laid over the template, which meshes can be in more ways."""
    if registration in (None, "none"):
        return None
    if registration == "elastic":
        return "elastic"
    raise OptionError("functions are laid over the template by --registration elastic only")


def _points(text: str, where: Euclidean, given: Given) -> Array:
    """Return the points of a grid: evenly between two numbers, or those of a file."""
    ends = text.split(":")
    if len(ends) == 2:
        try:
            first, last = (float(end) for end in ends)
        except ValueError:
            pass
        else:
            return np.linspace(first, last, where.dim)
    return given.point(where, text)


SUBJECTS.register("functions", Functions())
SUBJECTS.register("distributions", Distributions())
