"""The page of speed in the docs: ``python -m benchmarks speed_page`` runs and rewrites it."""

import os
import platform
from datetime import UTC, datetime
from itertools import chain
from pathlib import Path

import numpy as np

from benchmarks.cost_growth import grow
from benchmarks.peers.comparing import compare
from benchmarks.peers.environments import PINS
from benchmarks.plans import slowest

PAGE = Path("docs/benchmarks.md")
#: What follows is measured by ``benchmarks.unseen`` and ``benchmarks.gpu``, and stays.
REST = "## Records that nobody tuned on"
HEAD = """# Speed

Written by `make bench`; no test depends on it. Last run: {date}, {cores} cores, load {load:.1f} at
the end, Python {python}, NumPy {numpy}.

## How cost grows

CPU seconds of one mean on all threads together, the fastest of three, and the exponent of the
growth without the first size.
"""
PEERS = """
## Beside other libraries

Each library runs in a process of its own, in an environment with pinned versions ({pins}), and
they take turns on the same records. What counts are ratios of neighbouring runs (above 1: geomdp
is faster): their median with quartiles, and the ratio of CPU times, which a busy machine disturbs
less. Each finds NumPy arrays in the layout that it wants: making velocities and pairs of numbers
is not timed. Peers have one BLAS thread, which is faster for them on matrices of these sizes, and
JAX as many threads as it likes; geomdp uses threads of its own where there are many records.
Means are solved to a gradient of 1e-10 by geomdp, which also validates every record, and by
pyRiemann and geomstats, which do not; Morphomatics is compiled beforehand, and its means stop at
1e-6 or after ten iterations.
""".format(pins="; ".join(", ".join(pins) for pins in PINS.values()))


PLANS = """
## Plans

Means, tangent means, moments and regressions on small and large spaces, and of functions, with
budgets of every kind; a plan touches no records, so that this is all that their number costs.
`python -m benchmarks plans` times every mechanism by name.
"""


def main() -> None:
    rest = "".join(PAGE.read_text(encoding="utf-8").partition(REST)[1:])
    lines: list[str] = []
    for line in chain(grow(), [PLANS], slowest(), [PEERS], compare()):
        print(line, flush=True)
        lines.append(line)
        # A run that is stopped leaves what it has measured.
        PAGE.write_text("\n".join([_head(), *lines, "", rest]), encoding="utf-8")


def _head() -> str:
    return HEAD.format(
        date=datetime.now(UTC).strftime("%Y-%m-%d"),
        cores=os.cpu_count(),
        load=os.getloadavg()[0],
        python=platform.python_version(),
        numpy=np.__version__,
    )


if __name__ == "__main__":
    main()
