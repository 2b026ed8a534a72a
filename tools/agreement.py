"""Whether two runs of a study with different seeds agree: within their errors, in their verdicts.

``python -m tools.agreement docs/results docs/results/second`` compares all studies of two folders.
Averages are compared where the table states their standard errors, or holds the repeats that give
them; verdicts are compared always.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from geomdp_papers.studies.table import Row, Table, mean_and_error

#: An average, its standard error, and the degrees of freedom that this has.
Average: TypeAlias = tuple[float, float, float]
#: Columns that number the independent repeats of a table that states no errors.
REPEATS = ("replicate", "face")
#: Columns of shares, where a row states its "repeats".
SHARES = ("clipped mean covered", "frechet mean covered", "level", "power")
#: Columns that tell of the machine and not of the seed.
MACHINE = ("seconds",)

#: Differences in combined standard errors: so far all may be apart, and so far nearly all are.
FARTHEST, FAR = 6.0, 2.5
#: Share that may be farther apart than FAR: 1.2% are, more where averages share their draws.
SHARE = 0.05


@dataclass(frozen=True)
class Agreement:
    """How far the averages of two runs are apart, in combined standard errors."""

    apart: tuple[float, ...]

    @property
    def holds(self) -> bool:
        """Whether none is farthest, and few are far (one is always allowed)."""
        far = sum(z > FAR for z in self.apart)
        return max(self.apart, default=0.0) <= FARTHEST and far <= max(1, SHARE * len(self.apart))

    def __str__(self) -> str:
        if not self.apart:
            return "no averages to compare"
        far = sum(z > FAR for z in self.apart)
        word = "agrees" if self.holds else "does NOT agree"
        return (
            f"{word} within the errors ({len(self.apart)} averages, {far} more than {FAR} "
            f"combined standard errors apart, the farthest {max(self.apart):.1f})"
        )


def compare(one: Table, other: Table) -> Agreement:
    """Compare all averages that have a standard error: stated beside them, or of their repeats.

    >>> a, b = (Table([{"mean": m, "error": 0.3}]) for m in (1.0, 1.6))
    >>> [round(z, 3) for z in compare(a, b).apart]
    [1.414]
    """
    pairs = [*_stated(one, other), *_counted(one, other)] or list(_repeated(one, other))
    return Agreement(tuple(_apart(*pair) for pair in pairs if pair[0] != pair[1] or pair[0][1] > 0))


def _apart(first: Average, second: Average) -> float:
    """Difference in combined standard errors; what does not vary must be the same.

    Errors of few repeats are unsure themselves: a difference counts as the normal one that is as
    rare as Student's, with Welch's degrees of freedom.

    >>> [round(_apart((0.0, 1.0, dof), (4.0, 1.0, dof)), 2) for dof in (np.inf, 39, 4)]
    [2.83, 2.75, 2.29]
    """
    gap, spread = abs(first[0] - second[0]), float(np.hypot(first[1], second[1]))
    if spread == 0:
        return np.inf if gap > 0 else 0.0
    unsure = sum((error / spread) ** 4 / dof for _, error, dof in (first, second))
    return float(norm.isf(student.sf(gap / spread, 1 / unsure))) if unsure else gap / spread


def _stated(one: Table, other: Table) -> Iterator[tuple[Average, Average]]:
    """Pair averages row by row, in tables that state their errors."""
    if len(one.rows) != len(other.rows):
        raise ValueError(f"{len(one.rows)} rows cannot be compared with {len(other.rows)}.")
    columns = _averages(one)
    for first, second in zip(one.rows, other.rows, strict=True):
        for value, error in columns:
            if value in first and value in second:
                # Columns of an average hold numbers: those of both rows.
                a, b = ((float(row[value]), float(row[error]), np.inf) for row in (first, second))
                yield a, b


def _averages(table: Table) -> list[tuple[str, str]]:
    """Columns of averages, with those of their standard errors: "x" before "x error" or "error"."""
    names = table.columns
    named = [(name, f"{name} error") for name in names if f"{name} error" in names]
    plain = [pair for pair in pairwise(names) if pair[1] == "error"]
    return named + plain


def _counted(one: Table, other: Table) -> Iterator[tuple[Average, Average]]:
    """Pair shares of a number of repeats that the rows state."""
    for first, second in zip(one.rows, other.rows, strict=True):
        for name in SHARES:
            if "repeats" in first and name in first and name in second:
                yield _share(first, name), _share(second, name)


def _share(row: Row, name: str) -> Average:
    """Return a share and its standard error, which none and all have too."""
    share, count = float(row[name]), float(row["repeats"])
    near = (share * count + 1) / (count + 2)
    return share, float(np.sqrt(near * (1 - near) / count)), np.inf


def _repeated(one: Table, other: Table) -> Iterator[tuple[Average, Average]]:
    """Pair averages over repeats, in tables with one row or more for each of them."""
    first, second = _over_repeats(one), _over_repeats(other)
    if first.keys() != second.keys():
        raise ValueError("The two tables do not hold repeats of the same quantities.")
    for quantity in first:
        yield first[quantity], second[quantity]


def _over_repeats(table: Table) -> dict[tuple[str, ...], Average]:
    """Average every number over repeats, texts telling the quantities apart.

    Rows of the same repeat are averaged first: they are not independent of each other.

    >>> rows = [{"face": i, "map": "ours", "degrees": i + j} for i in (1, 3) for j in (-1, 1)]
    >>> _over_repeats(Table(rows))
    {('ours', 'degrees'): (2.0, 1.0, 1)}
    """
    found: dict[tuple[str, ...], dict[Any, list[float]]] = {}
    for row in table.rows:
        for repeat in (row[name] for name in REPEATS if name in row):
            texts = tuple(entry for entry in row.values() if isinstance(entry, str))
            for name, number in _numbers(row):
                found.setdefault((*texts, name), {}).setdefault(repeat, []).append(number)
    return {
        quantity: (
            *mean_and_error(np.array([np.mean(s) for s in by_repeat.values()])),
            len(by_repeat) - 1,
        )
        for quantity, by_repeat in found.items()
        if len(by_repeat) > 1
    }


def _numbers(row: Row) -> Iterator[tuple[str, float]]:
    for name, entry in row.items():
        if not isinstance(entry, str) and name not in (*REPEATS, *MACHINE):
            yield name, float(entry)


def turned(one: list[dict[str, str]], other: list[dict[str, str]]) -> list[str]:
    """Return the claims on which two runs came to other verdicts.

    >>> turned([{"says": "A.", "verdict": "better"}], [{"says": "A.", "verdict": "differs"}])
    ['A.']
    """
    pairs = zip(one, other, strict=True)
    return [a["says"] for a, b in pairs if a["verdict"] != b["verdict"]]


def verdict_words(claims: list[str]) -> str:
    """Say whether verdicts turned."""
    return f"other verdicts: {'; '.join(claims)}" if claims else "the same verdicts"


def main() -> int:
    """Print how far two folders of results agree; 1 if some study does not."""
    first, second = (Path(folder) for folder in sys.argv[1:])
    good = True
    for path in sorted(first.glob("*.csv")):
        if (second / path.name).exists():
            good &= _told(path, second / path.name)
    return 0 if good else 1


def _told(path: Path, other: Path) -> bool:
    """Print how far two runs of one study agree, and tell whether they do."""
    found = compare(*(Table.from_csv(place.read_text("utf-8")) for place in (path, other)))
    claims = (json.loads(p.with_suffix(".json").read_text("utf-8")) for p in (path, other))
    changed = turned(*(run["claims"] for run in claims))
    print(f"{path.stem}: {found}, {verdict_words(changed)}")
    return found.holds and not changed


if __name__ == "__main__":
    sys.exit(main())
