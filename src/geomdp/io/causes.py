"""Why records do not fit a plan, where the file and not the records is the cause."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.folders import PATH
from geomdp.io.formats import FORMATS
from geomdp.io.reading import Loaded
from geomdp.io.subject_folders import Subjects
from geomdp.io.tables import Choices, Texts
from geomdp.sources.elsewhere import Elsewhere
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic

if TYPE_CHECKING:
    from geomdp.plans import Plan


def subjects_of(plan: "Plan", loaded: Loaded) -> Texts | None:
    """Return who each record of a folder belongs to: the subject of its file.

    Raises
    ------
    InvalidRecordError
        If files hold many records each and the plan protects single ones.
    """
    if not isinstance(loaded.format, Subjects):
        return None
    files = loaded.columns[PATH]
    if plan.unit.of == "person":
        return files
    count = len(np.unique(files))
    if len(files) != count:
        raise InvalidRecordError(
            f"The folder holds {len(files)} records in {count} files, so that a file is a subject "
            "with many records (voxels, say); plan with --unit person and --n for the number of "
            "subjects: each then counts once, by the mean of its records (in the --mask, if there "
            "is one). To release a map, voxel by voxel over the subjects, plan with --voxels "
            "MASK."
        )
    return None


@contextmanager
def naming_the_cause(loaded: Loaded, choices: Choices, statistic: Statistic) -> Iterator[None]:
    """Add to a refusal of records what in the file may be its cause."""
    try:
        yield
    except InvalidRecordError as error:
        refusal = with_causes(str(error), error.record, loaded, choices, statistic)
        raise InvalidRecordError(refusal, error.record) from error


def with_causes(
    refusal: str, record: int | None, loaded: Loaded, choices: Choices, statistic: Statistic
) -> str:
    """Return why a record is refused, with what in the file may be the cause."""
    if record is None:
        return refusal
    hints = list(_hints(loaded, choices, statistic))
    if choices.reading is None and _fits_as_unit_vector(loaded, record, statistic):
        hints.append("geomdp plan --normalize divides each by its norm")
    return "; ".join([refusal.rstrip("."), *hints]) + "." if hints else refusal


def _hints(loaded: Loaded, choices: Choices, statistic: Statistic) -> Iterator[str]:
    if isinstance(loaded.points, Elsewhere):  # no record comes here to be looked at
        return
    shape = statistic.record_shape
    packed = shape.symmetric and loaded.size == shape.triangle_size != shape.size
    if packed and _fits_in_other_order(loaded, choices, statistic):
        other = "upper" if choices.triangle == "lower" else "lower"
        yield f"with its components in the other order it would be one: write --triangle {other}"
    elif _is_nifti(loaded) and choices.mask is None:
        yield "voxels outside the brain are no tensors: give --mask"


def one_subject(plan: "Plan", loaded: Loaded) -> Iterator[str]:
    """Say of a NIfTI file alone that its voxels are not people."""
    if loaded.format is FORMATS["nifti"] and len(loaded.points) > 1:
        yield (
            f"one NIfTI file is one person's {len(loaded.points)} voxels, and no {plan.n} people: "
            "the promise is about a voxel. To protect persons give a folder with one file a "
            "subject and plan with --unit person: each counts once, by the mean of its voxels in "
            "--mask; or with --voxels MASK, for a map"
        )


def _is_nifti(loaded: Loaded) -> bool:
    """Tell whether records are voxels."""
    nifti = FORMATS["nifti"]
    paths = loaded.columns.get(PATH)
    inside = paths is not None and str(paths[0]).lower().endswith(nifti.endings)
    return loaded.format is nifti or inside


def _fits_in_other_order(loaded: Loaded, choices: Choices, statistic: Statistic) -> bool:
    """Tell whether all records would be valid if their triangle was the other one."""
    shape, other = statistic.record_shape, _OTHER[choices.triangle]
    rows = np.array(
        [shape.pack(point, loaded.size, choices.triangle) for point in loaded.points[:1000]]
    )
    return not statistic.admit(shape.unpack(rows, other)).invalid


def _fits_as_unit_vector(loaded: Loaded, record: int, statistic: Statistic) -> bool:
    """Tell whether a record would be valid if it was divided by its norm."""
    ball = statistic.public_ball
    if ball is None or isinstance(loaded.points, Elsewhere):
        return False
    point = np.asarray(loaded.points[record : record + 1])
    if point.dtype.kind not in "fiu" or not np.all(np.isfinite(point)):
        return False
    norm = np.linalg.norm(point, axis=-1, keepdims=True)
    return bool(np.all(norm > 0)) and not ball.space.parse(point / norm, instead=ball.center)[1]


_OTHER: dict[Triangle, Triangle] = {"lower": "upper", "upper": "lower"}
