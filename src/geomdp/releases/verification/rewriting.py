"""Whether a value's file holds the value and nothing besides: written again, and compared.

That it holds the value says nothing of what else may stand in it: comments, further arrays, fields
of a header. So the value is written again under the names of columns that the file has, which are
the only thing that came from the data's file.
"""

import tempfile
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path
from typing import get_args

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.io.cells import published_names
from geomdp.io.formats import FORMATS, Format, Value, holds_denoised
from geomdp.io.nifti_files import read_mask
from geomdp.io.tables import Choices
from geomdp.io.writing import upright, value_forms
from geomdp.plans import Plan
from geomdp.plans.release import Release
from geomdp.readings.names import column_names
from geomdp.releases.verification.pages import same_versions, says_the_same, written_with
from geomdp.releases.verification.verdict import Finding, Problem, Uncovered
from geomdp.runtime.limits import require_plain_file
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.statistics.map_mean import VoxelGrid
from geomdp.typing import Array
from geomdp.version import WRITERS

#: Whatever reading or writing a file that somebody made may end with.
_FAILS = (GeomdpError, OSError, ValueError, LookupError, TypeError, AttributeError, AssertionError)


def rewriting_findings(file: Path, release: Release) -> Iterator[Finding]:
    """Say where a file that holds the value holds more, or has names that no release writes."""
    try:
        require_plain_file(file)
        stated, written = file.read_bytes(), list(_rewritten(file, release))
    except GeomdpError as error:
        yield Problem(file.name, str(error))
        return
    if stated in written:
        return
    near = any(_near(stated, other, release.plan.statistic) for other in written)
    if near or not same_versions(release.manifest, WRITERS):
        yield Uncovered(
            file.name,
            f"not covered beyond its numbers: it was written with {written_with(release.manifest)},"
            " and here other bytes are written",
        )
        return
    yield Problem(file.name, "it holds the value and more, or is not as a release writes it")


def _rewritten(file: Path, release: Release) -> Iterator[bytes]:
    for used in FORMATS.values():
        if used.writes(file.name):
            for value in _values(used, file, release):
                yield _written(used, value, file.name)


def _values(used: Format, file: Path, release: Release) -> Iterator[Value]:
    """Yield all that a release may have written: under the plan's names, or those of the file."""
    plan = release.plan
    shape, grid = plan.statistic.record_shape, _grid(file, plan.statistic)
    for array, order in product(_arrays(file, release), get_args(Triangle)):
        for size in dict.fromkeys((shape.size, *((shape.triangle_size,) * shape.symmetric))):
            told = column_names(plan.statistic, plan.names, size, order) if plan.names else ()
            yield Value(array, plan.statistic, told, size, order, grid)
    names, size = _names(used, file, plan)
    if published_names(names) != names:
        raise GeomdpError("names of its columns could be data, and no release writes those")
    for array, order in product(_arrays(file, release), get_args(Triangle)):
        yield Value(array, plan.statistic, names, size, order, grid)


def _grid(file: Path, statistic: Statistic) -> VoxelGrid | None:
    """Return where the voxels of a map are: as planned, else as the file of the value has it."""
    asked = statistic.as_map()
    if asked is None or asked.grid is not None:
        return None if asked is None else asked.grid
    with suppress(*_FAILS):
        return read_mask(file)
    return None


def _arrays(file: Path, release: Release) -> list[Array]:
    """Return the forms in which a file may hold a value; itself alone where it has no other."""
    plan = release.plan
    found = [held_by(file, release)]
    with suppress(*_FAILS):
        found += [f for v in tuple(found) for f in value_forms(v, plan.reading)]
        if plan.statistic.record_shape.complex:
            found += [upright(form, plan.statistic) for form in tuple(found)]
    return found


def held_by(file: Path, release: Release) -> Array:
    """Return what a file holds by its name: the value, or the denoised one."""
    return np.asarray(release.denoised if holds_denoised(file) else release.answer.value)


def _names(used: Format, file: Path, plan: Plan) -> tuple[tuple[str, ...], int]:
    """Return the names of a file's columns, and how many numbers it has, read as records are.

    As raw records first, then as points: the value of images is no image.
    """
    for choices in dict.fromkeys((Choices(reading=plan.reading), Choices())):
        with suppress(*_FAILS):
            raw = used.read(file, choices, plan.statistic)
            return tuple(raw.names), raw.values[0].size
    with suppress(*_FAILS):
        return used.held_names(file), plan.statistic.record_shape.size
    return (), plan.statistic.record_shape.size  # a mesh or map has no columns


def _written(used: Format, value: Value, name: str) -> bytes:
    with tempfile.TemporaryDirectory() as scratch:
        file = Path(scratch) / name
        try:
            used.write(file, value)
            return file.read_bytes()
        except _FAILS:  # not in this form
            return b""


def _near(stated: bytes, follows: bytes, statistic: Statistic) -> bool:
    """Compare texts by words and last digits.

    Shapes are turned to a centre whose last digits depend on who reads it: there lengths count.
    """
    try:
        return says_the_same(stated.decode("utf-8"), follows.decode("utf-8"))
    except UnicodeDecodeError:
        return statistic.record_shape.complex and len(stated) == len(follows)
