"""What does not follow, and what could not be checked."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Self

from geomdp.plans.agreement import disagreements


@dataclass(frozen=True)
class Finding:
    """A field of a manifest, or a file beside it, and what there is to say about it."""

    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.field}: {self.reason}"

    def under(self, prefix: str) -> Self:
        """Return the same finding, seen from a folder above."""
        return replace(self, field=f"{prefix}/{self.field}")


class Problem(Finding):
    """Something that does not follow from the public inputs.

    Examples
    --------
    >>> print(Problem("plan.derived.scale", "0.1 is stated, 0.2 follows"))
    plan.derived.scale: 0.1 is stated, 0.2 follows
    """


class Remark(Finding):
    """Something that could not be checked in this folder, or is worth knowing.

    Examples
    --------
    >>> print(Remark("report.html", "it is not covered"))
    report.html: it is not covered
    """


class Uncovered(Remark):
    """A file whose words nothing here vouches for.

    Examples
    --------
    >>> isinstance(Uncovered("report.html", "written by another version"), Remark)
    True
    """


class Unpublished(Remark):
    """A debit that nobody has completed: it pays for one value, and does not say for which.

    Examples
    --------
    >>> isinstance(Unpublished("ledger.entry", "it is open"), Remark)
    True
    """


def problems_in(findings: Iterable[Finding]) -> list[Problem]:
    """Return the problems among findings.

    Examples
    --------
    >>> problems_in([Remark("a", "b")])
    []
    """
    return [finding for finding in findings if isinstance(finding, Problem)]


def differences(field: str, follows: Any, stated: Any) -> Iterator[Problem]:
    """Compare what follows with what is stated, field by field.

    Examples
    --------
    >>> [str(p) for p in differences("plan", {"n": 2, "scale": 0.5}, {"n": 2, "scale": 0.25})]
    ['plan.scale: 0.25 is stated, but 0.5 follows from the public inputs']
    """
    because = "follows from the public inputs"
    for where, reason in disagreements(field, follows, stated, because):
        yield Problem(where, reason)
