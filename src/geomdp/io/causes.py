"""Why records do not fit a plan, where the file and not the records is the cause."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np

from geomdp.errors import InvalidRecordError
from geomdp.io.formats import FORMATS, PATH
from geomdp.io.loading import Loaded
from geomdp.io.tables import Choices, Texts
from geomdp.spaces import Space
from geomdp.spaces.record_shape import Triangle
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

if TYPE_CHECKING:
    from geomdp.plans import Plan


def subjects_of(plan: "Plan", loaded: Loaded) -> Texts | None:
    """Return who each record of a folder belongs to: the subject of its file.

    Raises ``InvalidRecordError`` if files hold many records each and the plan protects single ones.
    """
    if not loaded.format.one_file_a_subject:
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
    if getattr(loaded.points, "elsewhere", False):  # no record comes here to be looked at
        return
    shape = statistic.record_shape
    packed = shape.symmetric and loaded.size == shape.triangle_size != shape.size
    if packed and _fits_in_other_order(loaded, choices, statistic):
        other = "upper" if loaded.triangle == "lower" else "lower"
        yield f"with its components in the other order it would be one: write --triangle {other}"
    elif _is_nifti(loaded) and choices.mask is None:
        yield "voxels outside the brain are no tensors: give --mask"


def one_subject(plan: "Plan", loaded: Loaded) -> Iterator[str]:
    """Say of an image or a recording alone that its voxels or epochs are not people."""
    if loaded.format is FORMATS["epochs"] and plan.unit.of == "record":
        yield (
            f"one recording is one person's {len(loaded.points)} epochs, and no {plan.n} people: "
            "the promise is about an epoch. To protect persons give a folder with one file a "
            "subject and plan with --unit person"
        )
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
    shape, other = statistic.record_shape, _OTHER[loaded.triangle]
    rows = np.array(
        [shape.pack(point, loaded.size, loaded.triangle) for point in loaded.points[:1000]]
    )
    return not statistic.admit(shape.unpack(rows, other)).invalid


def _fits_as_unit_vector(loaded: Loaded, record: int, statistic: Statistic) -> bool:
    """Tell whether a record is no point, and would be one if it was divided by its norm."""
    ball = statistic.public_ball
    if ball is None or getattr(loaded.points, "elsewhere", False):
        return False
    point = np.asarray(loaded.points[record : record + 1])
    if point.dtype.kind not in "fiu" or not np.all(np.isfinite(point)):
        return False
    largest = np.max(np.abs(point), axis=-1, keepdims=True)
    if not np.all(largest > 0):
        return False
    scaled = point / largest  # so that no square overflows
    unit = scaled / np.linalg.norm(scaled, axis=-1, keepdims=True)
    as_it_is, divided = (ball.space.parse(x, instead=ball.center)[1] for x in (point, unit))
    return bool(as_it_is) and not divided


_OTHER: dict[Triangle, Triangle] = {"lower": "upper", "upper": "lower"}


#: Share of the directions that must point to the centre, and away from it, before they are called
#: axial: where all point away, they have a polarity, and a ball that is found follows them.
_AXIAL = 0.1
#: Numbers that stand for a missing coordinate in files of landmarks.
_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0)


def suspicions(points: Any, statistic: Statistic) -> Iterator[str]:
    """Yield sentences about records that are valid and perhaps not what was meant."""
    if not isinstance(points, np.ndarray) or points.dtype.kind not in "iufc" or not len(points):
        return
    ball = statistic.public_ball
    if ball is not None and _on_a_sphere(ball.space) and points.ndim == 2:
        yield from _axial(points, ball.center, ball.radius)
    if statistic.record_shape.complex:
        yield from _missing(points)
    if statistic.fills_gaps:
        yield from _gaps(points)


def _on_a_sphere(space: Space) -> bool:
    return space.space_form and space.by_direction


def _axial(rows: Array, center: Array, radius: float) -> Iterator[str]:
    if rows.shape[1] != len(center):
        return
    with np.errstate(all="ignore"):
        along, far = rows @ center, np.cos(radius) * np.linalg.norm(center)
        away, towards = int(np.sum(-along > far)), int(np.sum(along > far))
    if radius < np.pi / 2 and min(away, towards) >= _AXIAL * len(rows):
        yield (
            f"{away} of {len(rows)} directions point away from the centre, as axial data do "
            "(reversed polarity, or axes whose sign means nothing); they would be clipped to the "
            "ball's far side: turn each such record by itself, v to -v, in the file"
        )


def _gaps(curves: Array) -> Iterator[str]:
    count = int(np.isnan(curves).reshape(len(curves), -1).any(axis=1).sum())
    if count:
        yield f"{count} of {len(curves)} curves have gaps, which a fit of that curve alone fills"


def _missing(rows: Array) -> Iterator[str]:
    pairs = np.stack([rows.real, rows.imag], axis=-1) if np.iscomplexobj(rows) else rows
    if pairs.ndim != 3:
        return
    for code in _CODES:
        records, landmarks = np.nonzero(np.all(pairs == code, axis=-1))
        if len(records):
            yield (
                f"record {records[0]} has landmark {landmarks[0] + 1} at ({code:g}, {code:g}), and "
                f"{len(records) - 1} more are there; if that stands for a missing landmark, leave "
                "the record out or estimate it: as it is, it counts as a place"
            )
