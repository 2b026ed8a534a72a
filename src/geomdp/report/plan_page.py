"""The page of a plan: what a board reads and signs, and where a budget is chosen by looking."""

from collections.abc import Sequence
from math import isnan

from geomdp.plans import Plan, SinglePlan
from geomdp.privacy import Budget
from geomdp.privacy.guarantee import budget_words
from geomdp.releases.estimates.smoothing import shows_smoothed
from geomdp.report.budgets import in_order, ladder, name_of
from geomdp.report.chapters import (
    error_notes,
    error_rows,
    promise_words,
    public_words,
    risk_heading,
    shown_plan,
)
from geomdp.report.control import control
from geomdp.report.html import odds_section
from geomdp.report.markup import Content, Html, join, pairs, table, tag
from geomdp.report.meaning_of_distance import in_words, title_for
from geomdp.report.opening import about_rows, asked, headline, warnings_list
from geomdp.report.other_mechanisms import Tried, names_for, other_mechanisms, try_mechanism
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures.by_space import multiples, style_for
from geomdp.report.pictures.charts import budget_chart, error_chart
from geomdp.report.pictures.public_pictures import public_pictures
from geomdp.report.pictures.scene import CLOUD, plan_scene, subject_of
from geomdp.report.signing import signing_block
from geomdp.report.words import meaning
from geomdp.runtime.surroundings import undisturbed

#: Smoothed again, nothing would be left at a public point of the noise that is to be seen here.
AS_PLANNED = "Surfaces are drawn as planned; what a release delivers is smoothed again. "


@undisturbed()
def plan_html(plan: Plan, budgets: Sequence[Budget] = ()) -> str:
    """Return the page of a plan of any shape; it touches no data and asks for nothing outside.

    Parameters
    ----------
    plan
        Its own budget is marked.
    budgets
        Budgets of one kind to compare; by default a ladder around the plan's.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> made = dp.plan(mean, n={"a": 20, "b": 30}, budget=dp.Pure(1), mechanism="laplace")
    >>> "labels and group sizes are public" in plan_html(made, [dp.Pure(1)])
    True
    """
    steps = in_order([*budgets] or ladder(plan.guarantee.budget))
    title = headline(plan, f"{title_for(plan)}: the plan")
    return page(
        title,
        tag("p", "Plan, made without data", class_="kicker"),
        tag("h1", title),
        tag("p", asked(plan), class_="lead"),
        pairs(about_rows(plan)),
        warnings_list(plan),
        _public(plan),
        _risks(plan),
        _error(plan),
        section("Radius beside budget", control(plan, steps))
        if plan.public_statistic.public_radius is not None
        else "",
        _choosing(plan, steps),
        signing_block(plan),
        script="control.js",
    )


def _public(plan: Plan) -> Html:
    return section(
        "What is public",
        paragraphs(*public_words(plan)),
        public_pictures(plan.public_statistic, plan.reading, plan.names),
    )


def _risks(plan: Plan) -> Html:
    explained = meaning(plan.guarantee.budget, plan.unit)
    told = section(risk_heading(plan.unit), paragraphs(*promise_words(plan)))
    return join([told, odds_section(plan.guarantee, explained)])


def _error(plan: Plan) -> Html:
    heading = "What error to expect"
    rows = [[row.what, row.expected, row.likely, _light(row.light)] for row in error_rows(plan)]
    shown = shown_plan(plan)
    chart = (
        ""
        if shown is None
        else figure(
            error_chart(shown.forecast), "Distribution of the error, known before the release."
        )
    )
    return section(
        heading,
        table(["", "expected", "95 of 100 releases", "share of noise"], rows, class_="wide stack"),
        paragraphs(*error_notes(plan)),
        chart,
    )


def _light(words: str) -> Content:
    if not words:
        return ""
    colour, rest = words.split(":", 1)
    return [tag("span", "", class_=f"light {colour}"), f"{colour}:{rest}"]


def _choosing(plan: Plan, steps: list[Budget]) -> Content:
    """Compare mechanisms and budgets, where there is one value to look at."""
    if not isinstance(plan, SinglePlan):
        return ""
    names = names_for(plan)
    plans = {name: [try_mechanism(plan, budget, name) for budget in steps] for name in names}
    served = {
        name: made for name, made in plans.items() if any(isinstance(p, SinglePlan) for p in made)
    }
    best = [_best([made[i] for made in served.values()]) for i in range(len(steps))]
    budget = plan.guarantee.budget
    own = {
        name: made[steps.index(budget)] if budget in steps else try_mechanism(plan, budget, name)
        for name, made in plans.items()
    }
    return join([_errors(plan, steps, served), _tiles(plan, steps, best), other_mechanisms(own)])


def _errors(plan: SinglePlan, steps: list[Budget], served: dict[str, list[Tried]]) -> Html:
    errors = {
        name: [p.expected_error if isinstance(p, SinglePlan) else float("nan") for p in made]
        for name, made in served.items()
    }
    chosen = (plan.guarantee.budget.number, plan.expected_error)
    name = name_of(steps[0])
    numbers = [budget.number for budget in steps]
    rows: list[list[Content]] = [
        [budget_words(budget, plan.n), *(_cell(errors[m][i]) for m in errors)]
        for i, budget in enumerate(steps)
    ]
    return section(
        f"Error against {name}",
        figure(
            budget_chart(numbers, errors, name, chosen),
            "Expected distance between the release and the true statistic. Circled: this plan.",
        ),
        table(["budget", *errors], rows, class_="stack"),
    )


def _tiles(plan: SinglePlan, steps: list[Budget], best: list[SinglePlan | None]) -> Html:
    scenes = {f"tile{i}": plan_scene(made) for i, made in enumerate(best) if made is not None}
    alts = dict.fromkeys(scenes, "A simulated release")
    pictures = multiples(subject_of(plan.statistic, plan.reading), scenes, alts)
    tiles = []
    for i, (budget, made) in enumerate(zip(steps, best, strict=True)):
        heading = tag("h3", budget.words())
        chosen = " chosen" if budget == plan.guarantee.budget else ""
        if made is None:
            body: Content = tag("p", "No mechanism serves this budget.", class_="small")
        else:
            caption = (
                f"{made.mechanism}: {in_words(made.statistic, made.expected_error, plan.reading)}"
            )
            body = figure(pictures[f"tile{i}"], caption)
        tiles.append(tag("div", heading, body, class_=f"tile{chosen}"))
    style = style_for(plan.statistic, plan.reading)
    legend = f"Bold: one release {style.caption}. Faint: {CLOUD - 1} others. "
    return section(
        "What a release would look like",
        paragraphs(
            "Simulated releases at a public point, by the best mechanism at each budget, all on "
            "the same axes: what leaves the frame is cut. "
            f"{legend if style.cloud else ''}{AS_PLANNED * shows_smoothed(plan)}No data were used."
        ),
        tag("div", tiles, class_="grid"),
    )


def _best(made: list[Tried]) -> SinglePlan | None:
    served = [p for p in made if isinstance(p, SinglePlan)]
    return min(served, key=lambda p: p.expected_error, default=None)


def _cell(error: float) -> str:
    return "refused" if isnan(error) else f"{error:.4g}"
