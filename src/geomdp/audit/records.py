"""The record attack: hostile records, one at a time, through a nearly noiseless copy of a plan."""

import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.audit.findings import Finding, Settings, judged
from geomdp.audit.hostile import held, hostile, odd_records, written
from geomdp.audit.neighbours import as_data, public_radius
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.intervals import Ambiguous, from_floats, precision
from geomdp.io import Choices, read_records
from geomdp.mechanisms.forecast import chi_forecast
from geomdp.plans import SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy import GDP
from geomdp.sources.records import Records
from geomdp.spaces.admission import Policy
from geomdp.spaces.ball import Ball
from geomdp.statistics.base import Statistic
from geomdp.statistics.cover_radius import Cover
from geomdp.statistics.linear import LinearStatistic
from geomdp.typing import Array

#: The copy's sensitivity over its noise: the first of these that floats resolve.
QUIET = (10**6, 10**5, 10**4, 10**3, 10**2, 10)
#: Noise of the copy that no release exceeds, in units of its 99.9% quantile.
ROOM = 4.0
#: The copy has at most this many records: a release then takes milliseconds.
MOST_RECORDS = 64
#: Every so many records are also put into containers, and written to files and read back.
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

    More, where so little is less than floating point resolves on the space.
    """
    request = made.calibration.request
    statistic = getattr(made.statistic, "in_rows", made.statistic)
    name = "tangent-gaussian" if isinstance(statistic, LinearStatistic) else "wrapped-gaussian"
    policy: Policy = "public" if "public" in statistic.policies else "refuse"
    count = min(made.n, MOST_RECORDS)
    told: Any = {"mechanism": name, "bound": request.bound, "invalid": policy}
    for quiet in QUIET[:-1]:
        with suppress(MechanismRefusedError):
            return plan(statistic, n=count, budget=GDP(quiet), **told)
    return plan(statistic, n=count, budget=GDP(QUIET[-1]), **told)


def record_findings(made: SinglePlan, settings: Settings) -> list[Finding]:
    """Return how far one hostile record moved a release, and whether the door let it stay out."""
    if not made.statistic.needs_n:
        claim = "stated by the curator"
        note = "a summary takes a point, not records; its sensitivity is the curator's own claim"
        return [Finding("records", claim, "not checked", "report", note)]
    rng = np.random.default_rng(settings.seed)
    records = hostile(made.statistic, settings.records, rng)
    with np.errstate(all="ignore"), _silence():
        if (radii := made.statistic.as_cover()) is not None:
            return [_score_finding(made, radii, records)]
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


def _movement_finding(made: SinglePlan, records: Any) -> Finding:
    copy = quiet_copy(made)
    others, distance = public_records(copy), _distance(copy)
    base = copy.release(others).value
    tally, files, holders = Tally(), Tally(), Tally()

    def moved(data: Any) -> float:
        return distance(base, copy.release(data).value)

    for data in _replaced(others, records):
        tally.take(lambda data=data: moved(data))  # type: ignore[misc]
    few = _rows(records, slice(None, None, EVERY_FILE))
    for data in _in_containers(made.statistic, others, few):
        holders.take(lambda data=data: moved(data))  # type: ignore[misc]
    for read in _in_files(copy, others, few):
        files.take(lambda read=read: moved(read()))  # type: ignore[misc]
    through = _through_plan(made, _rows(records, slice(THROUGH_PLAN)))
    noise = ROOM * _noise_length(copy)
    allowed = copy.statistic.sensitivity(copy.n, copy.calibration.request.bound).value
    worst = max(tally.worst, files.worst, holders.worst)
    troubles = [*tally.troubles, *files.troubles, *holders.troubles, *through.troubles]
    ratio = max(0.0, worst - noise) / allowed
    first = f"; {len(troubles)} troubles, the first: {troubles[0]}" if troubles else ""
    return Finding(
        "records",
        f"one {made.unit.counted} moves a release by at most {allowed:.6g}",
        f"{ratio:.4f} of it",
        judged(ratio <= 1 and not troubles),
        f"{tally.released} hostile records from arrays, {holders.released} from lists, arrays of "
        f"objects and frames, and {files.released} from files (npy, csv, parquet) through a copy "
        f"with n = {copy.n} and noise of at most {noise:.2g}, which is taken off{first}",
        {
            "ratio": ratio,
            "released": float(tally.released),
            "from files": float(files.released),
            "from containers": float(holders.released),
            "troubles": float(len(troubles)),
        },
    )


def _score_finding(made: SinglePlan, asked: Cover, records: Any) -> Finding:
    """Replace a record by hostile ones: all scores must move the same way, each by 0 or 1."""
    n = made.n
    depths = np.arange(n)[::-1] % (asked.steps + 1)
    depths[-1] = asked.steps  # all radii lose a record that moves out
    before = np.array(asked.shortfalls(depths))
    worst, troubles = 0, 0
    public = np.asarray(asked.public_record)
    sent = [_rows(records, slice(i, i + 1)) for i in range(len(records))]
    sent += [_beside(sent[0], [odd]) for odd in odd_records(public)]
    for chunk in sent:
        try:
            moved = np.array(asked.shortfalls(np.r_[depths[:-1], asked.admit(chunk).records]))
            worst = max(worst, int(np.ptp(np.r_[0, moved - before])))
        except Exception:  # whatever it is, a record must not cause it
            troubles += 1
    return Finding(
        "records",
        f"one {made.unit.counted} moves all scores the same way, each by at most 1",
        f"by a range of {worst}" + (f"; {troubles} records caused an error" if troubles else ""),
        judged(worst <= 1 and not troubles),
        f"{len(sent)} hostile records among {n} that spread over the grid; in integers",
        {"ratio": float(worst), "records": float(len(sent)), "troubles": float(troubles)},
    )


def public_records(copy: SinglePlan) -> Any:
    """Public records whose mean is away from the centre, the last of them at the boundary.

    A fallback on the centre would show, and so would a record that crosses the whole ball.
    """
    statistic = copy.statistic
    width = statistic.vector_dim
    far = public_radius(copy) * np.linspace(NEAREST, 1.0, copy.n)
    return copy.statistic.records_at(np.tile(far[:, None], width) / np.sqrt(width))


def _rows(records: Any, chosen: Any) -> Any:
    return records.rows(chosen) if isinstance(records, Records) else records[chosen]


def _replaced(others: Any, records: Any) -> Iterator[Any]:
    """Give the other records with one of these in the last place."""
    if isinstance(others, Records):
        points = _replaced(others.points[:], records.points[:])
        for number, data in enumerate(points):
            yield Records(data, covariates=_replaced_cells(others, records, number))
        return
    for record in records:
        data = np.array(others, dtype=np.result_type(others, records))
        data[-1] = record
        yield data


def _in_containers(statistic: Statistic, others: Any, records: Any) -> Iterator[Any]:
    """Give the other records with a hostile or odd one in the last place, in every container."""
    points, sent = _each_last(others, records)
    for record in sent:
        for data in held(statistic, points[:-1], record):
            yield _beside(others, data)


def _in_files(copy: SinglePlan, others: Any, records: Any) -> Iterator[Callable[[], Any]]:
    """Give the same by way of every file, to be read as ``geomdp release`` does."""
    points, sent = _each_last(others, records)
    # As the command reads for this policy; nothing names the coordinates of landmarks.
    how = Choices(keep_unparsable=copy.guarantee.invalid == "public", layout="pairs")
    with tempfile.TemporaryDirectory() as folder:
        for record in sent:
            for path in written(Path(folder), copy.statistic, points[:-1], record):
                yield partial(_read, path, copy.statistic, how, others)


def _read(path: Path, statistic: Statistic, how: Choices, others: Any) -> Any:
    return _beside(others, read_records(path, statistic, how).points)


def _each_last(others: Any, records: Any) -> tuple[Array, Iterator[Any]]:
    """Return the other records, and all that are to stand in the place of the last."""
    beside = isinstance(others, Records)
    points = np.asarray(others.points[:] if beside else others)
    return points, chain(records.points[:] if beside else records, odd_records(points[-1]))


def _beside(others: Any, data: Any) -> Any:
    """Return points with the covariates of the other records, where they have some."""
    return Records(data, covariates=others.covariates) if isinstance(others, Records) else data


def _replaced_cells(others: Records, records: Records, number: int) -> dict[str, Any]:
    cells = {}
    for name, column in others.covariates.items():
        cells[name] = np.array(column, dtype=object)
        cells[name][-1] = records.covariates[name][number]
    return cells


def _through_plan(made: SinglePlan, records: Any) -> Tally:
    """Release a few by the plan's own mechanism: it must not fail either, but for its policy."""
    tally = Tally()
    if made.n > MOST_RECORDS:
        return tally
    policy = made.calibration.request.invalid
    invalid = made.statistic.admit(records).invalid if policy == "refuse" else {}
    valid = np.array([row not in invalid for row in range(len(records))], dtype=bool)
    for data in _replaced(public_records(made), _rows(records, valid)):
        tally.take(lambda data=data: 0.0 * len(made.release(as_data(made, data)).value))  # type: ignore[misc]
    return tally


def _distance(copy: SinglePlan) -> Callable[[Array, Array], float]:
    """Distance that the sensitivity is about: on the space, or of weighted coordinates."""
    statistic = copy.statistic
    if not isinstance(statistic, LinearStatistic):
        space = copy.calibration.space
        return lambda a, b: float(space.dist(a, b))
    weights = np.asarray(statistic.noise_profile)

    def weighted(a: Array, b: Array) -> float:
        gap = np.subtract(*statistic.to_coordinates(np.stack([a, b])))
        return float(np.linalg.norm(gap / weights))

    return weighted


def _noise_length(copy: SinglePlan) -> float:
    """Length, as the distance above takes it, that the copy's noise seldom exceeds."""
    statistic = copy.statistic
    if not isinstance(statistic, LinearStatistic):
        return copy.error_quantile(0.999)
    return chi_forecast(statistic.noise_profile.size, copy.scale).quantile(0.999)


def _door_finding(made: SinglePlan, records: Any) -> Finding:
    """Admit all records together, and compare the farthest with the radius in intervals."""
    ball = made.statistic.ball  # type: ignore[attr-defined]
    admitted = made.statistic.admit(records)
    points = admitted.records
    if isinstance(made.statistic, LinearStatistic):
        # Whatever floats make of a record, its lattice vector is clipped again in integers.
        ends = np.cumsum(made.statistic.blocks)[:-1]
        lengths = [np.linalg.norm(part, axis=1) for part in np.split(points, ends, axis=1)]
        beyond = int(np.sum(~(np.max(lengths, axis=0) <= made.statistic.radius * ROUNDED)))
        note = "up to rounding, since the lattice clips again in integers"
    else:
        beyond = outside(ball, points)
        note = f"{len(admitted.invalid)} of them were no points and count as the centre"
    found = f"{beyond} of {len(points)} beyond the radius"
    claim = "every admitted record lies in the ball"
    return Finding("door", claim, found, judged(beyond == 0), note, {"beyond": float(beyond)})


# --- whether admitted records lie in the ball, decided in interval arithmetic


#: Records closer to the boundary than this part of the radius are compared with proof.
CLOSE = 1e-6
#: At most so many of them, the farthest first.
MOST = 200
BITS = 200


def outside(ball: Ball, points: Array) -> int:
    """Count points whose distance from the centre is certainly above the radius, or no number."""
    with np.errstate(all="ignore"):
        distance = np.asarray(ball.space.dist(ball.center, points))
    finite = np.isfinite(distance)
    order = np.argsort(-np.where(finite, distance, 0.0))[:MOST]
    close = order[finite[order] & (distance[order] > ball.radius * (1 - CLOSE))]
    return int(np.sum(~finite)) + sum(_beyond(ball, points[i]) for i in close.tolist())


def _beyond(ball: Ball, point: Array) -> bool:
    with precision(BITS):
        here, there = (from_floats(np.asarray(p)[None]) for p in (ball.center, point))
        try:
            distance = ball.space.dist(here, there)[0]
        except Ambiguous:  # equal eigenvalues, which no precision tells apart
            rounding = ball.space.log_rounding(ball.center, ball.radius)
            return not float(ball.space.dist(ball.center, point)) <= ball.radius + rounding
        # Written so that a ball that is no number counts as beyond.
        return not distance <= ball.radius and not distance.overlaps(type(distance)(ball.radius))
