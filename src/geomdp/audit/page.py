"""An audit as a section of a page, and as a page of its own."""

from collections.abc import Sequence

from geomdp.audit.findings import HEADS, Audit
from geomdp.report.markup import Html, table, tag
from geomdp.report.meaning_of_distance import with_spoken_spaces
from geomdp.report.page import page, paragraphs, section

_WORDS = (
    "Each line is an attack on public data that the plan has to hide. A lower bound that exceeds "
    "its claim disproves the claim with the stated confidence; one that does not proves nothing: "
    "the proofs do that, and an audit looks for mistakes in them and in the program."
)


def audit_section(audit: Audit) -> Html:
    """Return the table of one audit.

    Examples
    --------
    >>> from geomdp.audit import Finding
    >>> ">grid</td>" in audit_section(Audit("p", "c", (Finding("grid", "a", "b", "pass"),)))
    True
    """
    outcome = "No check exceeded its claim." if audit.passed else "A CLAIM WAS EXCEEDED."
    rows = [finding.cells() for finding in audit.findings]
    claim = tag("p", f"Claims {audit.claim}. ", tag("strong", outcome))
    heading = audit.plan if audit.of is None else with_spoken_spaces(audit.plan, audit.of)
    return section(heading, claim, table(HEADS, rows, class_="stack"))


def audit_html(audits: Sequence[Audit]) -> str:
    """Return a page with one section an audit.

    Examples
    --------
    >>> audit_html([]).splitlines()[0]
    '<!doctype html>'
    """
    sections = [audit_section(audit) for audit in audits]
    return page("Audit", tag("h1", "Audit"), paragraphs(_WORDS), sections)
