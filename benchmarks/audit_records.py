"""Ten thousand hostile records on a space, each as the one replaced record of a release.

Every one goes through ``plan.release`` of a copy with a millionth of the noise, every tenth from
files too: what the audit's record check does.
"""

import numpy as np

from geomdp.audit import Settings
from geomdp.audit.hostile import hostile
from geomdp.audit.neighbours import public_radius
from geomdp.audit.records import record_findings
from geomdp.plans import SinglePlan

RECORDS = 10_000
RECORD_HEAD = (
    "space",
    "radius",
    "hostile records",
    "no points",
    "different when admitted",
    "released from arrays",
    "from files",
    "worst movement / claim",
    "outside the ball",
    "troubles",
)


def attacked(space: str, made: SinglePlan) -> list[str]:
    """Attack one statistic with hostile records and return its row."""
    settings = Settings(records=RECORDS)
    records = hostile(made.statistic, RECORDS, np.random.default_rng(settings.seed))
    with np.errstate(all="ignore"):
        admitted = made.statistic.admit(records)
    found = {finding.check: finding.numbers for finding in record_findings(made, settings)}
    released = found["records"]
    return [
        space,
        f"{public_radius(made):g}",
        f"{RECORDS:,}",
        f"{len(admitted.invalid):,}",
        f"{len(np.unique(admitted.records, axis=0)):,}",
        f"{int(released['released']):,}",
        f"{int(released['from files']):,}",
        f"{released['ratio']:.4f}",
        f"{int(found['door']['beyond'])}" if "door" in found else "",
        f"{int(released['troubles'])}",
    ]
