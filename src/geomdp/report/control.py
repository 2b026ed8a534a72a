"""Radius beside epsilon: what the error would be, from a table that is computed with the plan."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, is_dataclass, replace
from fractions import Fraction
from functools import singledispatch
from typing import Any

from geomdp.consortia.plan import ConsortiumPlan
from geomdp.errors import GeomdpError
from geomdp.plans import OverTimePlan, ParallelPlan, Plan, SinglePlan, StagedPlan
from geomdp.plans.about import light_of
from geomdp.plans.planning import plan as make_plan
from geomdp.privacy import Budget
from geomdp.privacy.guarantee import budget_words
from geomdp.report import words
from geomdp.report.naming import in_words
from geomdp.report.plan_words import radius_words
from geomdp.report.rendering import Folded, Table
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import Statistic

#: Radii of the table, in units of the plan's.
RADII = tuple(Fraction(text) for text in ("1/2", "3/4", "1", "3/2", "2"))
#: Budgets of the table.
MOST_BUDGETS = 5


@dataclass(frozen=True)
class Cell:
    """The error at one budget and radius: in words, and the light for its share of the radius."""

    words: str
    light: str


def control(plan: Plan, budgets: Sequence[Budget]) -> dict[str, Any]:
    """Return two sliders and the table behind them; nothing where no radius can be changed.

    ``plan``: of any shape; its own budget and radius are where the sliders begin. ``budgets``: of
    the plan's kind, in order.
    """
    statistic = plan.public_statistic
    radius = statistic.public_radius
    if radius is None or with_radius(statistic, radius) is None:
        return {}
    budgets = _middle(budgets)
    radii = [float(factor) * radius for factor in RADII]
    cells = [[_cell(plan, budget, wide, radius) for wide in radii] for budget in budgets]
    labels = [budget_words(budget, plan.n) for budget in budgets]
    own = plan.guarantee.budget.number
    at = min(range(len(budgets)), key=lambda i: abs(budgets[i].number - own))
    data = {
        "budgets": labels,
        "radii": [f"radius = {radius_words(statistic, wide, plan.reading)}" for wide in radii],
        "cells": [[[cell.words, cell.light] for cell in row] for row in cells],
    }
    head = ["budget", *(f"radius {wide:.4g}" for wide in radii)]
    rows = [[n, *(c.words for c in row)] for n, row in zip(labels, cells, strict=True)]
    return {
        "data": json.dumps(data),
        "sliders": [
            ("budget", len(budgets) - 1, at),
            ("radius", len(radii) - 1, RADII.index(Fraction(1))),
        ],
        "table": Folded("All numbers of the table", Table(head, rows, "stack")),
        "words": words.CONTROL.format(which=_which(plan)),
    }


def with_radius(statistic: Statistic, radius: float) -> Statistic | None:
    """Return the same question in a ball of another radius; None where it has no such number."""
    any_one: Any = statistic
    own = statistic.public_radius
    if own is None or not is_dataclass(statistic):
        return None
    share = radius / own
    changed: dict[str, Any] = {}
    # Some have a ball; functions, surfaces and points a number, which may be weighted; maps both.
    for name in {f.name for f in fields(any_one)} & {"ball", "tau", "bound"}:
        old = getattr(any_one, name)
        if isinstance(old, Ball):
            changed[name] = replace(old, radius=share * old.radius, wide=old.is_wide)
        elif old is not None:
            changed[name] = share * old
    return replace(any_one, **changed) if changed else None


def _cell(plan: Plan, budget: Budget, radius: float, own: float) -> Cell:
    try:
        public = plan.public_statistic
        asked = public if radius == own else with_radius(public, radius)
        if asked is None:
            return Cell("refused", "")
        error = _expected_error(plan, asked, budget)
    except GeomdpError:
        return Cell("refused", "")
    told = f"{in_words(asked, error, plan.reading)}, {100 * error / radius:.3g}% of the radius"
    return Cell(told, light_of(error / radius))


@singledispatch
def _expected_error(plan: Plan, statistic: Statistic, budget: Budget) -> float:
    raise GeomdpError(f"A plan of the shape {plan.shape} cannot be planned again.")


@_expected_error.register
def _(plan: SinglePlan, statistic: Statistic, budget: Budget) -> float:
    return replan(plan, statistic, budget).expected_error


@_expected_error.register
def _(plan: ConsortiumPlan, statistic: Statistic, budget: Budget) -> float:
    return plan.asking(replan(plan.asked, statistic, budget)).expected_error


@_expected_error.register
def _(plan: ParallelPlan, statistic: Statistic, budget: Budget) -> float:
    share = plan.of.record_budget(budget, plan.absence, len(plan.plans))
    return replan(plan.shown, statistic, share).expected_error


@_expected_error.register
def _(plan: StagedPlan, statistic: Statistic, budget: Budget) -> float:
    return StagedPlan(plan.rule.asking(statistic, budget), budget).expected_error


@_expected_error.register
def _(plan: OverTimePlan, statistic: Statistic, budget: Budget) -> float:
    return plan.asking(statistic, budget).expected_error


def replan(
    base: SinglePlan, statistic: Statistic, budget: Budget, mechanism: str = ""
) -> SinglePlan:
    """Plan again with another question or budget, and the plan's own mechanism if none is named."""
    request = base.calibration.request
    return make_plan(
        statistic,
        n=request.n,
        budget=budget,
        mechanism=mechanism or base.mechanism,
        bound=request.bound,
        gaussian=request.gaussian,
        unit=request.unit,
        invalid=request.invalid,
        reading=request.reading,
        names=request.names,
    )


def _middle(budgets: Sequence[Budget]) -> Sequence[Budget]:
    """Leave out the ends of a long ladder: a table of plans takes its time."""
    beyond = max(0, len(budgets) - MOST_BUDGETS) // 2
    return budgets[beyond : len(budgets) - beyond]


def _which(plan: Plan) -> str:
    if plan.parts:
        return "the plan's mechanism in the group with the largest error"
    return "the plan's stages" if plan.stage_budgets else "the plan's mechanism"
