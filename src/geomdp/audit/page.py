"""What audits found, as a page."""

from collections.abc import Sequence

from geomdp.audit.findings import HEADS, Audit
from geomdp.report.naming import with_titles
from geomdp.report.rendering import Table, render


def audit_html(audits: Sequence[Audit]) -> str:
    """Return a page with one section an audit."""
    shown = [
        {
            "heading": audit.plan if audit.of is None else with_titles(audit.plan, audit.of),
            "claim": audit.claim,
            "passed": audit.passed,
            "findings": Table(HEADS, [finding.cells() for finding in audit.findings], "stack"),
        }
        for audit in audits
    ]
    return render("audit", title="Audit", audits=shown, script="")
