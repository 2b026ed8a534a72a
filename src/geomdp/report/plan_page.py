"""The plan page: what each budget would cost in error, and what it would look like."""

from collections.abc import Sequence
from fractions import Fraction
from math import isnan

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS
from geomdp.planning import plan
from geomdp.plans import Alternative, SinglePlan
from geomdp.privacy import GDP, ZCDP, Approximate, Budget, Pure
from geomdp.report.charts import budget_chart
from geomdp.report.markup import Content, Html, pairs, table, tag
from geomdp.report.meaning_of_distance import in_words, title_of
from geomdp.report.page import figure, page, paragraphs, section
from geomdp.report.pictures import picture_at, style_for
from geomdp.report.scene import CLOUD

#: A ladder of budgets around the plan's own.
FACTORS = tuple(Fraction(text) for text in ("1/10", "1/5", "1/2", "1", "2", "5", "10"))


def single_plan_html(plan: SinglePlan, budgets: Sequence[Budget] = ()) -> str:
    """Return a page for choosing a budget by looking; it touches no data.

    Parameters
    ----------
    plan
        Says what is asked, of how many records; its own budget is marked.
    budgets
        Budgets of one kind to compare; by default a ladder around the plan's.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5)
    >>> made = dp.plan(dp.FrechetMean(ball), n=1000, budget=dp.Pure(epsilon=1), mechanism="laplace")
    >>> "pure" in single_plan_html(made, [dp.Pure(0.5), dp.Pure(1)]).lower()
    True
    """
    ladder = _in_order([*budgets] or _ladder(plan))
    asked = plan.statistic
    names = [m.name for m in MECHANISMS.values() if not m.comparison and m.concerns(asked)]
    plans = {name: [_try(plan, budget, name) for budget in ladder] for name in names}
    served = {
        name: made for name, made in plans.items() if any(isinstance(p, SinglePlan) for p in made)
    }
    best = [_best([made[i] for made in served.values()]) for i in range(len(ladder))]
    title = f"{title_of(plan.statistic)}: choose a budget by looking"
    return page(
        title,
        tag("p", "Plan, made without data", class_="kicker"),
        tag("h1", title),
        tag("p", _asked(plan), class_="lead"),
        _summary(plan),
        _errors(plan, ladder, served),
        _tiles(plan, ladder, best),
        _refusals(plans),
    )


def _asked(plan: SinglePlan) -> str:
    records = f", of {plan.n} records" if plan.statistic.needs_n else ""
    return f"What is asked: {plan.statistic.describe()}{records}."


def _summary(plan: SinglePlan) -> Html:
    sensitivity = plan.sensitivity
    return pairs(
        [
            ("Guarantee of the plan", f"{plan.guarantee.budget!r}"),
            ("Mechanism", plan.mechanism),
            ("Sensitivity", f"{sensitivity.value:.4g} ({sensitivity.bound})"),
            ("Expected error", in_words(plan.statistic, plan.expected_error)),
        ]
    )


def _errors(
    plan: SinglePlan, ladder: list[Budget], served: dict[str, list[SinglePlan | str]]
) -> Html:
    errors = {
        name: [p.expected_error if isinstance(p, SinglePlan) else float("nan") for p in made]
        for name, made in served.items()
    }
    chosen = (_number(plan.guarantee.budget), plan.expected_error)
    name = _number_name(ladder[0])
    numbers = [_number(budget) for budget in ladder]
    rows: list[list[Content]] = [
        [f"{number:g}", *(_cell(errors[m][i]) for m in errors)] for i, number in enumerate(numbers)
    ]
    return section(
        f"Error against {name}",
        figure(
            budget_chart(numbers, errors, name, chosen),
            "Expected distance between the release and the true statistic. Circled: this plan.",
        ),
        table([name, *errors], rows),
    )


def _tiles(plan: SinglePlan, ladder: list[Budget], best: list[SinglePlan | None]) -> Html:
    tiles = []
    for i, (budget, made) in enumerate(zip(ladder, best, strict=True)):
        heading = tag("h3", f"{_number_name(budget)} = {_number(budget):g}")
        chosen = " chosen" if budget == plan.guarantee.budget else ""
        if made is None:
            body: Content = tag("p", "No mechanism serves this budget.", class_="small")
        else:
            caption = f"{made.mechanism}: {in_words(made.statistic, made.expected_error)}"
            body = figure(picture_at(made, name=f"tile{i}"), caption)
        tiles.append(tag("div", heading, body, class_=f"tile{chosen}"))
    legend = (
        f"Bold: one release; faint: {CLOUD - 1} others; dashed or dotted: the public ball or its "
        "centre. "
    )
    return section(
        "What a release would look like",
        paragraphs(
            "Simulated releases at a public point, by the best mechanism at each budget. "
            f"{legend if style_for(plan.statistic).cloud else ''}No data were used."
        ),
        tag("div", tiles, class_="grid"),
    )


def _refusals(plans: dict[str, list[SinglePlan | str]]) -> Html:
    reasons = {
        str(Alternative(name, None, made))
        for name, row in plans.items()
        for made in row
        if isinstance(made, str)
    }
    if not reasons:
        return Html("")
    return section("Refused", tag("ul", [tag("li", reason) for reason in sorted(reasons)]))


def _try(base: SinglePlan, budget: Budget, name: str) -> SinglePlan | str:
    """Plan with one mechanism, or return why it refused."""
    request = base.calibration.request
    try:
        return plan(
            request.statistic,
            n=request.n,
            budget=budget,
            mechanism=name,
            bound=request.bound,
            gaussian=request.gaussian,
            unit=request.unit,
            invalid=request.invalid,
        )
    except MechanismRefusedError as error:
        return str(error)


def _best(made: list[SinglePlan | str]) -> SinglePlan | None:
    served = [p for p in made if isinstance(p, SinglePlan)]
    return min(served, key=lambda p: p.expected_error, default=None)


def _ladder(plan: SinglePlan) -> list[Budget]:
    """Budgets of the plan's kind whose leading number is up to ten times smaller or larger."""
    budget = plan.guarantee.budget
    if isinstance(budget, Approximate):
        epsilon, delta = budget.parts
        return [Approximate.from_parts(factor * epsilon, delta) for factor in FACTORS]
    power = 2 if isinstance(budget, GDP) else 1  # GDP holds the square of mu
    return [budget.from_parts(factor**power * budget.parts[0]) for factor in FACTORS]


def _in_order(budgets: list[Budget]) -> list[Budget]:
    if len({type(budget) for budget in budgets}) > 1:
        raise GeomdpError("A plan page compares budgets of one kind; make one page a kind.")
    return sorted(budgets, key=_number)


def _number(budget: Budget) -> float:
    match budget:
        case Pure() | Approximate():
            return budget.epsilon
        case GDP():
            return budget.mu
        case ZCDP():
            return budget.rho
    raise TypeError(f"No number stands for {type(budget).__name__}.")


def _number_name(budget: Budget) -> str:
    names = {Pure: "epsilon", GDP: "mu", ZCDP: "rho"}
    if isinstance(budget, Approximate):
        return f"epsilon (delta = {budget.delta:g})"
    return names[type(budget)]


def _cell(error: float) -> str:
    return "refused" if isnan(error) else f"{error:.4g}"
