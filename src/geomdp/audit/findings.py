"""What an audit found: one line a check, the claim beside what the attack reached."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

from geomdp.errors import GeomdpError
from geomdp.plans import Plan

#: ``pass``: the attack stayed below the claim; ``fail``: it exceeded it; ``report``: for people to
#: read, decides nothing.
Verdict: TypeAlias = Literal["pass", "fail", "report"]

#: Column heads of the table, in text and in HTML.
HEADS = ("check", "claim", "found", "verdict", "note")


@dataclass(frozen=True)
class Finding:
    """A claim of a plan against what one check found.

    Attributes
    ----------
    check
        Name of the check.
    claim, found
        For people to read.
    verdict
        Whether the claim stands.
    note
        How it was found, and what the check cannot see.
    numbers
        The same as numbers, for machines.

    Examples
    --------
    >>> Finding("records", "at most 0.1", "0.09", "pass").cells()[:3]
    ('records', 'at most 0.1', '0.09')
    """

    check: str
    claim: str
    found: str
    verdict: Verdict
    note: str = ""
    numbers: Mapping[str, float] = field(default_factory=dict)

    def cells(self) -> tuple[str, ...]:
        """Return the columns of the table."""
        return (self.check, self.claim, self.found, self.verdict, self.note)


def judged(passed: bool) -> Verdict:
    """Return the verdict on a claim."""
    return "pass" if passed else "fail"


@dataclass(frozen=True)
class Audit:
    """All findings about one plan.

    Examples
    --------
    >>> seen = Audit("a plan", "Pure(epsilon=1)", (Finding("grid", "all", "all", "pass"),))
    >>> seen.passed
    True
    >>> print(seen)
    a plan
    claims Pure(epsilon=1)
      pass    grid: all; claimed all
    """

    plan: str
    claim: str
    findings: tuple[Finding, ...]
    #: The plan itself, where there is one: a page says its space in words.
    of: Plan | None = field(default=None, repr=False, compare=False)

    @property
    def passed(self) -> bool:
        """Whether no check exceeded its claim."""
        return all(finding.verdict != "fail" for finding in self.findings)

    def failures(self) -> tuple[Finding, ...]:
        """Return the findings that contradict the plan."""
        return tuple(finding for finding in self.findings if finding.verdict == "fail")

    def to_json(self) -> dict[str, Any]:
        """Describe for machines; nothing in it depends on private data."""
        findings = [{**asdict(f), "numbers": dict(f.numbers)} for f in self.findings]
        return {
            "plan": self.plan,
            "claim": self.claim,
            "passed": self.passed,
            "findings": findings,
        }

    def __str__(self) -> str:
        lines = [self.plan, f"claims {self.claim}"]
        for f in self.findings:
            note = f" ({f.note})" if f.note else ""
            lines.append(f"  {f.verdict:<7} {f.check}: {f.found}; claimed {f.claim}{note}")
        return "\n".join(lines)


# --- how hard an audit tries, and how sure its bounds are


#: Lower bounds that one audit states; together they are wrong with probability 1 - confidence.
BOUNDS = 8


@dataclass(frozen=True)
class Settings:
    """Public settings of an audit; the noise itself comes from the operating system.

    Parameters
    ----------
    draws
        Draws a data set, in floats; fewer where a draw looks at every record or is very wide.
    exact
        Draws a data set exactly as a release makes them.
    records
        Hostile records.
    seed
        Of the search for neighbours and of the hostile records.
    confidence
        That no lower bound of the audit is too high.

    Examples
    --------
    >>> Settings(confidence=0.999).miss
    6.25e-05
    """

    draws: int = 100_000
    exact: int = 200
    records: int = 1000
    seed: int = 0
    confidence: float = 0.999

    def __post_init__(self) -> None:
        if min(self.draws, self.exact) < 20 or self.records < 1:
            raise GeomdpError("An audit needs at least 20 draws of each kind and one record.")
        if not 0.5 <= self.confidence < 1:
            raise GeomdpError(f"confidence must be from 0.5 to below 1, not {self.confidence}.")

    @property
    def miss(self) -> float:
        """Probability with which one side of one bound may be wrong."""
        return round((1 - self.confidence) / (2 * BOUNDS), 12)
