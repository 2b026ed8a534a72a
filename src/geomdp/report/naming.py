"""What plans and distances are called: each space, statistic and reading is asked for its words."""

from typing import Any, TypeAlias

from geomdp.plans import Plan
from geomdp.readings import Reading
from geomdp.spaces.base import Space
from geomdp.statistics.base import Statistic

#: What a picture or a sentence is of: a space, what a reading sees in one, or the statistic itself
#: if its value is no point of a space. It has ``distance_words``, and all but a statistic a title.
Subject: TypeAlias = Any


def subject_of(statistic: Statistic, reading: Reading | None = None) -> Subject:
    """Return what a picture is of: the space, or the statistic if its value is no point of one."""
    space = statistic.mean_space
    return statistic if space is None else subject_in(space, reading)


def subject_in(space: Space, reading: Reading | None) -> Subject:
    """Return what pictures of points of a space are of, by what raw records are."""
    return space if reading is None else reading.seen_in(space)


def subject_of_curve(statistic: Statistic, reading: Reading | None = None) -> Subject:
    """Return what pictures of what is released are of: of a regression, its curve's points."""
    curve: Subject = statistic.curve_in
    if curve is None:
        return subject_of(statistic, reading)
    return curve if reading is None else subject_in(curve, reading)


def title_for(plan: Plan) -> str:
    """Return a heading for what a plan releases, by what its records are."""
    space = plan.statistic.record_space
    return plan.statistic.title_in(None if space is None else subject_in(space, plan.reading))


def with_titles(text: str, plan: Plan) -> str:
    """Return a description with the short name of the plan's space replaced by its title."""
    space = plan.statistic.home_space
    return (
        text if space is None else text.replace(space.spec, subject_in(space, plan.reading).title)
    )


def in_words(statistic: Statistic, error: float, reading: Reading | None = None) -> str:
    """Return an error with what it means on its space."""
    return f"{error:.3g}{subject_of(statistic, reading).distance_words(error)}"
