"""Ten thousand hostile records on a space, each as the one replaced record of a data set.

All of them are admitted. The mean of a data set depends on a record only through what was admitted,
so that it is estimated once for each different admitted record. The first of them, and every tenth
of those from files too, are sent through ``plan.release`` besides, as the audit does.
"""

import numpy as np

from geomdp.audit import Settings
from geomdp.audit.door import outside
from geomdp.audit.hostile import hostile
from geomdp.audit.records import public_records, quiet_copy, record_findings
from geomdp.plans import SinglePlan
from geomdp.typing import Array

RECORDS = 10_000
#: Of these, through ``plan.release``.
RELEASED = 200
RECORD_HEAD = (
    "space",
    "radius",
    "hostile records",
    "no points",
    "different when admitted",
    "worst movement / claim, estimated",
    "released",
    "worst movement / claim, released",
    "outside the ball",
    "troubles",
)


def attacked(space: str, made: SinglePlan) -> list[str]:
    """Attack one statistic with hostile records and return its row."""
    settings = Settings(records=RELEASED)
    statistic, ball = made.statistic, made.calibration.ball
    records = hostile(statistic, RECORDS, np.random.default_rng(settings.seed))
    with np.errstate(all="ignore"):
        admitted = statistic.admit(records)
        different = np.unique(admitted.records, axis=0)
        moved = _largest_movement(made, different)
    released = record_findings(made, settings)[0]
    return [
        space,
        f"{ball.radius:g}",
        f"{RECORDS:,}",
        f"{len(admitted.invalid):,}",
        f"{len(different):,}",
        f"{moved / made.sensitivity.value:.4f}",
        f"{RELEASED:,}",
        f"{released.numbers['ratio']:.4f}",
        f"{outside(ball, admitted.records)}",
        f"{int(released.numbers['troubles'])}",
    ]


def _largest_movement(made: SinglePlan, admitted: Array) -> float:
    """Replace the last of the public records by each, and compare the means."""
    copy = quiet_copy(made)
    data = copy.statistic.admit(public_records(copy)).records
    data = np.array(data, dtype=np.result_type(data, admitted))
    space, base = copy.calibration.space, copy.calibration.estimate(data)
    worst = 0.0
    for record in admitted:
        data[-1] = record
        distance = float(space.dist(base, copy.calibration.estimate(data)))
        worst = max(worst, float("inf") if np.isnan(distance) else distance)
    return worst
