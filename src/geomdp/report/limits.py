"""What a release does not promise, in plain words."""

from collections.abc import Iterator

from geomdp.plans import ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import invalid_words
from geomdp.report.opening import capital
from geomdp.statistics.base import Statistic


def limits(plan: Plan) -> list[str]:
    """Return the limits that a reader must know, for a plan of any shape.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> len(limits(plan))
    5
    """
    guarantee = plan.guarantee
    return [
        *_of_the_promise(guarantee.unit),
        *_of_the_statistic(plan),
        *_of_the_numbers(plan),
        "The centre, the radius and every other setting must have been chosen without looking at "
        "the data; no program can check that.",
        *(f"{capital(caveat)}." for caveat in guarantee.caveats),
    ]


def _of_the_promise(unit: Unit) -> Iterator[str]:
    yield _who(unit)
    yield "Other releases from the same data add up: their budgets compose with this one."
    any_one = "any one record" if unit.of == "record" else "any one person's records"
    yield (
        f"What is true in general may be learned from the release, with or without {any_one}; that "
        "is what it is for."
    )
    most = unit.max_records
    if most is not None and most > 1:
        yield (
            f"Nobody has more than {most} records: the curator said so, and a release of anything "
            "else was refused."
            if unit.labels == "private"
            else f"Records beyond a person's first {most} did not count."
        )


def _of_the_statistic(plan: Plan) -> Iterator[str]:
    if isinstance(plan, StagedPlan):  # which ball it was is found later, and told by each stage
        yield from (f"{capital(text)}." for text in plan.rule.remarks())
    elif clipped := clipping(plan.statistic, plan.unit):
        yield clipped
    if plan.statistic.covariate_names:
        yield (
            "Covariates beyond their declared ranges counted as the nearer end; ranges and levels "
            "are public."
        )


def _of_the_numbers(plan: Plan) -> Iterator[str]:
    if isinstance(plan, SinglePlan) and not plan.statistic.needs_n:
        yield (
            f"The sensitivity, {plan.sensitivity.value:.6g}, was stated by the curator; the "
            "guarantee is as good as that statement."
        )
        return
    yield f"{capital(invalid_words(plan.guarantee.invalid, plan.unit))}."
    if isinstance(plan, ParallelPlan):
        yield f"The sizes of the groups are public; {_of_labels(plan.unit)}."
    else:
        yield f"The number of {plan.unit.plural}, {plan.n}, is public and not protected."


def _of_labels(unit: Unit) -> str:
    if unit.hides_labels:
        return "who belongs to which group is protected"
    return "so are the labels: that someone belongs to a group is not protected"


def clipping(statistic: Statistic, unit: Unit) -> str:
    """Say that what lay far from the public centre was clipped; nothing where there is no radius.

    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> clipping(mean, Unit.record())[:49]
    'Clipping: records farther than 0.5 from the publi'
    """
    ball, radius = statistic.public_ball, statistic.public_radius
    radius = radius if ball is None else ball.radius
    if radius is None:
        return ""
    center = "centre" if ball is not None else "template"
    what = "records" if unit.counted == "record" else "means of a person's records"
    return (
        f"Clipping: {what} farther than {radius:.6g} from the public {center} were moved to that "
        f"distance. The error is measured to the mean of the {what} so moved; how many were moved "
        "is not told, since it would tell about them."
    )


def _who(unit: Unit) -> str:
    """Say who is protected, and who is not."""
    if unit.of == "record":
        return (
            "One record is protected at a time. Whoever contributed several records, or whose "
            "relatives did, is protected less."
        )
    return (
        f"One person is protected at a time: neighbours are data sets in which "
        f"{unit.neighbours()}. Relatives of each other are protected less."
    )
