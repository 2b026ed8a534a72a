"""What audits found, as a page."""

from collections.abc import Sequence

from geomdp.audit.findings import HEADS, Audit
from geomdp.report.naming import with_titles
from geomdp.report.plan_words import headline
from geomdp.report.rendering import Table, render


def audit_html(audits: Sequence[Audit]) -> str:
    """Return a page with one section an audit."""
    shown = [
        {
            "heading": audit.plan if audit.of is None else with_titles(audit.plan, audit.of),
            "claim": audit.claim,
            "hash": "" if audit.of is None else audit.of.hash,
            "passed": audit.passed,
            "findings": Table(HEADS, [finding.cells() for finding in audit.findings], "stack"),
        }
        for audit in audits
    ]
    named = [
        headline(one.of, with_titles(one.plan, one.of)) for one in audits if one.of is not None
    ]
    title = f"Audit: {named[0]}" if len(named) == 1 else "Audit"
    passed = all(audit.passed for audit in audits)
    return render("audit", title=title, audits=shown, passed=passed, script="")
