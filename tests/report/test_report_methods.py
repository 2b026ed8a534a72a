"""The paragraph for a methods section says what the plan says, and cites whom the report cites."""

import pytest

import geomdp as dp
from geomdp.privacy.guarantee import budget_words
from geomdp.report.methods import FOUNDATION, methods_paragraph

BALL = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)


@pytest.mark.parametrize(
    "plan",
    [
        dp.plan(dp.FrechetMean(BALL), n=100, budget=dp.Pure(1)),
        dp.plan(dp.FrechetMean(BALL), n={"a": 60, "b": 90}, budget=dp.GDP(1)),
        dp.plan(dp.Refined(dp.TangentMean(BALL)), n=400, budget=dp.Pure(2)),
        dp.plan(dp.Moments(BALL), n=50, budget=dp.GDP(1), invalid="public"),
    ],
    ids=["single", "groups", "stages", "moments"],
)
def test_it_names_promise_error_hash_and_papers(plan):
    text = methods_paragraph(plan)
    paragraph, _, cited = text.partition("\n\n")
    assert budget_words(plan.guarantee.budget, plan.n) in paragraph
    assert plan.hash in paragraph
    assert plan.describe_mechanism() in paragraph
    assert FOUNDATION in cited
    assert f"({cited.count(chr(10)) + 1}) Dwork" in cited
    assert "0.5" in paragraph
    assert paragraph.count("was expected to be") == max(1, len(plan.cases) or len(plan.parts))


def test_a_promise_that_leaves_something_out_says_so():
    plan = dp.plan(dp.FrechetMean(BALL), n=100, budget=dp.Pure(1), invalid="public")
    assert "an invalid record counts as the public record" in methods_paragraph(plan).lower()
