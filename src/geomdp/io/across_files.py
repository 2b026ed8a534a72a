"""Text tables in which each column is a record: taxa by samples, as phyloseq and QIIME write them.

The first cells of the rows name the numbers, the first row names the samples. ``--records columns``
asks for it; a table that begins with ``#OTU ID`` says it itself.
"""

import csv
from pathlib import Path

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.biom_files import SAMPLE
from geomdp.io.csv_files import TABLE_ENDINGS
from geomdp.io.formats import FORMATS, Format
from geomdp.io.options import RECORDS
from geomdp.io.tables import Choices, Raw, chosen, shown
from geomdp.io.text_rows import is_packed, read_text
from geomdp.runtime.limits import read_as
from geomdp.spaces.rows import MISSING, real_number
from geomdp.statistics.base import Statistic

#: How QIIME begins the row of samples, behind a remark.
_OTU = "#OTU ID"
#: Bytes in which that row begins.
_HEAD = 4096
#: A last column of these names says something of the numbers, and is no sample.
_LINEAGES = {"taxonomy", "consensus lineage", "consensuslineage"}


def read_across(path: Path, choices: Choices) -> Raw:
    """Read columns as records, each by itself."""
    with read_as(path, "table"):
        text = read_text(path, replace=choices.keep_unparsable)
        lines = [line for line in text.splitlines() if line.strip()]
        while lines and lines[0].startswith("#") and not lines[0].startswith(_OTU):
            lines.pop(0)
        mark = next((one for one in "\t;," if lines and one in lines[0]), ",")
        rows = list(csv.reader(lines, delimiter=mark, strict=True))
        if len(rows) < 2:
            raise ValueError("it has no row of numbers")
        head, table = rows[0], rows[1:]
        if len(head) == len(table[0]) - 1:
            head = ["", *head]  # as R leaves it out
        short = next((i for i, row in enumerate(table) if len(row) != len(head)), None)
        if short is not None:
            raise ValueError(f"row {short + 2} has {len(table[short])} cells, not {len(head)}")
    samples = [place for place in range(1, len(head)) if head[place].lower() not in _LINEAGES]
    names = [row[0].strip() for row in table]
    wanted = [name for name in chosen((SAMPLE, *names), choices, path.name) if name != SAMPLE]
    values = np.empty((len(samples), len(wanted)))
    for place, name in enumerate(wanted):
        row = table[names.index(name)]
        values[:, place] = [_number(row[i], head[i], name, path, choices) for i in samples]
    columns = {SAMPLE: np.array([head[i].strip() for i in samples], dtype=str)}
    return Raw(values, tuple(wanted), {name: columns[name] for name in choices.keep})


def _number(cell: str, sample: str, name: str, path: Path, choices: Choices) -> float:
    if choices.decimal == ",":
        cell = cell.replace(",", ".")
    found = real_number(cell)
    gap = cell.strip().casefold() in MISSING
    if not (np.isfinite(found) or gap or choices.keep_unparsable):
        raise InvalidRecordError(
            f"{path.name}, sample {shown(sample)}, row {shown(name)}: {shown(cell)} is no number."
        )
    return found


class Across(Format):
    """Taxa by samples, a sample a record; its value is ``value.npy`` and ``results.csv``."""

    endings = TABLE_ENDINGS
    options = (RECORDS,)

    def recognises(self, path: Path, choices: Choices, statistic: Statistic) -> bool:
        """Tell whether columns are to be records, or the table says that they are."""
        if not super().recognises(path, choices, statistic):
            return False
        return choices.records == "columns" or (choices.records is None and _is_otu(path))

    def read(self, path: Path, choices: Choices, statistic: Statistic) -> Raw:  # noqa: D102
        return read_across(path, choices)


def _is_otu(path: Path) -> bool:
    if is_packed(path) or not path.is_file():
        return False
    with path.open("rb") as stream:
        lines = stream.read(_HEAD).split(b"\n")
    return any(line.lstrip(b'"').startswith(_OTU.encode()) for line in lines[:2])


FORMATS.register("across", Across())
