"""Whether a release was paid for: its receipt against the ledger."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from geomdp.errors import LedgerError
from geomdp.plans.release import Release
from geomdp.releases.verification.verdict import Finding, Problem, Remark, Unpublished

if TYPE_CHECKING:
    from geomdp.ledger import Ledger, Spending


def payment_findings(release: Release, ledger: "Ledger") -> Iterator[Finding]:
    """Compare a release that is in order with the debit that its manifest names.

    Needs the ledger's key, and no data. Whose records were debited is not shown: the commitment is
    random (docs/theory/ledger.md).
    """
    from geomdp.ledger.receipts import FIELD

    if not ledger.known_heads:
        yield Remark(FIELD, NO_HEADS)
    receipt = release.manifest.get(FIELD)
    if receipt is None:
        yield Problem(FIELD, "the manifest names no debit: nobody paid for this release")
        return
    try:
        spending = ledger.spending(receipt["entry"])
    except LedgerError as error:
        yield Problem(f"{FIELD}.entry", str(error))
        return
    yield from _debit_findings(release, spending)


#: Said where nothing contradicts a ledger that was cut back.
NO_HEADS = (
    "no head of the ledger was known here before: entries that were deleted at its end would not "
    "be missed; from now on they are"
)


def _debit_findings(release: Release, spending: "Spending") -> Iterator[Finding]:
    from geomdp.ledger.receipts import FIELD, receipt_problem, release_hash

    number = spending.entry.number
    wrong = receipt_problem(spending.entry, release.manifest)
    if wrong is not None:
        yield Problem(FIELD, wrong)
    elif spending.state == "abandoned":
        yield Problem(f"{FIELD}.entry", f"entry {number} was abandoned, not published")
    elif spending.state == "unpublished":
        yield Unpublished(
            f"{FIELD}.entry",
            f"entry {number} is debited, but not marked as published, so that any value could "
            "carry its receipt; if this is the one, complete it with: geomdp ledger resolve LEDGER "
            f"{number} --folder FOLDER",
        )
    elif spending.content != release_hash(release):
        yield Problem(FIELD, f"entry {number} was published with another value")
