"""The record attack: hostile records, one at a time, through a nearly noiseless copy of a plan."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from geomdp.audit.door import outside
from geomdp.audit.findings import Finding, judged
from geomdp.audit.hostile import hostile
from geomdp.audit.losses import coordinates_of
from geomdp.audit.neighbours import coordinate_count, public_radius, record_at
from geomdp.audit.settings import Settings
from geomdp.errors import GeomdpError
from geomdp.io import read_records
from geomdp.planning import plan
from geomdp.plans import SinglePlan
from geomdp.privacy import GDP
from geomdp.spaces.admission import Policy
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.tangent_mean import TangentMean
from geomdp.typing import Array

#: The copy's sensitivity over its noise.
QUIET = 10**6
#: Noise of the copy that no release exceeds, in units of its 99.9% quantile.
ROOM = 4.0
#: The copy has at most this many records: a release then takes milliseconds.
MOST_RECORDS = 64
#: Every so many records are also written to a file and read back.
EVERY_FILE = 10
#: Records that also go through the plan itself.
THROUGH_PLAN = 16
#: Rounding of the float coordinates of a linear statistic.
ROUNDED = 1 + 1e-9
#: The other records lie from here to the boundary, in radii.
NEAREST = 0.5


@dataclass
class Tally:
    """What happened to the records."""

    worst: float = 0.0
    released: int = 0
    refused: int = 0
    troubles: list[str] = field(default_factory=list)

    def take(self, release: Callable[[], float]) -> None:
        """Release once; anything but a movement is trouble, a sentence that refuses included."""
        try:
            self.worst = max(self.worst, _not_nan(release()))
            self.released += 1
        except GeomdpError as error:
            self.refused += 1
            self.troubles.append(f"refused: {error}")
        except Exception as error:  # whatever it is, a record must not cause it
            self.troubles.append(f"{type(error).__name__}: {error}")


def _not_nan(movement: float) -> float:
    return float("inf") if np.isnan(movement) else movement


def quiet_copy(made: SinglePlan) -> SinglePlan:
    """Return the same statistic, door and solver with noise of a millionth of the sensitivity.

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Sphere(2), [0, 0, 1], 0.3)
    >>> copy = quiet_copy(dp.plan(dp.FrechetMean(ball), n=20, budget=dp.Pure(1)))
    >>> copy.mechanism, copy.scale < 1e-7
    ('wrapped-gaussian', True)
    """
    statistic, request = made.statistic, made.calibration.request
    name = "tangent-gaussian" if isinstance(statistic, LinearStatistic) else "wrapped-gaussian"
    policy: Policy = "public" if "public" in statistic.policies else "refuse"
    count = min(made.n, MOST_RECORDS)
    return plan(
        statistic, n=count, budget=GDP(QUIET), mechanism=name, bound=request.bound, invalid=policy
    )


def record_findings(made: SinglePlan, settings: Settings) -> list[Finding]:
    """Return how far one hostile record moved a release, and whether the door let it stay out."""
    if not made.statistic.needs_n:
        claim = "stated by the curator"
        note = "a summary takes a point, not records; its sensitivity is the curator's own claim"
        return [Finding("records", claim, "not checked", "report", note)]
    rng = np.random.default_rng(settings.seed)
    records = hostile(made.statistic, settings.records, rng)
    with np.errstate(all="ignore"), _silence():
        found = [_movement_finding(made, records)]
        if getattr(made.statistic, "ball", None) is not None:
            found.append(_door_finding(made, records))
    return found


@contextmanager
def _silence() -> Iterator[None]:
    """Keep the notes for a curator off the screen: the records here are our own."""
    log = logging.getLogger("geomdp")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        yield
    finally:
        log.setLevel(level)


def _movement_finding(made: SinglePlan, records: Array) -> Finding:
    copy = quiet_copy(made)
    others, distance = public_records(copy), _distance(copy)
    base = copy.release(others).value
    tally, files = Tally(), Tally()

    def moved(data: Array) -> float:
        return distance(base, copy.release(data).value)

    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(_replaced(others, records)):
            tally.take(lambda data=data: moved(data))  # type: ignore[misc]
            if number % EVERY_FILE == 0:
                for path in _written(Path(folder), data):
                    files.take(
                        lambda path=path: moved(read_records(path, made.statistic).points)  # type: ignore[misc]
                    )
    through = _through_plan(made, records[:THROUGH_PLAN])
    noise = ROOM * copy.error_quantile(0.999) / _unit(copy)
    allowed = copy.statistic.sensitivity(copy.n, copy.calibration.request.bound).value
    worst = max(tally.worst, files.worst)
    troubles = [*tally.troubles, *files.troubles, *through.troubles]
    ratio = max(0.0, worst - noise) / allowed
    first = f"; {len(troubles)} troubles, the first: {troubles[0]}" if troubles else ""
    return Finding(
        "records",
        f"one record moves a release by at most {allowed:.6g}",
        f"{ratio:.4f} of it",
        judged(ratio <= 1 and not troubles),
        f"{tally.released} hostile records from arrays and {files.released} from files through a "
        f"copy with n = {copy.n} and noise of at most {noise:.2g}, which is taken off{first}",
        {
            "ratio": ratio,
            "released": float(tally.released),
            "from files": float(files.released),
            "troubles": float(len(troubles)),
        },
    )


def public_records(copy: SinglePlan) -> Array:
    """Public records whose mean is away from the centre, the last of them at the boundary.

    A fallback on the centre would show, and so would a record that crosses the whole ball.
    """
    statistic = copy.statistic
    width = coordinate_count(statistic)
    far = public_radius(copy) * np.linspace(NEAREST, 1.0, copy.n)
    return record_at(copy, np.tile(far[:, None], width) / np.sqrt(width))


def _replaced(others: Array, records: Array) -> Iterator[Array]:
    for record in records:
        data = np.array(others, dtype=np.result_type(others, records))
        data[-1] = record
        yield data


def _written(folder: Path, data: Array) -> Iterator[Path]:
    """Write a data set as npy, and as csv where a record is a row of numbers."""
    np.save(folder / "records.npy", data)
    yield folder / "records.npy"
    if not np.iscomplexobj(data) and data.ndim in (2, 3):
        rows = data.reshape(len(data), -1)
        head = ",".join(f"c{i}" for i in range(rows.shape[1]))
        np.savetxt(
            folder / "records.csv", rows, delimiter=",", fmt="%.17g", header=head, comments=""
        )
        yield folder / "records.csv"


def _through_plan(made: SinglePlan, records: Array) -> Tally:
    """Release a few by the plan's own mechanism: it must not fail either, but for its policy."""
    tally = Tally()
    if made.n > MOST_RECORDS:
        return tally
    policy = made.calibration.request.invalid
    valid = [not made.statistic.admit(r[None]).invalid or policy == "public" for r in records]
    for data in _replaced(public_records(made), records[valid]):
        tally.take(lambda data=data: 0.0 * len(made.release(data).value))  # type: ignore[misc]
    return tally


def _distance(copy: SinglePlan) -> Callable[[Array, Array], float]:
    """Distance that the sensitivity is about: on the space, or of weighted coordinates."""
    statistic = copy.statistic
    if not isinstance(statistic, LinearStatistic):
        space = copy.calibration.space
        return lambda a, b: float(space.dist(a, b))
    back, weights = coordinates_of(statistic), np.asarray(statistic.noise_profile)
    return lambda a, b: float(np.linalg.norm(np.subtract(*back(np.stack([a, b]))) / weights))


def _unit(copy: SinglePlan) -> float:
    """Smallest decoded length of a unit of weighted coordinates; 1 on a space."""
    statistic = copy.statistic
    if not isinstance(statistic, LinearStatistic) or isinstance(statistic, TangentMean):
        return 1.0
    return float(np.min(np.asarray(statistic.noise_profile) * np.asarray(statistic.error_scale)))


def _door_finding(made: SinglePlan, records: Array) -> Finding:
    """Admit all records together, and compare the farthest with the radius in intervals."""
    ball = made.statistic.ball  # type: ignore[attr-defined]
    admitted = made.statistic.admit(records)
    points = admitted.records
    if isinstance(made.statistic, LinearStatistic):
        # Whatever floats make of a record, its lattice vector is clipped again in integers.
        beyond = int(np.sum(~(np.linalg.norm(points, axis=1) <= made.statistic.radius * ROUNDED)))
        note = "up to rounding, since the lattice clips again in integers"
    else:
        beyond = outside(ball, points)
        note = f"{len(admitted.invalid)} of them were no points and count as the centre"
    found = f"{beyond} of {len(points)} beyond the radius"
    claim = "every admitted record lies in the ball"
    return Finding("door", claim, found, judged(beyond == 0), note, {"beyond": float(beyond)})
