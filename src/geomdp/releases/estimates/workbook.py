"""The tables of a release as one workbook, ``results.xlsx``, for those who ask for it.

It holds what ``results.csv`` and ``coordinates.csv`` hold, a sheet each; ``geomdp verify`` makes it
again.
"""

import csv
import io
from pathlib import Path

from geomdp.errors import GeomdpError
from geomdp.io.atomic import write_whole
from geomdp.io.sheet_files import Sheet, workbook
from geomdp.plans.release import Release, pages_of
from geomdp.releases.estimates.tables import COORDINATES, RESULTS

WORKBOOK = "results.xlsx"


def workbook_of(release: Release) -> bytes:
    """Return the workbook of a release.

    Raises ``GeomdpError`` if it has no tables: what was released has more numbers than a row of a
    spreadsheet.
    """
    pages = pages_of(release)
    found = {
        name.partition(".")[0]: pages[name] for name in (RESULTS, COORDINATES) if name in pages
    }
    if not found:
        raise GeomdpError(
            "This release has no tables: a spreadsheet has fewer columns than it has numbers."
        )
    return workbook({name: _sheet(text) for name, text in found.items()})


def _sheet(text: str) -> Sheet:
    names, *rows = csv.reader(io.StringIO(text))
    return names, [[row[0], *map(float, row[1:])] for row in rows]


def write_workbook(release: Release, folder: str | Path) -> Path:
    """Write the workbook into a release's folder, and return where."""
    file = Path(folder) / WORKBOOK
    write_whole(file, workbook_of(release))
    return file
