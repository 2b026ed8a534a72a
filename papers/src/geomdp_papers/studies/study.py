"""What a study is, and the verdict on what a paper claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.registry import Registry
from geomdp_papers.studies.table import Row, Table

#: Public parameters of one piece of work: all a worker needs, written as JSON.
Cell: TypeAlias = Mapping[str, Any]
Verdict = Literal["reproduced", "better", "differs", "not tested"]
#: What a claim about data that cannot be had is called, whatever stand-ins say of it.
NOT_TESTED: Verdict = "not tested"


@dataclass(frozen=True)
class Claim:
    """One claim of a paper beside what was found.

    Attributes
    ----------
    where
        Paper and place.
    says
        The claim, in a sentence.
    found
        What our table says, with its numbers.
    verdict
        By the rule.
    rule
        How the verdict follows from the table.
    because
        Why it differs, or what makes it better; empty where it is reproduced.
    setting
        The setting that it was judged with, where the paper states none (see :class:`Trial`), or
        the data that stood in, where those of the paper cannot be had.
    """

    where: str
    says: str
    found: str
    verdict: Verdict
    rule: str
    because: str = ""
    setting: str = ""

    def to_json(self) -> dict[str, str]:
        """Return as a JSON object."""
        return asdict(self)


@dataclass(frozen=True)
class Trial:
    """One natural candidate for a setting that a paper does not state, and what holds with it.

    The rule: every candidate is tried, claims are judged with the one that all statements of the
    papers hold with, and the others are shown. If none fits all, the most natural one stands, and
    what does not hold with it differs.

    Attributes
    ----------
    setting
        What the paper does not state.
    candidate
        One value of it.
    holds
        The papers' statements, and whether each holds.
    judged
        Whether claims are judged with this candidate.
    """

    setting: str
    candidate: str
    holds: Mapping[str, bool]
    judged: bool = False

    def to_json(self) -> dict[str, object]:
        """Return as a JSON object."""
        return {**asdict(self), "holds": {name: bool(held) for name, held in self.holds.items()}}


@dataclass(frozen=True)
class Study:
    """A figure or table that can be made again.

    Attributes
    ----------
    name
        What the command calls it.
    of
        Paper and figure, or "beyond".
    shows
        In a sentence.
    cells
        ``cells(quick, data)``: the pieces of work, which are independent of each other. ``data`` is
        a folder of further data or None; then shipped data stand in. A cell names the folder as
        ``"data"``, where it needs it: the seed of a cell does not depend on what it is called.
    measure
        ``measure(cell, rng)``: the rows of one cell, which depend on the two alone.
    judge
        The claims, judged from the table alone.
    draw
        ``draw(figure, table)``.
    stand_in
        What stands for the paper's data where these cannot be had; empty for simulations.
    settings
        Sizes, radius, budget, replicates and sampler of a full run, in words.
    trials
        Candidates for what the paper does not state, from the table alone.
    """

    name: str
    of: str
    shows: str
    cells: Callable[[bool, Path | None], Sequence[Cell]]
    measure: Callable[[Cell, Generator], Sequence[Row]]
    judge: Callable[[Table], Sequence[Claim]]
    draw: Callable[[Figure, Table], None]
    stand_in: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    trials: Callable[[Table], Sequence[Trial]] = lambda table: ()


#: All studies by name.
STUDIES: Registry[Study] = Registry("study", own=("geomdp_papers.studies.*",))


def verdict(reproduced: bool, better: bool = False) -> Verdict:
    """Choose the word: what is better is also reproduced.

    >>> verdict(True), verdict(True, better=True), verdict(False, better=True)
    ('reproduced', 'better', 'differs')
    """
    if not reproduced:
        return "differs"
    return "better" if better else "reproduced"


def untested(holds: bool, stand_in: str) -> str:
    """Say what a stand-in showed of a claim about data that cannot be had.

    >>> untested(True, "procedural leaves")
    'it holds on procedural leaves'
    """
    return f"it {'holds' if holds else 'does not hold'} on {stand_in}"


#: The order in which a study's settings are told.
SETTINGS_TOLD = ("n", "radius", "budget", "replicates", "data", "sampler")


def told(
    n: str, radius: str, budget: str, replicates: str, data: str, sampler: str = "exact"
) -> dict[str, str]:
    """Name the settings of a full run, in the order in which pages tell them."""
    return dict(zip(SETTINGS_TOLD, (n, radius, budget, replicates, data, sampler), strict=True))
