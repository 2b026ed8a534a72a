"""What a study is, and the verdict on what a paper claims."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.registry import Registry
from geomdp_papers.studies.table import Row, Table

#: Public parameters of one piece of work: all a worker needs, written as JSON.
Cell: TypeAlias = Mapping[str, Any]
Verdict = Literal["reproduced", "better", "differs"]


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
    """

    where: str
    says: str
    found: str
    verdict: Verdict
    rule: str
    because: str = ""

    def to_json(self) -> dict[str, str]:
        """Return as a JSON object."""
        return asdict(self)


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
    """

    name: str
    of: str
    shows: str
    cells: Callable[[bool, Path | None], Sequence[Cell]]
    measure: Callable[[Cell, Generator], Sequence[Row]]
    judge: Callable[[Table], Sequence[Claim]]
    draw: Callable[[Figure, Table], None]
    stand_in: str = ""


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
