"""What stands on top of every page of a plan or release: its title, warnings, what it is about."""

from functools import singledispatch

from geomdp.plans import ParallelPlan, Plan, StagedPlan
from geomdp.plans.about import About
from geomdp.report.markup import Content, Html, pairs, tag
from geomdp.report.meaning_of_distance import with_spoken_spaces

#: What each strength of a guarantee means.
STRENGTH = {
    "exact": "It holds for the program as it runs: every random decision and every rounding was "
    "made with proof, so that no floating-point effect is left out.",
    "idealised": "It holds for ideal real numbers; what floating-point arithmetic may add is not "
    "covered.",
    "asymptotic": "It holds in the limit of an infinitely long Markov chain; how far the chain was "
    "from its limit is not covered.",
    "none": "There is none: this value was made for comparison and is NOT PRIVATE.",
}

_NAMES = {
    "purpose": "Purpose",
    "data": "Data",
    "institution": "Institution",
    "contact": "Contact",
    "date": "Date of the plan",
    "software": "Software",
}
NOT_SAID = "not said"


def opening(
    plan: Plan, kicker: str, otherwise: str, rows: list[tuple[Content, Content]]
) -> tuple[str, Html]:
    """Return the title of a release's page and its head, from the plan and these rows.

    Parameters
    ----------
    plan
        Of the release.
    kicker
        What kind of page it is.
    otherwise
        Title of a plan that was given none.
    rows
        What else to state, before what the plan says about itself.

    Examples
    --------
    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(11), mechanism="laplace")
    >>> title, head = opening(made.described(dp.About(title="Wind")), "Report", "Private point", [])
    >>> title, "promises little" in head
    ('Wind', True)
    """
    title = headline(plan, otherwise)
    said = [row for row in about_rows(plan) if row[1] != NOT_SAID]
    head = tag(
        "header",
        tag("p", kicker, class_="kicker"),
        tag("h1", title),
        warnings_list(plan),
        tag("p", f"What was asked: {asked(plan)}", class_="lead"),
        pairs([*rows, *said]),
    )
    return title, head


def headline(plan: Plan, otherwise: str) -> str:
    """Return the title that the plan was given, else another."""
    return (plan.about.title if plan.about else "") or otherwise


def about_rows(plan: Plan) -> list[tuple[Content, Content]]:
    """Return what the plan says about itself; what it should say and does not is named.

    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), mechanism="laplace")
    >>> about_rows(made)[0]
    ('Purpose', 'not said')
    """
    about = plan.about or About()
    return [(words, getattr(about, name) or NOT_SAID) for name, words in _NAMES.items()]


def warning_words(plan: Plan) -> list[str]:
    """Return what stands on top of everything else: a promise that is not exact, and warnings."""
    strength = plan.guarantee.strength
    weak = [] if strength == "exact" else [STRENGTH[strength]]
    return [*weak, *(str(caution) for caution in plan.warnings)]


def warnings_list(plan: Plan) -> list[Html]:
    """Return the same for a page, one paragraph each."""
    return [tag("p", text, class_="warning") for text in warning_words(plan)]


@singledispatch
def asked(plan: Plan) -> str:
    """Say what is asked of whom, in one sentence.

    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), [0, 0, 1], 0.5))
    >>> asked(dp.plan(mean, n=20, budget=dp.Pure(1), unit=dp.Unit.person()))
    'Fréchet mean on the sphere S², ball of radius 0.5, of 20 persons.'
    """
    whom = plan.unit.count(plan.n) if plan.statistic.needs_n else "one computed point"
    return f"{_described(plan)}, of {whom}."


@asked.register
def _(plan: ParallelPlan) -> str:
    sizes = ", ".join(f"{label} ({plan.unit.count(n)})" for label, n in plan.sizes.items())
    return f"{_described(plan)}, one release for each group: {sizes}."


@asked.register
def _(plan: StagedPlan) -> str:
    words = with_spoken_spaces(plan.rule.describe(), plan)
    return f"{capital(words)}, of {plan.unit.count(plan.n)}."


def _described(plan: Plan) -> str:
    return capital(with_spoken_spaces(plan.statistic.describe(), plan))


def capital(text: str) -> str:
    """Begin a sentence.

    >>> capital("fréchet mean")
    'Fréchet mean'
    """
    return f"{text[:1].upper()}{text[1:]}"
