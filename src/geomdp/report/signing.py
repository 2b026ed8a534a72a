"""What a plan is about, on top of its page; and the block that a board signs, at its end."""

from geomdp.plans import Plan
from geomdp.plans.about import About
from geomdp.report.markup import Content, Html, pairs, table, tag
from geomdp.report.meaning_of_distance import title_for
from geomdp.report.page import paragraphs, section

#: Who signs: names are left to fill in by hand.
ROLES = ("For the study", "For the board", "Data protection")

_NAMES = {
    "purpose": "Purpose",
    "data": "Data",
    "institution": "Institution",
    "contact": "Contact",
    "date": "Date of the plan",
    "software": "Software",
}
NOT_SAID = "not said"
#: Of plans of earlier versions.
NO_HASH = (
    "The file of this plan is of an earlier version and does not hold this hash, which another "
    "version may compute otherwise: make the plan again before it is signed."
)


def headline(plan: Plan) -> str:
    """Return the title that the plan was given, else what is asked."""
    return (plan.about.title if plan.about else "") or f"{title_for(plan)}: the plan"


def about_rows(plan: Plan) -> list[tuple[str, str]]:
    """Return what the plan says about itself; what it should say and does not is named.

    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Sphere(2), 0.1), budget=dp.Pure(1), mechanism="laplace")
    >>> about_rows(made)[0]
    ('Purpose', 'not said')
    """
    about = plan.about or About()
    return [(words, getattr(about, name) or NOT_SAID) for name, words in _NAMES.items()]


def about_list(plan: Plan) -> Html:
    """Return the same for the page."""
    rows: list[tuple[Content, Content]] = [*about_rows(plan)]
    return pairs(rows)


def signing_block(plan: Plan) -> Html:
    """Return the block to sign: names, dates, and the hash that the signature stands for."""
    empty = Html("&nbsp;")
    rows = [[role, empty, empty, empty] for role in ROLES]
    return section(
        "To sign",
        paragraphs(
            "We have read this plan. A release that uses it, and no other, states the same hash, "
            "and geomdp verify FOLDER --plan PLAN says so."
        ),
        "" if plan.about else tag("p", NO_HASH, class_="warning"),
        tag("p", "SHA-256 of the plan: ", tag("code", plan.hash), class_="hash"),
        table(["", "name", "date", "signature"], rows, class_="sign"),
    )
