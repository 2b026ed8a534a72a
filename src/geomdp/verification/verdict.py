"""The outcome of a verification, with what no verification can show."""

from dataclasses import dataclass

from geomdp.verification.problems import Finding, Problem

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
        Whether a ledger shows that it was paid for.

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

    @property
    def verified(self) -> bool:
        """Whether nothing contradicts the public inputs."""
        return not self.problems

    @property
    def cannot_show(self) -> tuple[str, ...]:
        """What no verification of this kind can show, as parts of a sentence."""
        return CANNOT_SHOW if self.compared else (WITHOUT_PLAN, *CANNOT_SHOW)
