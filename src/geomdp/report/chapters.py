"""What a plan says to a board, in plain words: the same on the page and on the terminal."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.plans.warnings import Light, light_of, noise_share
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import budget_words, invalid_words
from geomdp.readings import Compositions, Reading
from geomdp.readings.names import said
from geomdp.report.meaning_of_distance import in_words, meaning_of, spoken
from geomdp.report.numbers import as_written
from geomdp.report.opening import asked, capital
from geomdp.report.pictures.scene import home_of, subject_in
from geomdp.report.words import meaning, reading
from geomdp.spaces.sphere import Sphere
from geomdp.spaces.symmetric import SPDPoints
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import MapMean

#: Centres of more numbers are shown as a picture, and stand in the plan's file.
MOST_NUMBERS = 16
#: Matrices of this size come as images of diffusion tensors.
TENSOR = 3
#: What a traffic light means.
LIGHTS: dict[Light, str] = {
    "green": "little of the ball is noise",
    "amber": "some of the ball is noise",
    "red": "much of the ball is noise",
}


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
    def light(self) -> str:
        """The traffic light in words, empty where there is no radius to compare with."""
        if self.share is None:
            return ""
        light = light_of(self.share)
        return f"{light}: {100 * self.share:.3g}% of the radius, {LIGHTS[light]}"


def chapters(plan: Plan) -> tuple[Chapter, ...]:
    """Return what is asked, what is public, what a person risks, and what error to expect.

    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> made = dp.plan(dp.FrechetMean(ball), n=100, budget=dp.Pure(1), mechanism="laplace")
    >>> [chapter.heading for chapter in chapters(made)][:2]
    ['What is asked', 'What is public']
    """
    return (
        Chapter("What is asked", (asked(plan),)),
        Chapter("What is public", tuple(public_words(plan))),
        Chapter(risk_heading(plan.unit), tuple(_risks(plan))),
        Chapter("What error to expect", tuple(_error(plan))),
    )


def risk_heading(unit: Unit) -> str:
    """Return the heading above a promise: it names who is protected.

    >>> risk_heading(Unit.person())
    'What a release may tell about one person'
    """
    return f"What a release may tell about one {unit.of}"


def shown_plan(plan: Plan) -> SinglePlan | None:
    """Return the single plan whose noise a page can picture: of the group with the largest error.

    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = dp.plan(mean, n={"a": 20, "b": 30}, budget=dp.Pure(1), mechanism="laplace")
    >>> shown_plan(made).n
    20
    """
    if isinstance(plan, ParallelPlan):
        return max(plan.plans.values(), key=lambda part: part.expected_error)
    last = plan.rule.outlook() if isinstance(plan, StagedPlan) else plan
    return last if isinstance(last, SinglePlan) else None


def error_rows(plan: Plan) -> list[ErrorRow]:
    """Return the error to expect, one row a group, or a case that is not known in advance."""
    if isinstance(plan, StagedPlan):
        cases = dict(plan.rule.forecasts())
        if plan.expected_error not in [one.expected for one in cases.values()]:
            cases = {"before anything is known": plan.forecast, **cases}
        radius = plan.public_statistic.public_radius
        return [
            ErrorRow(
                case,
                in_words(plan.statistic, one.expected, plan.reading),
                in_words(plan.statistic, one.quantile(0.95), plan.reading),
                None if radius is None else one.expected / radius,
            )
            for case, one in cases.items()
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
    """Return a public radius with what it means on its space.

    >>> import geomdp as dp
    >>> radius_words(dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5)), 0.5)
    '0.5 rad (28.6°)'
    """
    ball = statistic.public_ball
    if ball is None:
        return in_words(statistic, radius)
    return f"{radius:.6g}{meaning_of(subject_in(ball.space, reading), radius)}"


def public_words(plan: Plan) -> Iterator[str]:
    """Say what is public, and that it was known before anybody looked."""
    statistic = plan.public_statistic
    space = home_of(statistic)
    if space is not None:
        voxels = ", in every voxel" if isinstance(statistic, MapMean) else ""
        yield f"Where the records live: {spoken(subject_in(space, plan.reading))}{voxels}."
    if plan.reading is not None:
        yield f"What a record in the file is: {plan.reading.describe()}."
    if statistic.public_radius is not None:
        yield (
            f"The public centre: {_center(statistic, plan.reading)}. The public radius around it: "
            f"{radius_words(statistic, statistic.public_radius, plan.reading)}."
        )
        yield (
            f"{_moved(plan.unit)} before anything else is computed: a radius that is too small "
            "costs accuracy, one that is too large costs noise, and neither costs privacy."
        )
    yield from _of_files(plan)
    if plan.names:
        yield f"What a record consists of, by names that the curator gave: {said(plan.names)}."
    if statistic.needs_n:
        yield f"{_sizes(plan)} {capital(invalid_words(plan.guarantee.invalid, plan.unit))}."
    yield (
        f"The mechanism ({plan.describe_mechanism()}), the size of its noise and every other "
        "setting in the plan's file. All of it was fixed without looking at the records; no "
        "program can check that, and the board should ask where centre and radius come from."
    )


def _moved(unit: Unit) -> str:
    """Say what clipping moves: a record, or where persons count once the mean of a person's."""
    if unit.counted == "record":
        return "A record farther out is moved to the edge"
    return "A person counts once, by the mean of all records, which is moved to the edge if farther"


def _of_files(plan: Plan) -> Iterator[str]:
    """Say what files of such records are often mistaken for."""
    ball = plan.public_statistic.public_ball
    if isinstance(plan.public_statistic, MapMean):
        yield from _of_maps(plan.public_statistic)
    if ball is None or isinstance(plan.reading, Compositions):
        return
    if isinstance(ball.space, Sphere):
        yield (
            "A direction has a sign: records of axes, whose sign means nothing, must be turned to "
            "the side of the centre in the file, each by itself."
        )
    if isinstance(ball.space, SPDPoints) and ball.space.k == TENSOR:
        yield (
            "In an image (NIfTI) a voxel is a record, not a person; which voxels count is said by "
            "a mask, which must be public like everything here."
        )


def _of_maps(statistic: MapMean) -> Iterator[str]:
    """Say where the voxels of a map lie."""
    if statistic.grid is None:
        yield "Where the voxels lie is said by a mask at the release, which must be public."
        return
    sizes = " x ".join(str(size) for size in statistic.grid.inside.shape)
    steps = " x ".join(f"{step:.4g}" for step in statistic.grid.steps)
    yield (
        f"The voxels: {statistic.voxels} of a public mask of {sizes} voxels of {steps} mm, which "
        "the plan holds; nobody's own image says where they lie."
    )


def _center(statistic: Statistic, reading: Reading | None) -> str:
    everywhere = isinstance(statistic, MapMean)
    center = statistic.ball.center if isinstance(statistic, MapMean) else statistic.public_record
    center = as_written(np.asarray(center), reading)
    if center.size > MOST_NUMBERS:
        shape = " x ".join(str(size) for size in center.shape)
        return f"an array of {shape} numbers, in the plan's file and pictured on its page"
    return ", ".join(f"{entry:.6g}" for entry in center.ravel()) + " in every voxel" * everywhere


def _sizes(plan: Plan) -> str:
    if isinstance(plan, ParallelPlan):
        labels = "are protected" if plan.unit.hides_labels else "are public too"
        return f"The sizes of the groups are public, and the labels {labels}."
    return f"The number of {plan.unit.plural}, {plan.n}, is public and not protected."


def _risks(plan: Plan) -> Iterator[str]:
    yield from promise_words(plan)
    if plan.guarantee.strength != "none":
        yield reading(meaning(plan.guarantee.budget, plan.unit))


def promise_words(plan: Plan) -> Iterator[str]:
    """Say what is promised to whom, and how the parts of the plan share it."""
    guarantee = plan.guarantee
    explained = meaning(guarantee.budget, plan.unit)
    if guarantee.strength == "none":
        yield "EVERYTHING: this plan is a comparison and NOT PRIVATE."
        return
    yield (
        f"The promise: {budget_words(guarantee.budget, plan.n)} ({explained.name}). Who sees the "
        f"release can hardly tell apart data sets in which {plan.unit.neighbours()}."
    )
    yield explained.plain
    if isinstance(plan, StagedPlan):
        budgets = ", then ".join(budget_words(budget, plan.n) for budget in plan.rule.budgets)
        yield f"The stages share this promise, fixed in advance: {budgets}."
    if isinstance(plan, ParallelPlan):
        yield f"How the groups add up: {plan.unit.composition()}."
    yield from (f"{capital(caveat)}." for caveat in guarantee.caveats)
    yield (
        "Other releases from the same records add up with this one: a ledger keeps account of them."
    )


def _error(plan: Plan) -> Iterator[str]:
    for row in error_rows(plan):
        light = f" ({row.light})" if row.light else ""
        yield (
            f"{capital(row.what)}: {row.expected} on average, at most {row.likely} in 95 of 100 "
            f"releases{light}."
        )
    yield from error_notes(plan)


def error_notes(plan: Plan) -> Iterator[str]:
    """Say what the numbers of the error mean, and what they leave out."""
    if plan.forecast.note:
        yield f"Note: {plan.forecast.note}."
    if isinstance(plan, StagedPlan):
        yield from (f"Note: {text}." for text in plan.rule.remarks())
    yield (
        "The error is the distance between the release and the same statistic without noise. It "
        "follows from the known law of the noise, not from the records."
    )
