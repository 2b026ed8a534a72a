"""What a curator should look at before releasing: told, never published, and nothing is changed."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from geomdp.spaces.sphere import Sphere
from geomdp.statistics.base import Statistic
from geomdp.typing import Array

#: Share of the directions that must point to the centre, and away from it, before they are called
#: axial: where all point away, they have a polarity, and a ball that is found follows them.
_AXIAL = 0.1
#: Numbers that stand for a missing coordinate in files of landmarks.
_CODES = (-1.0, -9.0, -99.0, -999.0, -9999.0)


def suspicions(points: Any, statistic: Statistic) -> Iterator[str]:
    """Yield sentences about records that are valid and perhaps not what was meant.

    Parameters
    ----------
    points
        Records as the statistic takes them.
    statistic
        Says what they are.

    Examples
    --------
    >>> import geomdp as dp
    >>> mean = dp.FrechetMean(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5))
    >>> next(suspicions(np.array([[0, 0, 1.0], [0, 0, -1.0]]), mean))[:44]
    '1 of 2 directions point away from the centre'
    """
    if not isinstance(points, np.ndarray) or points.dtype.kind not in "iufc" or not len(points):
        return
    ball = statistic.public_ball
    if ball is not None and isinstance(ball.space, Sphere) and points.ndim == 2:
        yield from _axial(points, ball.center, ball.radius)
    if statistic.record_shape.complex:
        yield from _missing(points)
    if statistic.fills_gaps:
        yield from _gaps(points)


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
