"""A consortium tried out on PUBLIC records: a whole round with faults, and the error to expect."""

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.consortia.aggregator import add, list_boxes
from geomdp.consortia.keys import Identity, make_identity
from geomdp.consortia.messages import BOX, box, read_message, signed
from geomdp.consortia.opening import open_release, read_totals
from geomdp.consortia.plan import ConsortiumPlan
from geomdp.consortia.planning import consortium
from geomdp.consortia.round import with_noise
from geomdp.consortia.site import answer
from geomdp.consortia.site_noise import MANY, linear_of
from geomdp.errors import GeomdpError
from geomdp.mechanisms.gaussian_noise import mean_of_totals
from geomdp.noise.entropy import SeededEntropy
from geomdp.plans.planning import plan as make_plan
from geomdp.plans.release import Release
from geomdp.plans.single import SinglePlan
from geomdp.sources.records import as_records
from geomdp.typing import Array

#: Noise is drawn so often for the errors, less often of many sites; never published.
REPEATS, LEAST, DRAWS = 1000, 50, 20_000


@dataclass(frozen=True, eq=False)
class Simulation:
    """What a round on public records came to.

    Attributes
    ----------
    plan
        Of the consortium, with keys that are forgotten.
    release
        Of the round.
    refused
        What was tried against it, and the sentence that refused it.
    errors
        Mean error by noise: one curator, this consortium, each site alone and pooled.
    """

    plan: ConsortiumPlan
    release: Release
    refused: Mapping[str, str]
    errors: Mapping[str, float]

    def __str__(self) -> str:
        curator = self.errors["one curator"]
        roster = self.release.manifest["consortium"]["roster"]
        lines = [
            f"Sites        {len(self.plan.sites)}, of which {len(roster)} are on the roster and "
            f"{self.plan.noise.honest} carry the noise",
            f"Opened       {self.release.plan.n} records in all",
        ]
        lines += [f"Refused      {what}: {said}" for what, said in self.refused.items()]
        rows = self.errors.items()
        lines += [f"Error        {e:.4g}  {who} ({e / curator:.3g} times)" for who, e in rows]
        return "\n".join(lines)


def simulate(
    plan: SinglePlan,
    records: Any,
    *,
    sites: int,
    aggregators: int = 3,
    colluding: int = 1,
    roster: int | None = None,
    repeats: int | None = None,
    seed: int = 0,
) -> Simulation:
    """Live a whole round on PUBLIC records, with its faults, and compare errors.

    One site drops out where the roster allows it. Tried are a box that a colluding site copied, one
    of another plan or version, one without a signature, one sent twice, a site that lies about its
    records, one that comes too late, and a short roster.

    Parameters
    ----------
    plan
        Of one curator.
    records
        PUBLIC: what is printed depends on them without noise.
    sites, aggregators, colluding, roster
        As of :func:`geomdp.consortium`; by default all sites but one must answer.
    repeats, seed
        Noise of the errors, and how records fall to sites.
    """
    data = as_records(records)
    if len(data) < 2 * sites:
        raise GeomdpError(f"There are {len(data)} records for {sites} sites; use fewer sites.")
    rng = np.random.default_rng(seed)
    parts = [np.sort(part) for part in np.array_split(rng.permutation(len(data)), sites)]
    with tempfile.TemporaryDirectory() as scratch:
        keys = {f"site{i}": make_identity(Path(scratch) / f"site{i}") for i in range(sites)}
        hubs = {f"hub{i}": make_identity(Path(scratch) / f"hub{i}") for i in range(aggregators)}
        made: Any = consortium(
            plan,
            sites={name: key.public for name, key in keys.items()},
            aggregators={name: key.public for name, key in hubs.items()},
            colluding=colluding,
            roster=max(sites - 1, colluding + 1) if roster is None else roster,
        )
        boxes = {}
        for (name, key), part in zip(keys.items(), parts, strict=True):
            boxes[name] = Path(scratch) / f"{name}.box"
            boxes[name].write_text(answer(made, data.rows(part), key))
        release, refused = _round(made, keys, hubs, boxes, Path(scratch))
    sizes = [len(part) for part in parts]
    repeats = min(REPEATS, max(LEAST, DRAWS // sites)) if repeats is None else repeats
    return Simulation(made, release, refused, errors(made, sizes, repeats, rng))


def _round(
    plan: ConsortiumPlan,
    keys: Mapping[str, Identity],
    hubs: Mapping[str, Identity],
    boxes: Mapping[str, Path],
    folder: Path,
) -> tuple[Release, dict[str, str]]:
    """Add and open; before, try what must be refused, and after, what comes too late."""
    late = list(boxes)[-1]
    there = list(boxes.values())[: max(plan.roster, len(boxes) - 1)]
    hub = next(iter(hubs.values()))
    few = list(boxes.values())[: plan.roster - 1]
    short = _lists(plan, hubs, few, folder)
    tried = [*_faults(plan, keys, boxes, folder, hub)]
    tried.append(("a short roster", lambda: add(plan, few, hub, short)))
    tried.append(("a site that lies", lambda: _lie(plan, keys, hubs, boxes, folder)))
    refused = {what: _refusal(attempt, folder) for what, attempt in tried}
    lists, totals = _lists(plan, hubs, there, folder), []
    for name, key in hubs.items():
        totals.append(folder / f"{name}.total")
        twice = [*there, there[0]]  # sent twice, it counts once: n is what was opened
        totals[-1].write_text(add(plan, twice, key, lists))
    if len(there) < len(boxes):
        refused[f"{late} comes late"] = _refusal(
            lambda: add(plan, list(boxes.values()), hub), folder
        )
    return open_release(plan, read_totals(plan, totals)), refused


def _faults(
    plan: ConsortiumPlan,
    keys: Mapping[str, Identity],
    boxes: Mapping[str, Path],
    folder: Path,
    hub: Identity,
) -> list[tuple[str, Callable[[], str]]]:
    """Return what is tried against an aggregator."""
    first, second = list(boxes)[:2]
    said = read_message(boxes[second], BOX)
    own = {key: item for key, item in said.items() if key not in ("geomdp", "signature")}
    copied = {**own, "shares": read_message(boxes[first], BOX)["shares"]}
    forged = {
        "a copied box": signed(BOX, copied, keys[second]),
        "a box of another plan": signed(BOX, {**own, "plan": "0" * 64}, keys[second]),
        "a box that its site did not sign": signed(BOX, own, keys[first]),
        "a box of another version": signed(f"{BOX}0", own, keys[second]),
    }
    tried: list[tuple[str, Callable[[], str]]] = []
    for number, (what, text) in enumerate(forged.items()):
        file = folder / f"forged{number}.box"
        file.write_text(text)
        files = [file if name == second else box for name, box in boxes.items()]
        tried.append((what, lambda files=files: add(plan, files, hub)))  # type: ignore[misc]
    return tried


def _lie(
    plan: ConsortiumPlan,
    keys: Mapping[str, Identity],
    hubs: Mapping[str, Identity],
    boxes: Mapping[str, Path],
    folder: Path,
) -> str:
    """Open a round in which a site says that it has as many records as are impossible."""
    liar, entropy = next(iter(boxes)), SeededEntropy(0)
    lie = [0] * len(plan.noise.counted) + [MANY * plan.n + 1]
    shares = plan.noise.modulus.split(lie, len(hubs), entropy)
    file = folder / "lie.box"
    file.write_text(box(plan.round, liar, keys[liar], shares, plan.aggregators))
    files, totals = [file, *list(boxes.values())[1:]], []
    for name, key in hubs.items():
        totals.append(folder / f"{name}.lie")
        aside = replace(key, file=folder / f"{name}.aside")  # else the round could not be lived
        totals[-1].write_text(add(plan, files, aside))
    return str(open_release(plan, read_totals(plan, totals)))


def _lists(
    plan: ConsortiumPlan, hubs: Mapping[str, Identity], files: Sequence[Path], folder: Path
) -> list[Path]:
    """Return the lists that all aggregators sign of the same boxes."""
    found = [folder / f"{name}-{len(files)}.list" for name in hubs]
    for file, key in zip(found, hubs.values(), strict=True):
        file.write_text(list_boxes(plan, files, key))
    return found


def _refusal(attempt: Callable[[], str], folder: Path) -> str:
    try:
        attempt()
    except GeomdpError as error:
        return str(error).replace(f"{folder}/", "")
    raise GeomdpError("What must be refused was not: please report it.")


def errors(
    plan: ConsortiumPlan, sizes: Sequence[int], repeats: int, rng: np.random.Generator
) -> dict[str, float]:
    """Return mean errors by noise alone: of one curator, of the consortium, of pooled releases."""
    asked, linear = plan.asked, linear_of(plan.asked.request)
    gaussian = not plan.noise.rates
    one = asked if not gaussian else _planned(asked, asked.n)
    alone = [_planned(asked, size).scale * size / sum(sizes) for size in sizes] if gaussian else []
    profile = linear.noise_profile

    def of(scale: float) -> float:
        drawn = rng.standard_normal((repeats, profile.size))
        return float(np.mean(linear.error_of(scale * profile * drawn)))

    noise = np.array([_drawn(plan, len(sizes), sum(sizes), rng) for _ in range(repeats)])
    found = {
        "one curator": of(one.scale * asked.n / sum(sizes)) if gaussian else one.expected_error,
        "this consortium": float(np.mean(linear.error_of(noise))),
    }
    if gaussian:
        found["each site alone, pooled"] = of(sqrt(sum(scale**2 for scale in alone)))
    return found


def _planned(asked: SinglePlan, n: int) -> SinglePlan:
    request = asked.request
    return make_plan(
        request.statistic,
        n=n,
        budget=request.budget,
        mechanism="tangent-gaussian",
        unit=request.unit,
        gaussian=request.gaussian,
    )


def _drawn(plan: ConsortiumPlan, sites: int, n: int, rng: np.random.Generator) -> Array:
    """Return the noise of all sites on the coordinates of the mean."""
    linear, counted = linear_of(plan.asked.request), plan.noise.counted
    entropy = SeededEntropy(int(rng.integers(2**62)))
    zeros = [0] * (len(counted) + 1)
    drawn = [with_noise(plan.noise, zeros, entropy) for _ in range(sites)]
    totals = [0] * linear.degrees.size
    for place, *column in zip(counted, *drawn, strict=False):
        totals[place] = sum(column)
    return np.array([float(mean) for mean in mean_of_totals(linear, totals, n)])
