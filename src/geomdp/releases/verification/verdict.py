"""The outcome of a verification, with what no verification can show."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, TypeAlias

from geomdp.releases.verification.problems import Finding, Problem, Uncovered, Unpublished

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


@dataclass(frozen=True)
class Verdict:
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

    problems: tuple[Problem, ...]
    remarks: tuple[Finding, ...]
    compared: bool
    paid: bool = False
    approval: Answer = None
    payment: Answer = None

    @property
    def verified(self) -> bool:
        """Whether nothing contradicts the public inputs."""
        return not self.problems

    @property
    def uncovered(self) -> tuple[str, ...]:
        """Files whose words nothing vouches for, such as the report of another version."""
        return tuple(one.field for one in self.remarks if isinstance(one, Uncovered))

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
            unpublished = any(isinstance(one, Unpublished) for one in self.remarks)
            why = _UNPUBLISHED if unpublished else _OPEN
            yield paid.get(self.payment, f"Whether it was paid for {why}.")

    @property
    def cannot_show(self) -> tuple[str, ...]:
        """What no verification of this kind can show, as parts of a sentence."""
        return CANNOT_SHOW if self.compared else (WITHOUT_PLAN, *CANNOT_SHOW)
