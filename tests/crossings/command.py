"""The same question as it is typed."""

from dataclasses import dataclass
from typing import Any

from typer.testing import CliRunner

from geomdp.cli import app

from .question import (
    AMOUNTS,
    LABELS,
    LEVELS,
    LIMIT,
    PERIODS,
    RADIUS,
    SAMPLES,
    TAU,
    VOXELS,
    Question,
)
from .sources import flat
from .table import is_curves, is_images

READING = {
    "points": (),
    "unit-vectors": ("--normalize",),
    "dec-inc": ("--directions", "dec-inc"),
    "lat-lon": ("--directions", "lat-lon"),
    "compositions": ("--compositions",),
    "counts": ("--compositions", "--normalize"),
    "scaled": ("--scale", "4"),
}
DENOISER = {
    "left out": (),
    "none": ("--denoise", "none"),
    "smooth": ("--denoise", "smooth"),
    "alike": ("--alike",),
}
TAGS = {
    "mean": "frechet-mean",
    "map-mean": "frechet-mean",
    "normative-chart": "normative-region",
    "classes by class": "classes",
}


@dataclass(frozen=True)
class Said:
    """What the command answered."""

    code: int
    stdout: str
    stderr: str

    @property
    def last(self) -> str:
        """The sentence of a refusal."""
        return self.stderr.strip().splitlines()[-1] if self.stderr.strip() else ""


def run(*arguments: Any) -> Said:
    """Run ``geomdp`` in this process; what it raises is raised."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return Said(result.exit_code, result.stdout, result.stderr)


def plan_arguments(question: Question) -> list[str] | None:
    """Return the options of ``geomdp plan``; None where Python alone can ask this."""
    if question.statistic in ("summary", "leading-mean") or question.space.startswith("curves"):
        return None
    if question.denoiser == "form":
        return None
    return [
        *_where(question),
        *DENOISER[question.denoiser],
        *_reading(question),
        *_what(question),
        *_who(question),
        *_budget(question),
        *("--invalid", question.policy),
        *("--title", "Crossings", "--institution", "The Institute"),
    ]


def _reading(question: Question) -> tuple[str, ...]:
    if question.reading != "signals":
        return READING[question.reading]
    size = question.home.record_shape.shape[0]
    return ("--signals", f"{size}x{SAMPLES}", "--gain", "2")


def _where(question: Question) -> list[str]:
    if is_images(question.space):
        return ["--space", question.space]
    if question.space.startswith("distributions:"):
        return ["--space", question.space, "--levels", ",".join(map(str, LEVELS))]
    if is_curves(question.space):
        around = question.space.endswith("around")
        grid = ["--period", "yes"] if around else ["--period", "no", "--grid", "0:1"]
        return ["--space", "functions:8", *grid, "--center", "origin", "--radius", str(TAU)]
    if question.prior != "a ball":
        return ["--space", question.space]
    center = ",".join(repr(float(x)) for x in flat(question.raw_center))
    return ["--space", question.space, "--center", center, "--radius", str(RADIUS)]


def _what(question: Question) -> list[str]:
    over = question.stages == "over time"
    find = [] if question.stages == "none" or over else ["--find-ball"]
    find += ["--periods", str(PERIODS)] if over else []
    find += ["--clipped"] if question.case.get("clipped") == "asked" else []
    if question.stages == "ball alone":
        return [*find, "--statistic", "ball"]
    options = [*find, "--statistic", TAGS.get(question.statistic, question.statistic)]
    if question.statistic in ("regression", "normative-chart"):
        options += ["--covariate", "age=20:90", "--covariate", "sex=f,m"]
    if question.statistic.startswith("classes"):
        options += ["--classes", ",".join(question.statistic_asked.labels)]
        options += ["--second-moments", question.statistic_asked.second]
    if question.statistic == "map-mean":
        options += ["--voxels", str(VOXELS)]
    return options


def _who(question: Question) -> list[str]:
    sizes = question.sizes
    options = ["--n", str(sizes)] if question.groups == "none" else []
    for label in LABELS if question.groups != "none" else ():
        options += ["--group", f"{label}={sizes[label]}"]
    if question.groups == "private":
        options += ["--private-labels"]
    if question.unit == "person with limit":
        return [*options, "--max-per-person", str(LIMIT)]
    if question.unit == "record":
        return options
    two = ["--groups-per-person", "2"] if "two" in question.unit else []
    return [*options, "--unit", "person", *two]


def _budget(question: Question) -> list[str]:
    names = {"pure": "epsilon", "approximate": "epsilon", "gdp": "mu", "zcdp": "rho"}
    delta = ["--delta", "1e-6"] if question.budget == "approximate" else []
    return [f"--{names[question.budget]}", str(AMOUNTS[question.amount]), *delta]
