"""What a plan says to a board, and a release to its readers, in plain words."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import singledispatch

import numpy as np

from geomdp.plans import OverTimePlan, ParallelPlan, Plan, StagedPlan
from geomdp.plans.about import About, error_radius, light_of, noise_share
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import budget_words
from geomdp.readings import Reading
from geomdp.readings.base import as_written
from geomdp.readings.names import said
from geomdp.report import words
from geomdp.report.naming import in_words, subject_in, with_titles
from geomdp.report.odds import first_row_words, meaning
from geomdp.report.words import capital
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import VoxelGrid

#: Centres of more numbers are shown as a picture, and stand in the plan's file.
MOST_NUMBERS = 16


@dataclass(frozen=True)
class Chapter:
    """A heading with its sentences."""

    heading: str
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class ErrorRow:
    """The error to expect of one value: of a group, or under a condition."""

    what: str
    expected: str
    likely: str
    share: float | None

    @property
    def light(self) -> tuple[str, str] | None:
        """The traffic light: its colour and what it says; None without a radius to compare with."""
        if self.share is None:
            return None
        light = light_of(self.share)
        return light, f" {100 * self.share:.3g}% of the radius, {words.LIGHTS[light]}"


def chapters(plan: Plan) -> tuple[Chapter, ...]:
    """Return what is asked, what is public, what a person risks, and what error to expect."""
    return (
        Chapter("What is asked", (asked(plan),)),
        Chapter("What is public", tuple(public_words(plan))),
        Chapter(risk_heading(plan.unit), tuple(_risks(plan))),
        *(Chapter(heading, said) for heading, said in plan.further_chapters().items()),
        Chapter("What error to expect", tuple(_error(plan))),
    )


def headline(plan: Plan, otherwise: str) -> str:
    """Return the title that the plan was given, else another."""
    return (plan.about.title if plan.about else "") or otherwise


def about_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return what the plan says about itself; what it should say and does not is named."""
    about = plan.about or About()
    return [(text, getattr(about, name) or words.NOT_SAID) for name, text in words.ABOUT.items()]


def warning_words(plan: Plan) -> list[str]:
    """Return what stands on top of everything else: a promise that is not exact, and warnings."""
    strength = plan.guarantee.strength
    weak = [] if strength == "exact" else [words.STRENGTH[strength]]
    return [*weak, *(str(caution) for caution in plan.warnings)]


@singledispatch
def asked(plan: Plan) -> str:
    """Say what is asked of whom, in one sentence."""
    whom = plan.unit.count(plan.n) if plan.statistic.needs_n else "one computed point"
    return f"{_described(plan)}, of {whom}."


@asked.register
def _(plan: ParallelPlan) -> str:
    sizes = ", ".join(f"{label} ({plan.unit.count(n)})" for label, n in plan.sizes.items())
    return f"{_described(plan)}, one release for each group: {sizes}."


@asked.register
def _(plan: StagedPlan) -> str:
    return f"{capital(with_titles(plan.rule.describe(), plan))}, of {plan.unit.count(plan.n)}."


@asked.register
def _(plan: OverTimePlan) -> str:
    return (
        f"{_described(plan)}, of all records so far, again in each of {len(plan.periods)} periods; "
        f"{plan.unit.count(plan.n)} are expected by the last."
    )


def _described(plan: Plan) -> str:
    return capital(with_titles(plan.statistic.describe(), plan))


def risk_heading(unit: Unit) -> str:
    """Return the heading above a promise: it names who is protected."""
    return f"What a release may tell about one {unit.of}"


def error_rows(plan: Plan) -> list[ErrorRow]:
    """Return the error to expect, one row a group, or a case that is not known in advance."""
    if plan.cases:
        radius = error_radius(plan)
        return [
            ErrorRow(
                case,
                in_words(plan.statistic, one.expected, plan.reading),
                in_words(plan.statistic, one.quantile(0.95), plan.reading),
                None if radius is None else one.expected / radius,
            )
            for case, one in plan.cases.items()
        ]
    return [
        ErrorRow(
            f"group {label}" if label else "this plan",
            in_words(part.statistic, part.expected_error, plan.reading),
            in_words(part.statistic, part.error_quantile(0.95), plan.reading),
            noise_share(part),
        )
        for label, part in (plan.parts or {"": plan}).items()
    ]


def radius_words(statistic: Statistic, radius: float, reading: Reading | None = None) -> str:
    """Return a public radius with what it means on its space."""
    ball = statistic.public_ball
    if ball is None:
        return in_words(statistic, radius)
    return f"{radius:.6g}{subject_in(ball.space, reading).distance_words(radius)}"


def public_words(plan: Plan) -> Iterator[str]:
    """Say what is public, and that it was known before anybody looked."""
    statistic = plan.public_statistic
    space = statistic.home_space
    if space is not None:
        place = f", {statistic.everywhere}" if statistic.everywhere else ""
        yield f"Where the records live: {subject_in(space, plan.reading).title}{place}."
    if plan.reading is not None:
        yield f"What a record in the file is: {plan.reading.describe()}."
    if statistic.public_radius is not None:
        yield (
            f"The public centre: {_center(statistic, plan.reading)}. The public radius around it: "
            f"{radius_words(statistic, statistic.public_radius, plan.reading)}."
        )
        yield f"{_moved(plan.unit)} before anything else is computed: {words.WHY_CLIPPED}"
    yield from _of_files(plan)
    if plan.names:
        yield f"What a record consists of, by names that the curator gave: {said(plan.names)}."
    if statistic.needs_n:
        yield f"{_sizes(plan)} {words.invalid(plan.guarantee)}"
    yield (
        f"The mechanism ({plan.describe_mechanism()}), the size of its noise and every other "
        "setting in the plan's file."
    )
    yield f"{words.CHOSEN_BLINDLY}, and the board should ask where centre and radius come from."


def _moved(unit: Unit) -> str:
    """Say what clipping moves: a record, or where persons count once the mean of a person's."""
    if unit.counted == "record":
        return "A record farther out is moved to the edge"
    return "A person counts once, by the mean of all records, which is moved to the edge if farther"


def _of_files(plan: Plan) -> Iterator[str]:
    """Say what files of such records are often mistaken for."""
    statistic, ball = plan.public_statistic, plan.public_statistic.public_ball
    if (mapped := statistic.as_map()) is not None:
        yield words.MASK_LATER if mapped.grid is None else _mask(mapped.grid)
    if ball is not None and (caution := subject_in(ball.space, plan.reading).record_caution):
        yield caution


def _mask(grid: VoxelGrid) -> str:
    """Say where the voxels of a map lie."""
    sizes = " x ".join(str(size) for size in grid.inside.shape)
    steps = " x ".join(f"{step:.4g}" for step in grid.steps)
    return (
        f"The voxels: {grid.count} of a public mask of {sizes} voxels of {steps} mm, which the "
        "plan holds; nobody's own image says where they lie."
    )


def _center(statistic: Statistic, reading: Reading | None) -> str:
    center = as_written(np.asarray(statistic.public_center), reading)
    if center.size > MOST_NUMBERS:
        shape = " x ".join(str(size) for size in center.shape)
        return f"an array of {shape} numbers, in the plan's file and pictured on its page"
    plane = np.iscomplexobj(center)
    numbers = ", ".join(
        f"({entry.real:.6g}, {entry.imag:.6g})" if plane else f"{entry:.6g}"
        for entry in center.ravel()
    )
    return f"{numbers} {statistic.everywhere}".rstrip()


def _sizes(plan: Plan) -> str:
    if plan.has_sites:
        return words.opened_number(plan.unit)
    if plan.parts:
        return words.public_sizes(plan.unit)
    return words.public_number(plan.unit, plan.n)


def _risks(plan: Plan) -> Iterator[str]:
    yield from promise_words(plan)
    if plan.guarantee.strength != "none":
        yield first_row_words(meaning(plan.guarantee.budget, plan.unit))


def promise_words(plan: Plan) -> Iterator[str]:
    """Say what is promised to whom, and how the parts of the plan share it."""
    guarantee = plan.guarantee
    explained = meaning(guarantee.budget, plan.unit)
    if guarantee.strength == "none":
        yield words.NOTHING_PROMISED
        return
    yield (
        f"The promise: {budget_words(guarantee.budget, plan.n)} ({explained.name}). Who sees the "
        f"release can hardly tell apart data sets in which {plan.unit.neighbours()}."
    )
    yield explained.plain
    if plan.stage_budgets:
        budgets = ", then ".join(budget_words(budget, plan.n) for budget in plan.stage_budgets)
        yield f"The stages share this promise, fixed in advance: {budgets}."
    if plan.period_names:
        yield words.OVER_TIME
    if plan.parts:
        yield f"How the groups add up: {plan.unit.composition()}."
    yield from words.caveats(guarantee)
    yield words.ADDS_UP


def _error(plan: Plan) -> Iterator[str]:
    for row in error_rows(plan):
        light = "" if row.light is None else f" ({':'.join(row.light)})"
        yield (
            f"{capital(row.what)}: {row.expected} on average, at most {row.likely} in 95 of 100 "
            f"releases{light}."
        )
    yield from error_notes(plan)


def error_notes(plan: Plan) -> Iterator[str]:
    """Say what the numbers of the error mean, and what they leave out."""
    if plan.forecast.note:
        yield f"Note: {plan.forecast.note}."
    yield from (f"Note: {text}." for text in plan.remarks)
    yield from denoised_words(plan)
    yield f"{words.ERROR_IS} {words.FROM_THE_LAW}"


def denoised_rows(plan: Plan) -> Iterator[tuple[str, str]]:
    """Return the errors to expect of denoised values, beside those of :func:`error_rows`."""
    for label, one in {"": plan, **plan.parts}.items():
        if (better := one.denoising) is not None:
            whose = f"group {label}, " * bool(label)
            errors = (better.typical, better.center)
            for place, error in zip(better.known.places, errors, strict=False):
                told = in_words(one.statistic, error, one.reading)
                yield f"{whose}denoised, if {place}", told


def denoised_words(plan: Plan) -> Iterator[str]:
    """Say what error is left where it costs nothing to lose some, and what is known of it."""
    for label, one in {"": plan, **plan.parts}.items():
        if (better := one.denoising) is not None:
            known = better.known
            told = {"foreseen": better.foreseen, "rule": known.name, "risk": known.risk}
            yield f"Group {label}: " * bool(label) + words.DENOISED_FORESEEN.format(**told)
        elif one.as_drawn:
            yield f"The value {one.as_drawn}."


def limits(plan: Plan) -> list[str]:
    """Return the limits that a reader of a release must know, for a plan of any shape."""
    return [
        *words.protected(plan.guarantee.unit),
        *_of_the_statistic(plan),
        *_of_the_numbers(plan),
        f"{words.CHOSEN_BLINDLY}.",
        *words.caveats(plan.guarantee),
    ]


def _of_the_statistic(plan: Plan) -> Iterator[str]:
    if plan.stage_budgets:  # which ball it was is found later, and told by each stage
        yield from (f"{capital(text)}." for text in plan.remarks)
    elif clipped := clipping(plan.statistic, plan.unit):
        yield clipped
    if plan.statistic.covariate_names:
        yield words.RANGES


def _of_the_numbers(plan: Plan) -> Iterator[str]:
    if not plan.statistic.needs_n:
        yield (
            f"The sensitivity, {plan.single.sensitivity.value:.6g}, was stated by the curator; the "
            "guarantee is as good as that statement."
        )
        return
    yield words.invalid(plan.guarantee)
    yield _sizes(plan)


def clipping(statistic: Statistic, unit: Unit) -> str:
    """Say that what lay far from the centre was clipped; nothing where there is no radius."""
    ball, radius = statistic.public_ball, statistic.public_radius
    radius = radius if ball is None else ball.radius
    if radius is None:
        return ""
    center = "centre" if ball is not None else "template"
    what = words.clipped(unit)
    return (
        f"Clipping: {what} farther than {radius:.6g} from the public {center} were moved to that "
        f"distance. The error is measured to the mean of the {what} so moved; how many were moved "
        "is not told, since it would tell about them."
    )
