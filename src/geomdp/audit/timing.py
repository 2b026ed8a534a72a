"""How long a release takes on several data sets: reported beside the plan's caveats."""

import time

import numpy as np

from geomdp.audit.findings import Finding
from geomdp.audit.sampling import exact_draws
from geomdp.audit.suspects import Suspects

#: Rounds over the data sets; each draws once on every one of them.
ROUNDS = 5
#: Data sets timed.
SETS = 4


def timing_finding(suspects: Suspects) -> Finding:
    """Time exact draws on the data sets of a few pairs, in turn."""
    chosen = suspects.pairs[:SETS]
    seconds = np.empty((ROUNDS, len(chosen)))
    for row in seconds:
        for i, pair in enumerate(chosen):
            start = time.process_time()
            exact_draws(suspects.plan, pair.first, 1)
            row[i] = time.process_time() - start
    medians = np.median(seconds, axis=0)
    caveats = [c for c in suspects.plan.guarantee.caveats if "time" in c]
    return Finding(
        "timing",
        caveats[0] if caveats else "no caveat about time",
        f"medians {1e3 * np.min(medians):.3g} to {1e3 * np.max(medians):.3g} ms",
        "report",
        f"{ROUNDS} draws on each of {len(chosen)} data sets; processor time, here and now",
        {"fastest": float(np.min(medians)), "slowest": float(np.max(medians))},
    )
