"""The page of a plan, on which a budget is chosen by looking; and as text, the same words."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import isnan
from typing import Any

from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.mechanisms import MECHANISMS
from geomdp.plans import Plan, SinglePlan
from geomdp.plans.about import error_radius
from geomdp.privacy import Budget
from geomdp.privacy.guarantee import budget_words
from geomdp.report import words
from geomdp.report.control import control, replan
from geomdp.report.naming import in_words, subject_of_curve, title_for
from geomdp.report.odds import meaning
from geomdp.report.pictures.by_space import multiples, style_shown
from geomdp.report.pictures.charts import budget_chart, error_chart
from geomdp.report.pictures.ink import own_settings
from geomdp.report.pictures.public_pictures import public_pictures
from geomdp.report.pictures.scene import CLOUD, plan_scene
from geomdp.report.plan_words import (
    about_rows,
    asked,
    chapters,
    error_notes,
    error_rows,
    headline,
    promise_words,
    public_words,
    risk_heading,
    warning_words,
)
from geomdp.report.release_pages import attacker
from geomdp.report.rendering import Figure, Folded, Table, part, render
from geomdp.runtime.surroundings import undisturbed

#: A plan, or why there is none.
Tried = SinglePlan | str
#: Columns of a plan as text.
WIDTH = 88
#: Steps of a ladder of budgets around the plan's own.
FACTORS = tuple(Fraction(text) for text in ("1/10", "1/5", "1/2", "1", "2", "5", "10"))


@own_settings()
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
    own = plan.guarantee.budget
    steps = _in_order([*budgets] or [own.scaled(factor) for factor in FACTORS])
    statistic = plan.public_statistic
    return render(
        "plan",
        title=headline(plan, f"{title_for(plan)}: the plan"),
        asked=asked(plan),
        rows=about_rows(plan),
        warned=warning_words(plan),
        public=[*public_words(plan), *public_pictures(statistic, plan.reading, plan.names)],
        risk=risk_heading(plan.unit),
        promised=promise_words(plan),
        attacker=attacker(plan.guarantee, meaning(own, plan.unit)),
        further=plan.further_chapters(),
        error=_error(plan),
        radius=None if error_radius(plan) is None else control(plan, steps),
        choosing=_choosing(plan, steps),
        described=plan.about,
        hash=plan.hash,
        script="control.js",
    )


def _in_order(budgets: Sequence[Budget]) -> list[Budget]:
    """Return budgets of one kind from the smallest; refuse a mixture."""
    if len({budget.kind for budget in budgets}) > 1:
        raise GeomdpError("A plan page compares budgets of one kind; make one page a kind.")
    return sorted(budgets, key=lambda budget: budget.number)


def _name_of(budget: Budget) -> str:
    """Return what the number of a budget is called, with the delta that stays."""
    beside = f" (delta = {float(budget.parts[1]):g})" if budget.has_delta else ""
    return f"{budget.number_name}{beside}"


def _error(plan: Plan) -> list[Any]:
    rows = [
        [row.what, row.expected, row.likely, part("light", *row.light) if row.light else ""]
        for row in error_rows(plan)
    ]
    heads = ["", "expected", "95 of 100 releases", "share of noise"]
    shown = plan.shown
    chart = "" if shown is None else Figure(error_chart(shown.forecast), words.ERROR_CHART)
    return [Table(heads, rows, "wide stack"), *error_notes(plan), chart]


def _choosing(of: Plan, steps: list[Budget]) -> dict[str, Any] | None:
    """Compare mechanisms and budgets, where there is one value to look at."""
    if of.shown is not of:
        return None
    plan = of.single
    plans = {name: [try_mechanism(plan, one, name) for one in steps] for name in names_for(plan)}
    served = {name: made for name, made in plans.items() if any(map(_is_made, made))}
    best = [_best([made[i] for made in served.values()]) for i in range(len(steps))]
    budget = plan.guarantee.budget
    own = {
        name: made[steps.index(budget)] if budget in steps else try_mechanism(plan, budget, name)
        for name, made in plans.items()
    }
    return {
        "name": _name_of(steps[0]),
        "errors": _errors(plan, steps, served),
        "simulated": _simulated(plan),
        "tiles": _tiles(plan, steps, best),
        "mechanisms": other_mechanisms(own),
    }


def _errors(plan: SinglePlan, steps: list[Budget], served: dict[str, list[Tried]]) -> list[Any]:
    errors = {name: [_error_of(one) for one in made] for name, made in served.items()}
    chosen = (plan.guarantee.budget.number, plan.expected_error)
    numbers = [budget.number for budget in steps]
    rows = [
        [budget_words(budget, plan.n), *(_cell(errors[m][i]) for m in errors)]
        for i, budget in enumerate(steps)
    ]
    chart = budget_chart(numbers, errors, _name_of(steps[0]), chosen)
    return [Figure(chart, words.BUDGET_CHART), Table(["budget", *errors], rows, "stack")]


def _simulated(plan: SinglePlan) -> str:
    asked: Any = plan.statistic
    style = style_shown(asked, plan.reading)
    legend = f"Bold: one release {style.caption}. Faint: {CLOUD - 1} others. " * style.cloud
    if asked.curve_in is not None:
        legend += words.AT_THE_END.format(place=asked.design.far_end[0])
    denoises = plan.denoising is not None and plan.denoising.on_top
    return words.SIMULATED.format(legend=legend + words.AS_DRAWN * denoises)


def _tiles(
    plan: SinglePlan, steps: list[Budget], best: list[SinglePlan | None]
) -> list[dict[str, Any]]:
    scenes = {f"tile{i}": plan_scene(made) for i, made in enumerate(best) if made is not None}
    alts = dict.fromkeys(scenes, "A simulated release")
    pictures = multiples(subject_of_curve(plan.statistic, plan.reading), scenes, alts)
    return [
        {
            "budget": budget.words(),
            "chosen": budget == plan.guarantee.budget,
            "picture": pictures.get(f"tile{i}"),
            "caption": "" if made is None else f"{made.mechanism}: {_error_words(made)}",
        }
        for i, (budget, made) in enumerate(zip(steps, best, strict=True))
    ]


def _error_words(plan: SinglePlan) -> str:
    return in_words(plan.statistic, plan.expected_error, plan.reading)


def names_for(plan: SinglePlan) -> list[str]:
    """Return the mechanisms that plans of this statistic weigh."""
    asked = plan.statistic
    return [m.name for m in MECHANISMS.values() if not m.comparison and m.concerns(asked)]


def try_mechanism(base: SinglePlan, budget: Budget, name: str) -> Tried:
    """Plan with one mechanism, or return why it refused."""
    try:
        return replan(base, base.statistic, budget, name)
    except MechanismRefusedError as error:
        return str(error)


def grouped(tried: Mapping[str, Tried]) -> list[tuple[str, str, str]]:
    """Return names, expected error and refusal, equal refusals in one row; served ones first."""
    served, reasons = dict[str, float](), dict[str, list[str]]()
    for name, made in tried.items():
        if isinstance(made, str):
            # Without the mechanism's own name, so that equal reasons are equal texts.
            reason = made.removeprefix(name).removeprefix(":").strip()
            reasons.setdefault(reason, []).append(name)
        else:
            served[name] = made.expected_error
    return [
        *((name, f"{served[name]:.4g}", "") for name in sorted(served, key=served.__getitem__)),
        *((", ".join(names), "", reason) for reason, names in reasons.items()),
    ]


def other_mechanisms(tried: Mapping[str, Tried]) -> Folded:
    """Return the one folded table of all mechanisms at the plan's own budget."""
    table = Table(["mechanism", "expected error", "why not"], grouped(tried), "wide")
    return Folded(f"Mechanisms: {len(tried)} were considered", table, "folded")


def _is_made(tried: Tried) -> bool:
    return not isinstance(tried, str)


def _error_of(tried: Tried) -> float:
    return float("nan") if isinstance(tried, str) else tried.expected_error


def _best(made: list[Tried]) -> SinglePlan | None:
    served = [one for one in made if not isinstance(one, str)]
    return min(served, key=lambda one: one.expected_error, default=None)


def _cell(error: float) -> str:
    return "refused" if isnan(error) else f"{error:.4g}"


def plan_text(plan: Plan) -> str:
    """Return what a board reads, wrapped for a terminal."""
    lines = [headline(plan, f"{title_for(plan)}: the plan").upper(), ""]
    lines += [line for name, text in about_rows(plan) for line in _pair(str(name), str(text))]
    for warning in warning_words(plan):
        lines += ["", *_wrapped(f"WARNING: {warning}")]
    for chapter in chapters(plan):
        lines += ["", chapter.heading.upper()]
        lines += [line for sentence in chapter.sentences for line in _wrapped(sentence)]
    lines += [*_mechanisms(plan), "", "TO SIGN", *_pair("Hash", plan.hash)]
    lines += [] if plan.about else _wrapped(words.NO_HASH)
    lines += [f"{role:<18}{'_' * 24}  {'_' * 10}  {'_' * 24}" for role in words.ROLES]
    lines += [f"{'':<18}{'name':<24}  {'date':<10}  signature"]
    return "\n".join(lines)


def _mechanisms(of: Plan) -> Iterator[str]:
    if of.shown is not of:
        return
    plan = of.single
    budget = plan.guarantee.budget
    tried = {name: try_mechanism(plan, budget, name) for name in names_for(plan)}
    yield from ("", "MECHANISMS")
    for names, error, reason in grouped(tried):
        yield from _wrapped(f"{names}: {f'{error} expected' if error else reason}")


def _pair(name: str, text: str) -> list[str]:
    lines = [part for line in text.split("\n") for part in textwrap.wrap(line, WIDTH - 18) or [""]]
    return [f"{name if i == 0 else '':<18}{line}" for i, line in enumerate(lines)]


def _wrapped(sentence: str) -> list[str]:
    return textwrap.wrap(sentence, WIDTH, initial_indent="  ", subsequent_indent="    ")
