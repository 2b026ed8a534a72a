"""What can be asked of records: which questions there are, and which of them the records allow.

What is allowed follows from what was typed about the space alone, and is found by asking: the
question is made, as the plan makes it, with a public stand-in for whatever is not typed yet.
"""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError
from geomdp.options import Option
from geomdp.plans import OverTime
from geomdp.readings import READINGS
from geomdp.spaces.options import CENTER, RADIUS, SPACE
from geomdp.spaces.specs import SPACES, space_from_spec, space_options
from geomdp.statistics import STATISTICS
from geomdp.statistics.asking import MEAN, SUBJECTS
from geomdp.statistics.covariates import COVARIATE
from geomdp.statistics.regression import Regression
from geomdp.studio.drafts import Draft, read
from geomdp.typed.options import STATISTIC, plan_options

if TYPE_CHECKING:
    from geomdp.spaces import Space

REGRESSION = Regression.tag
_BALL = {CENTER.key: "origin", RADIUS.key: "0.1"}
#: Stand for what is not typed yet, one after another: some questions need no ball, curves a period.
#: Which they are does not matter here, since nothing is planned with them.
STANDING_IN: tuple[Mapping[str, str], ...] = ({}, {**_BALL, "period": "no"}, _BALL)


@dataclass(frozen=True)
class Question:
    """One card: a question in words, with what it needs to be told.

    ``tag``: what ``--statistic`` calls it, and its picture. ``title``, ``gives``: in words.
    ``needs``: what stands for the options that it cannot do without, until these are typed.
    """

    tag: str
    title: str
    gives: str
    needs: Mapping[str, str] = field(default_factory=dict)


QUESTIONS = (
    Question(MEAN, "The mean", "One typical record, with noise."),
    Question(
        "moments",
        "The mean with error bars",
        "Also how records vary, and the region in which the mean lies.",
    ),
    Question(
        REGRESSION,
        "A regression",
        "How records change with age, sex or treatment: columns with public ranges.",
        {COVARIATE.key: "x=0:1"},
    ),
    Question(
        "classes",
        "Classes with private labels",
        "Size and mean of each class, where the label is private too.",
        {"classes": "a,b"},
    ),
    Question(
        "normative-region",
        "What is normal",
        "The region that holds 95 of 100 people, and a centile for whoever comes next.",
    ),
    Question(
        "tangent-mean",
        "The mean seen from the centre",
        "Faster, with less noise in many dimensions; a little off where records are far apart.",
    ),
    Question(
        "extrinsic-mean",
        "The mean direction or axis",
        "Of records that may lie anywhere: no ball is needed, and nothing is clipped.",
    ),
)
#: Curves and distributions have a mean of their own kind; its card shows it.
OF_CURVES = Question(MEAN, "The mean curve", "One typical curve with its band.")
OF_DISTRIBUTIONS = Question(
    MEAN,
    "The mean distribution",
    "What shares of readings lie below what, with a band that holds everywhere at once.",
)
_OWN_MEAN = {"distributions": OF_DISTRIBUTIONS, "functions": OF_CURVES}


@dataclass(frozen=True)
class Offered:
    """A question, and why the records do not allow it: empty where they do."""

    question: Question
    picture: str
    chosen: bool
    refusal: str


def offered(draft: Draft) -> list[Offered]:
    """Return the cards for what is typed about records so far; all where nothing is."""
    family = draft.plan.get(SPACE.key, "").partition(":")[0]
    asked = draft.plan.get(STATISTIC.key, MEAN)
    found = []
    for one in QUESTIONS:
        own = _OWN_MEAN.get(family, one) if one.tag == MEAN else one
        picture = family if own is not one else one.tag
        found.append(Offered(own, picture, one.tag == asked, refusal(draft, one)))
    return found


def refusal(draft: Draft, question: Question) -> str:
    """Say why a question cannot be asked of the records; empty where nothing speaks against it."""
    if SPACE.key not in draft.plan and "template" not in draft.plan:
        return ""
    others = {one.key for one in question_options()}
    typed = {key: text for key, text in draft.plan.items() if key not in others}
    typed |= {STATISTIC.key: question.tag, **question.needs}
    found = ""
    for instead in STANDING_IN:
        try:
            read(plan_options(), {**instead, **typed}).statistic()
        except (GeomdpError, OSError) as error:
            found = str(error)
        else:
            return ""
    return found


def question_options() -> list[Option]:
    """Return what questions are told beside the space and the ball, each once."""
    found = {COVARIATE.key: COVARIATE}
    for one in QUESTIONS:
        found |= {option.key: option for option in STATISTICS[one.tag].options}
    return list(found.values())


def fields_of(draft: Draft) -> list[Option]:
    """Return what the chosen question is told, and what was typed of others, to be taken out."""
    named = {one.key: one for one in plan_options()}
    kind = STATISTICS.get(draft.plan.get(STATISTIC.key, MEAN))
    own = {one.key for one in (() if kind is None else kind.options)}
    return [named[one.key] for one in question_options() if one.key in own or one.key in draft.plan]


def of_records(draft: Draft, options: list[Option]) -> tuple[list[Option], list[Option]]:
    """Part options on how records are written: those of the chosen kind or typed, and others."""
    spec = draft.plan.get(SPACE.key, "")
    try:
        given = read(plan_options(), draft.plan)
        subject = next((one for one in SUBJECTS.values() if one.concerns(given)), None)
        space = None if subject or given.reading or not spec else space_from_spec(spec)
    except (GeomdpError, OSError):
        return options, []
    if subject is None and given.reading is None and space is None:
        return options, []  # nothing is chosen yet
    kinds: list[Any] = [*READINGS.values(), *SUBJECTS.values()]
    declared = {one.key for kind in kinds for one in kind.options}
    declared |= {one.key for family in SPACES for one in space_options(family)}
    own = {*draft.plan, *(one.key for one in (subject.options if subject else ()))}
    if space is not None:
        own |= {one.key for one in space_options(spec.partition(":")[0])}
        read_so = [kind for kind in READINGS.values() if _reads(kind.options[0], spec, space)]
        own |= {one.key for kind in read_so for one in kind.options}
    mine = [one for one in options if one.key in own or one.key not in declared]
    return mine, [one for one in options if one not in mine]


def _reads(option: Option, spec: str, space: "Space") -> bool:
    """Tell whether records of a space can be written as an option says: it is tried."""
    size = "x".join(map(str, (*space.point_shape[:1], 9)))
    for text in ("yes", "2", size, *option.choices[-1:]):
        with suppress(GeomdpError):
            reading = read(plan_options(), {SPACE.key: spec, option.key: text}).reading
            if reading is not None:
                reading.require(space)
                return True
    return False


def over_time() -> list[Option]:
    """Return what releases over time are told."""
    return list(OverTime.options)


def with_covariate(draft: Draft, column: str, between: str) -> Draft:
    """Ask how records change with a column, whose range is typed; a mean becomes a regression."""
    others = draft.plan.get(COVARIATE.key, "").splitlines()
    lines = [one for one in others if one.rpartition("=")[0].strip() != column]
    typed = {COVARIATE.key: "\n".join([*lines, f"{column}={between}"])}
    kind = STATISTICS.get(draft.plan.get(STATISTIC.key, MEAN))
    along = kind is not None and COVARIATE in kind.options
    return draft.with_texts(typed if along else {**typed, STATISTIC.key: REGRESSION})
