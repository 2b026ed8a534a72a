"""What does not follow, what could not be checked, and the verdict of both.

With what no verification can show.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Self, TypeAlias

from geomdp.plans.loading import disagreements
from geomdp.runtime.notebooks import Shown


@dataclass(frozen=True)
class Finding:
    """A field of a manifest, or a file beside it, and what there is to say about it."""

    #: Whether it contradicts, whether the file is vouched for, and whether its debit is completed.
    wrong: ClassVar[bool] = False
    covered: ClassVar[bool] = True
    published: ClassVar[bool] = True

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

    wrong = True


class Remark(Finding):
    """Something that could not be checked in this folder, or is worth knowing.

    Examples
    --------
    >>> print(Remark("report.html", "it is not covered"))
    report.html: it is not covered
    """


class Uncovered(Remark):
    """A file whose words nothing here vouches for."""

    covered = False


class Unpublished(Remark):
    """A debit that nobody has completed: it pays for one value, and does not say for which."""

    published = False


def problems_in(findings: Iterable[Finding]) -> list[Finding]:
    """Return the problems among findings."""
    return [finding for finding in findings if finding.wrong]


def is_open(findings: Iterable[Finding]) -> bool:
    """Tell whether a debit among the findings is not completed."""
    return not all(finding.published for finding in findings)


def differences(field: str, follows: Any, stated: Any) -> Iterator[Problem]:
    """Compare what follows with what is stated, field by field."""
    because = "follows from the public inputs"
    for where, reason in disagreements(field, follows, stated, because):
        yield Problem(where, reason)


#: What every reader of a verdict must know.
CANNOT_SHOW = (
    "that this value was drawn by this plan from the data, and not made up on the same grid",
    "that it was the only draw, and not one chosen among many",
    "that the records were what the plan says, and the ball and all settings chosen without them",
)
#: What is open unless the release was compared with the approved plan.
WITHOUT_PLAN = (
    "that the whole plan was not exchanged for another that is consistent in itself: compare with "
    "the approved file (--plan)"
)

#: What was found of a question; open where the release was not in order, or its debit is not
#: completed; None where nobody asked.
Answer: TypeAlias = Literal["yes", "no", "open"] | None

_OPEN = "was not decided: the release is not in order"
_UNPUBLISHED = "is open: its debit is not marked as published"


@dataclass(frozen=True, repr=False)
class Verdict(Shown):
    """What was found in a folder.

    Attributes
    ----------
    problems
        What does not follow from the public inputs; empty if everything does.
    remarks
        What could not be checked here, or differs without being wrong.
    compared
        Whether the release was compared with an approved plan.
    paid
        Whether a ledger shows that it was paid for, and nothing else is wrong.
    approval, payment
        Whether it used the approved plan, and was paid for, each by itself.

    Examples
    --------
    >>> verdict = Verdict((), (), compared=False)
    >>> verdict.verified, len(verdict.cannot_show)
    (True, 4)
    """

    problems: tuple[Finding, ...]
    remarks: tuple[Finding, ...]
    compared: bool
    paid: bool = False
    approval: Answer = None
    payment: Answer = None

    def __repr__(self) -> str:
        found = "verified" if self.verified else f"NOT verified, problems: {len(self.problems)}"
        return f"<Verdict: {found}, remarks: {len(self.remarks)}>"

    def __str__(self) -> str:
        found = "every number follows" if self.verified else "NOT everything follows"
        return "\n".join(
            [
                f"Verdict      {found}",
                *(f"Problem      {problem}" for problem in self.problems),
                *(f"Remark       {remark}" for remark in self.remarks),
                *(f"             {answer}" for answer in self.answers),
                *(f"Not shown    {words}" for words in self.cannot_show),
            ]
        )

    @property
    def verified(self) -> bool:
        """Whether nothing contradicts the public inputs."""
        return not self.problems

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Files whose words nothing vouches for, such as the report of another version."""
        return tuple(one.field for one in self.remarks if not one.covered)

    @property
    def answers(self) -> tuple[str, ...]:
        """Whether it used the approved plan and was paid for, in words, where that was asked.

        >>> Verdict((), (), compared=True, approval="no", payment="yes").answers
        ('It did NOT use the approved plan.', 'It was paid for.')
        """
        return tuple(self._answers())

    def _answers(self) -> Iterator[str]:
        used = {"yes": "It used the approved plan.", "no": "It did NOT use the approved plan."}
        paid = {"yes": "It was paid for.", "no": "It was NOT paid for."}
        if self.approval is not None:
            yield used.get(self.approval, f"Whether it used the approved plan {_OPEN}.")
        if self.payment is not None:
            why = _UNPUBLISHED if is_open(self.remarks) else _OPEN
            yield paid.get(self.payment, f"Whether it was paid for {why}.")

    @property
    def cannot_show(self) -> tuple[str, ...]:
        """What no verification of this kind can show, as parts of a sentence."""
        return CANNOT_SHOW if self.compared else (WITHOUT_PLAN, *CANNOT_SHOW)
