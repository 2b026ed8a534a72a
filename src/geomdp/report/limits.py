"""What a release does not promise, in plain words."""

from geomdp.plans import SinglePlan
from geomdp.privacy import Unit
from geomdp.privacy.guarantee import INVALID_WORDS, Guarantee
from geomdp.statistics.base import Statistic


def limits(plan: SinglePlan, guarantee: Guarantee) -> list[str]:
    """Return the limits that a reader must know.

    Examples
    --------
    >>> import geomdp as dp
    >>> plan = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(epsilon=1))
    >>> len(limits(plan, plan.guarantee))
    5
    """
    texts = [
        _who(guarantee.unit),
        "Other releases from the same data add up: their budgets compose with this one.",
        "What is true of people in general may be learned from the release, with or without any "
        "one person's record; that is what it is for.",
    ]
    if guarantee.unit.max_records not in (None, 1):
        texts.append(f"Records beyond a person's first {guarantee.unit.max_records} did not count.")
    clipped = clipping(plan.statistic)
    if clipped:
        texts.append(clipped)
    if plan.statistic.covariate_names:
        texts.append(
            "Covariates beyond their declared ranges counted as the nearer end; ranges and levels "
            "are public."
        )
    if plan.statistic.needs_n:
        words = INVALID_WORDS[guarantee.invalid]
        texts.append(f"{words[0].upper()}{words[1:]}.")
        texts.append(f"The number of records, {plan.n}, is public and not protected.")
    else:
        texts.append(
            f"The sensitivity, {plan.sensitivity.value:.6g}, was stated by the curator; the "
            "guarantee is as good as that statement."
        )
    texts.append(
        "The centre, the radius and every other setting must have been chosen without looking at "
        "the data; no program can check that."
    )
    return [*texts, *(f"{caveat[:1].upper()}{caveat[1:]}." for caveat in guarantee.caveats)]


def clipping(statistic: Statistic) -> str:
    """Say that records far from the public centre were clipped; nothing where there is no radius.

    >>> import geomdp as dp
    >>> clipping(dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)))[:49]
    'Clipping: records farther than 0.5 from the publi'
    """
    ball, radius = statistic.public_ball, statistic.public_radius
    radius = radius if ball is None else ball.radius
    if radius is None:
        return ""
    center = "centre" if ball is not None else "template"
    return (
        f"Clipping: records farther than {radius:.6g} from the public {center} were moved to that "
        "distance. The error is measured to the mean of the records so moved; how many were moved "
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
