"""Landmarks in nts files (NTSYS, as landmark editors and geomorph write them).

A head ``1 n 2k 0 dim=2`` says how many specimens of how many numbers follow, an ``L`` behind a
count that labels come first, and ``1 -999`` at the third place what stands for a missing number.
"""

import re
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.cells import is_number
from geomdp.io.formats import FORMATS, Format, Value
from geomdp.io.tables import Choices, Raw, chosen, shown
from geomdp.io.text_rows import read_text
from geomdp.runtime.limits import read_as, require_plausible
from geomdp.spaces.rows import real_number
from geomdp.statistics.base import Statistic

#: Column with the labels of the specimens.
SPECIMEN = "specimen"
_HEAD = re.compile(
    r"1\s+(\d{1,12})(L?)\s+(\d{1,12})(L?)\s+(?:0|1\s+(\S+))\s+dim=([23])\s*", re.IGNORECASE
)


@dataclass(frozen=True)
class Head:
    """What the first line says that is no remark."""

    specimens: int
    labelled: bool
    numbers: int
    named: bool
    missing: float
    dimensions: int


def read_nts(path: Path, choices: Choices) -> Raw:
    """Read specimens (n, k, m); their labels are the column ``specimen``.

    With ``keep_unparsable`` each line of numbers is a specimen, and one that cannot be read is NaN.
    """
    with read_as(path, "nts"):
        text = read_text(path, replace=choices.keep_unparsable)
        lines = [line for line in text.split("\n") if line.strip() and line[0] not in "\"'"]
        head = _head(lines[0] if lines else "")
        require_plausible(path, 8 * head.specimens * head.numbers)
        known = (head.labelled * head.specimens, head.named * head.numbers)
        labels, rest = _words(lines[1:], known[0])
        _, rest = _words(rest, known[1])
        rows = _rows(rest, head, choices.keep_unparsable)
    chosen((SPECIMEN,) if head.labelled else (), choices, path.name)
    columns = {name: np.array(labels, dtype=str) for name in choices.keep}
    rows[rows == head.missing] = np.nan
    return Raw(rows.reshape(head.specimens, -1, head.dimensions), columns=columns)


def write_nts(path: Path, landmarks: np.ndarray) -> None:
    """Write one configuration with all its digits."""
    numbers = " ".join(map(repr, landmarks.reshape(-1).tolist()))
    head = f"1 1L {landmarks.size} 0 dim={landmarks.shape[1]}"
    path.write_text(f"{head}\nrelease\n{numbers}\n", encoding="utf-8")


def _head(line: str) -> Head:
    found = _HEAD.fullmatch(line.strip())
    if found is None:
        raise ValueError(f"its head {shown(line.strip())} is none such as '1 20L 24 0 dim=2'")
    specimens, labelled, numbers, named, missing, dimensions = found.groups()
    size, gap = (int(specimens), int(numbers), int(dimensions)), real_number(missing)
    made = Head(size[0], bool(labelled), size[1], bool(named), gap, size[2])
    if not made.specimens or not made.numbers or made.numbers % made.dimensions:
        raise ValueError(f"{specimens} specimens of {numbers} numbers are no landmarks")
    return made


def _words(lines: list[str], count: int) -> tuple[list[str], list[str]]:
    """Take so many labels off the first lines, of which each is used up or left."""
    words: list[str] = []
    used = 0
    while len(words) < count and used < len(lines):
        words += lines[used].split()
        used += 1
    if len(words) != count:
        raise ValueError(f"{count} labels are announced and lines with {len(words)} are there")
    return words, lines[used:]


def _rows(lines: list[str], head: Head, keep_unparsable: bool) -> np.ndarray:
    """Read a line of numbers a specimen; without the policy they may be broken anywhere."""
    cells = [line.split() for line in lines]
    if not keep_unparsable:
        flat = [cell for line in cells for cell in line]
        wrong = next((cell for cell in flat if not is_number(cell)), None)
        if wrong is not None:
            raise ValueError(f"{shown(wrong)} is not a number")
        if len(flat) != head.specimens * head.numbers:
            raise ValueError(
                f"{head.specimens * head.numbers} numbers are announced, not {len(flat)}"
            )
        return np.array(flat, dtype=np.float64).reshape(head.specimens, head.numbers)
    if len(cells) != head.specimens:
        raise InvalidRecordError(
            f"Where every specimen must count each has a line: {head.specimens} are announced and "
            f"{len(cells)} lines are there."
        )
    bad = [np.nan] * head.numbers
    fits = [list(map(real_number, line)) if len(line) == head.numbers else bad for line in cells]
    return np.array(fits)


class Nts(Format):
    """Specimens of landmarks in rows."""

    endings = (".nts",)
    value_file = "value.nts"

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_nts(path, choices)

    def write(self, file: Path, value: Value) -> None:  # noqa: D102
        write_nts(file, value.real)


FORMATS.register("nts", Nts())
