"""The block that a board signs, at the end of a plan's page."""

from geomdp.plans import Plan
from geomdp.report.markup import Html, table, tag
from geomdp.report.page import paragraphs, section

#: Who signs: names are left to fill in by hand.
ROLES = ("For the study", "For the board", "Data protection")

#: Of the plans inside another plan.
NO_HASH = (
    "This plan is a part of another, and no file holds this hash, which another version may "
    "compute otherwise: make a plan of its own before it is signed."
)


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
