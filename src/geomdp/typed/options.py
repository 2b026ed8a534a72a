"""Options that commands and screens themselves declare, and which of all there are each takes."""

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from geomdp.options import BUDGET, PUBLIC, Option, gathered, read_count, read_number

FIND_BALL = Option(
    "--find-ball",
    "The ball is a prior that may be far too wide: find a narrow one privately first. On compact "
    "spaces --center and --radius may be left out.",
    panel=PUBLIC,
    type=bool,
    default=False,
)
COUNT = Option(
    "--n",
    "Public number of records, or with --unit person of persons.",
    panel=PUBLIC,
    metavar="INTEGER",
    read=read_count,
)
NAMES = Option(
    "--names",
    "Public names of shares, regions, features or landmarks, for pictures and files: "
    "sand,silt,clay, or a text file with one name a line. Never taken from the data.",
    panel=PUBLIC,
    metavar="NAMES",
)
LINKS = Option(
    "--links",
    "Landmarks that pictures join: 1-2,2-3, or a file with a pair a line, as MorphoJ has them.",
    panel=PUBLIC,
    metavar="PAIRS",
)
ERROR = Option(
    "--error",
    "Find the smallest budget with this expected error.",
    panel=BUDGET,
    metavar="FLOAT",
    read=read_number,
)
QUANTILE = Option(
    "--quantile",
    "With --error: bound this quantile of the error instead of its mean, such as 0.95.",
    panel=BUDGET,
    metavar="FLOAT",
    read=read_number,
)
STATISTIC = Option(
    "--statistic",
    "What is asked: frechet-mean, tangent-mean, leading-mean, extrinsic-mean, moments, regression, "
    "classes, normative-region, or a plug-in's; with --find-ball also ball, the ball alone.",
    panel="How",
    metavar="TAG",
    default="frechet-mean",
)
MECHANISM = Option(
    "--mechanism",
    "auto takes the smallest expected error.",
    panel="How",
    metavar="NAME",
    default="auto",
)
BOUND = Option(
    "--bound",
    "Bound on the sensitivity.",
    panel="How",
    choices=("sharp", "paper"),
    default="sharp",
)
INVALID = Option(
    "--invalid",
    "What an invalid record does: refuse the data set (default), or count as the public centre, so "
    "that privacy holds for every data set. Surfaces always do the latter.",
    panel="How",
    choices=("refuse", "public"),
)

LEDGER = Option(
    "--ledger",
    "The account that pays: a path or a database URL.",
    panel="Ledger",
    metavar="LEDGER",
)
KEY = Option(
    "--key",
    "Key of the ledger, if it is not in ~/.config/geomdp/ledgers.",
    panel="Ledger",
    metavar="FILE",
    type=Path,
)

#: Whose a record is, where DATA is read.
WHOSE = (
    Option("--by", "Labels of the plan's groups or classes.", metavar="COLUMN"),
    Option("--person", "Who each record belongs to.", metavar="COLUMN"),
)

#: What a release and a check are told of the period.
OF_PERIOD = (
    Option("--period", "Which period it is.", panel="Over time", metavar="NAME"),
    Option(
        "--after",
        "Folder of the release before it; none in the first.",
        panel="Over time",
        metavar="FOLDER",
        type=Path,
    ),
    Option(
        "--period-column",
        "Column that says in which period each record entered.",
        panel="Over time",
        metavar="COLUMN",
        default="period",
    ),
    Option(
        "--size",
        "Public number of records, or persons, that entered since the release before; needed of "
        "persons.",
        panel="Over time",
        metavar="INTEGER",
        read=read_count,
    ),
    Option(
        "--kept",
        "Private folder that remembers which releases were begun and which records entered, if it "
        "is not ~/.config/geomdp/over-time. Never publish it.",
        panel="Over time",
        metavar="FOLDER",
        type=Path,
    ),
)


def data_options() -> tuple[Option, ...]:
    """Return how DATA is read: the same of every command that takes a plan and data."""
    from geomdp.io.options import OWN

    return gathered(WHOSE, OWN, OF_PERIOD, brought_options())


def brought_options() -> tuple[Option, ...]:
    """Return what formats of other packages declare; without one, no format is loaded."""
    from geomdp.io.options import OWN
    from geomdp.registry import plugins_for

    if not plugins_for("file format"):
        return ()
    from geomdp.io import FORMATS

    every = gathered(*(form.options for form in FORMATS.values()))
    return tuple(option for option in every if option not in OWN)


def plan_options() -> tuple[Option, ...]:
    """Return what ``geomdp plan`` takes: what it says itself, and what its parts declare."""
    from geomdp.mechanisms import MECHANISMS
    from geomdp.plans import About, Clipped, OverTime
    from geomdp.privacy import Unit
    from geomdp.readings import READINGS
    from geomdp.spaces.options import ALIKE, BALL, DENOISE
    from geomdp.spaces.specs import SPACES, space_options
    from geomdp.statistics import STATISTICS
    from geomdp.statistics.asking import SUBJECTS

    subjects = [one for subject in SUBJECTS.values() for one in subject.options]
    public = [one for one in subjects if one.panel == PUBLIC]
    return _told(
        (
            *BALL,
            DENOISE,
            FIND_BALL,
            *public,
            *Clipped.options,
            COUNT,
            *OverTime.options,
            NAMES,
            LINKS,
        ),
        *(space_options(name) for name in SPACES),
        *(kind.options for kind in READINGS.values()),
        subjects,
        *(kind.options for kind in STATISTICS.values()),
        (*budget_options(), ERROR, QUANTILE, _kind()),
        (*Unit.options, ALIKE),
        (STATISTIC, MECHANISM, BOUND, INVALID),
        *(mechanism.options for mechanism in MECHANISMS.values()),
        About.options,
    )


def ball_options() -> tuple[Option, ...]:
    """Return what ``geomdp ball`` shares with a plan."""
    from geomdp.readings import READINGS
    from geomdp.spaces.options import BALL, BALL_FILE
    from geomdp.spaces.specs import SPACES, space_options

    return _told(
        (one for one in BALL if one is not BALL_FILE),
        *(space_options(name) for name in SPACES),
        *(kind.options for kind in READINGS.values()),
        (COUNT, *budget_options()),
    )


def budget_options() -> tuple[Option, ...]:
    """Return what states a budget."""
    from geomdp.privacy.budgets import BUDGET_OPTIONS

    return BUDGET_OPTIONS


def _kind() -> Option:
    """Kinds of budgets that are one number, which a search can find."""
    from geomdp.privacy.budgets import KINDS

    return Option(
        "--kind",
        "With --error: the kind of budget.",
        panel=BUDGET,
        choices=tuple(kind.kind for kind in KINDS.values() if len(kind.options) == 1),
        default="pure",
    )


def _told(*declared: Iterable[Option]) -> tuple[Option, ...]:
    """Return options, each once; the help of a registry's option names what is registered."""
    from geomdp.mechanisms import MECHANISMS
    from geomdp.readings import READINGS
    from geomdp.registry import foreign_package
    from geomdp.spaces.options import SPACE
    from geomdp.spaces.specs import SPACES
    from geomdp.statistics import STATISTICS
    from geomdp.statistics.asking import SUBJECTS

    others: list[Any] = [*READINGS.values(), *SUBJECTS.values()]
    spaces = [", ".join(SPACES.examples()), *(one.space_help for one in others if one.space_help)]
    foreign = [tag for tag, kind in STATISTICS.items() if foreign_package(kind)]
    asked = STATISTIC.help.replace("a plug-in's", ", ".join(foreign) or "a plug-in's")
    served = tuple(name for name, one in MECHANISMS.items() if not one.comparison)
    chosen = f"{MECHANISM.help} The others: {', '.join(served)}."
    told = {
        SPACE.name: (f"Where records live: {'; '.join(spaces)}.", SPACES.examples()),
        STATISTIC.name: (asked, tuple(STATISTICS)),
        MECHANISM.name: (chosen, ("auto", *served)),
    }
    found = gathered(*declared)
    texts = [told.get(one.name, (one.help, one.examples)) for one in found]
    return tuple(
        replace(one, help=text, examples=examples)
        for one, (text, examples) in zip(found, texts, strict=True)
    )
