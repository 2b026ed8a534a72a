"""Whether two runs of a study with different seeds agree within their stated errors.

``python -m tools.agreement docs/results docs/results/second`` compares all studies of two folders.
"""

import sys
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np

from geomdp.studies.table import Table

#: Differences in combined standard errors: so far all may be apart, and so far nearly all are.
FARTHEST, FAR = 6.0, 2.5
#: Share that may be farther apart than FAR; with errors from ten repeats 2% are.
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
            return "nothing with a standard error to compare"
        far = sum(z > FAR for z in self.apart)
        word = "agrees" if self.holds else "does NOT agree"
        return (
            f"{word} within the stated errors ({len(self.apart)} averages, {far} more than {FAR} "
            f"combined standard errors apart, the farthest {max(self.apart):.1f})"
        )


def compare(one: Table, other: Table) -> Agreement:
    """Compare all averages that stand beside a standard error, row by row.

    >>> a, b = (Table([{"mean": m, "error": 0.3}]) for m in (1.0, 1.6))
    >>> [round(z, 3) for z in compare(a, b).apart]
    [1.414]
    """
    if len(one.rows) != len(other.rows):
        raise ValueError(f"{len(one.rows)} rows cannot be compared with {len(other.rows)}.")
    apart, averages = [], _averages(one)
    for first, second in zip(one.rows, other.rows, strict=True):
        for value, error in averages:
            if value in first and value in second:
                # Columns of an average hold numbers: those of both rows.
                difference = float(first[value]) - float(second[value])
                spread = float(np.hypot(float(first[error]), float(second[error])))
                if spread > 0:
                    apart.append(abs(difference) / spread)
    return Agreement(tuple(apart))


def _averages(table: Table) -> list[tuple[str, str]]:
    """Columns of averages, with those of their standard errors: "x" before "x error" or "error"."""
    names = table.columns
    named = [(name, f"{name} error") for name in names if f"{name} error" in names]
    plain = [pair for pair in pairwise(names) if pair[1] == "error"]
    return named + plain


def main() -> int:
    """Print how far two folders of results agree; 1 if some study does not."""
    first, second = (Path(folder) for folder in sys.argv[1:])
    good = True
    for path in sorted(first.glob("*.csv")):
        if (second / path.name).exists():
            texts = (place.read_text("utf-8") for place in (path, second / path.name))
            found = compare(*map(Table.from_csv, texts))
            good &= found.holds
            print(f"{path.stem}: {found}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
