"""The page about epsilon has the precedents that the studio shows, each with its source."""

from pathlib import Path

import geomdp as dp
from geomdp.studio.planning import PRECEDENTS

PAGE = (Path(__file__).parents[1] / "docs/how-to/choose-epsilon.md").read_text(encoding="utf-8")


def test_precedents_are_those_of_the_studio():
    for budget, what, source in PRECEDENTS:
        assert f"| {budget} | {what} | {source} |" in PAGE


def test_the_table_of_budgets_is_what_the_planner_says():
    ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    asked = dp.FrechetMean(ball)
    found = [dp.budget_for(asked, n=n, error=0.05, kind=dp.Pure) for n in (100, 300, 1000)]
    shown = " | ".join(str(float(budget.parts[0])) for budget in found)
    assert f"radius 0.5 | ε = {shown} |" in PAGE
