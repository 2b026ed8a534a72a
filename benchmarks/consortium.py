"""A consortium of many sites on one machine: time and memory, exact curves, and errors.

``python -m benchmarks.consortium round 1000`` lives a round of so many sites;
``python -m benchmarks.consortium aggregator 100000`` adds boxes of so many, and verifies;
``python -m benchmarks.consortium curves`` compares exact laws of the opened total with the claim;
``python -m benchmarks.consortium errors`` draws the noise of sites and measures errors;
``python -m benchmarks.consortium stages`` finds balls by histograms and measures errors in them.
"""

import resource
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from nacl.public import PrivateKey
from nacl.signing import SigningKey
from scipy.stats import norm

import geomdp as dp
from geomdp.consortia import (
    ConsortiumPlan,
    ConsortiumStages,
    Identity,
    add,
    answer,
    consortium,
    make_identity,
    open_release,
    opened_value,
    read_totals,
    site_integers,
)
from geomdp.consortia.messages import box
from geomdp.consortia.plan import Parties
from geomdp.consortia.splitting import loss_squared
from geomdp.noise.entropy import SeededEntropy, SystemEntropy
from geomdp.noise.lattice import Lattice
from geomdp.plans.release import Release
from geomdp.serial import canonical

BALL = dp.Ball(dp.SPD(10), np.eye(10), 1.0)
#: Records a site: what a site does with more is a pass over them, as without a consortium.
EACH = 2
#: What floats lose in laws of some hundred numbers.
ROUNDING = 1e-11


def main() -> None:
    """Do what was asked."""
    if sys.argv[1:2] == ["round"]:
        many_sites(int(sys.argv[2]))
    elif sys.argv[1:2] == ["aggregator"]:
        one_aggregator(int(sys.argv[2]))
    elif sys.argv[1:2] == ["errors"]:
        errors()
    elif sys.argv[1:2] == ["stages"]:
        stages()
    else:
        curves()


def many_sites(count: int) -> None:
    """Live a round of many sites, one after the other, and say what CPU each step took."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        steps = {}
        began = time.process_time()

        def step(name: str) -> None:
            nonlocal began
            steps[name] = time.process_time() - began
            began = time.process_time()

        keys = {f"site{i}": make_identity(folder / "keys" / f"site{i}") for i in range(count)}
        hubs = {name: make_identity(folder / "keys" / name) for name in ("one", "two", "three")}
        step("keys")
        mean = dp.TangentMean(BALL)
        asked = dp.plan(mean, n=EACH * count, budget=dp.GDP(1), mechanism="tangent-gaussian")
        made = consortium(
            asked,
            sites={name: key.public for name, key in keys.items()},
            aggregators={name: key.public for name, key in hubs.items()},
            colluding=count // 10,
            roster=count // 2,
        )
        made.save(folder / "consortium.json")
        step("plan")
        records = np.repeat(np.eye(10)[None], EACH, axis=0)
        boxes = []
        for name, key in keys.items():
            boxes.append(folder / f"{name}.box")
            boxes[-1].write_text(answer(made, records, key))
        step("answers")
        size = sum(file.stat().st_size for file in boxes) / count
        totals = []
        for name, key in hubs.items():
            totals.append(folder / f"{name}.total")
            totals[-1].write_text(add(made, boxes, key))
        step("adding, three times")
        open_release(made, read_totals(made, totals)).save(folder / "out")
        step("release")
        assert dp.verify(folder / "out").verified
        step("verify")
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
        print(f"{count} sites, {len(made.noise.counted)} sums each, {size:.0f} bytes a box")
        for name, seconds in steps.items():
            print(f"{name:<22}{seconds:8.1f} s {1000 * seconds / count:8.2f} ms a site")
        print(f"largest memory        {most:8.2f} GiB")


def one_aggregator(count: int) -> None:
    """Add boxes of many sites, sealed and signed in earnest, whose shares are those of zeros.

    What sites draw is each one's own work (``round``); here one machine makes all boxes.
    """
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        hub, other = (make_identity(folder / name) for name in ("hub", "other"))
        keys = {f"site{i}": identity(folder) for i in range(count)}
        mean = dp.TangentMean(BALL)
        asked = dp.plan(mean, n=EACH * count, budget=dp.GDP(1), mechanism="tangent-gaussian")
        made = consortium(
            asked,
            sites={name: key.public for name, key in keys.items()},
            aggregators={"hub": hub.public, "other": other.public},
            colluding=count // 10,
            roster=count // 2,
        )
        of, zeros = made.round, [0] * len(made.noise.counted)
        boxes = []
        for name, key in keys.items():
            shares = made.noise.modulus.split([*zeros, EACH], 2, SystemEntropy())
            boxes.append(folder / f"{name}.box")
            boxes[-1].write_text(box(of, name, key, shares, made.aggregators))
        before = resource.getrusage(resource.RUSAGE_SELF)
        total = folder / "hub.total"
        total.write_text(add(made, boxes, hub))
        after = resource.getrusage(resource.RUSAGE_SELF)
        spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        print(f"{count} sites, {len(zeros)} sums each, {boxes[0].stat().st_size} bytes a box")
        print(f"adding: {spent:.1f} s of CPU, {1000 * spent / count:.2f} ms a site")
        print(
            f"largest memory {before.ru_maxrss / 2**20:.2f} GiB before, "
            f"{after.ru_maxrss / 2**20:.2f} GiB after"
        )
        print(
            f"a total has {total.stat().st_size / 1e6:.2f} MB, a plan "
            f"{len(canonical(made.to_json())) / 1e6:.1f} MB"
        )


def keys_of(count: int, folder: Path) -> Parties:
    """Return sites and two aggregators, with keys that no file holds; one may collude."""
    sites = {f"site{i}": identity(folder).public.verify for i in range(count)}
    hubs = {name: identity(folder).public for name in ("hub", "other")}
    return Parties(sites, hubs, 1, count)


def errors(repeats: int = 2000, seed: int = 1) -> None:
    """Draw the noise of all sites, exactly, and compare its length with one curator's.

    Each cell: root mean square length over one curator's, which is known; the standard error of
    that ratio; the root of sites over honest ones; by how much they differ.
    """
    tensors = dp.datasets.load_tensors().records
    ball = dp.Ball(dp.SPD(3), np.eye(3), 2.0)
    asked = dp.plan(
        dp.TangentMean(ball), n=len(tensors), budget=dp.GDP(1), mechanism="tangent-gaussian"
    )
    print(f"{len(tensors)} tensors, mu 1, {repeats} rounds a cell, seed {seed}")
    for count in (8, 17, 20):
        for colluding in (1, 2, count // 2):
            made = ConsortiumPlan.made(
                asked, keys_of(count, Path())._replace(colluding=colluding, roster=count)
            )
            entropy = SeededEntropy(seed + 1000 * count + colluding)
            noise = np.array(
                [
                    np.sum([made.noise.draw(entropy) for _ in range(count)], axis=0)
                    for _ in range(repeats)
                ],
                dtype=float,
            )
            step = Lattice.within(ball.radius).step
            squares = np.sum((noise * step / len(tensors)) ** 2, axis=1) / (6 * asked.scale**2)
            ratio = float(np.sqrt(np.mean(squares)))
            wrong = float(np.std(squares) / np.sqrt(repeats) / (2 * ratio))
            planned = (count / made.noise.honest) ** 0.5
            print(
                f"{count:3} sites, {colluding:2} colluding: {ratio:.3f} +- {wrong:.3f}, "
                f"root {planned:.3f}, {100 * (ratio / planned - 1):+.1f}%"
            )


def stages(repeats: int = 20, seed: int = 1) -> None:
    """Find a ball within a prior that is 8 times too wide, and answer in it, again and again."""
    space, count = dp.SPD(3), 8
    rng = np.random.default_rng(seed)
    prior = dp.Ball(space, np.eye(3), 8.0)
    for n, mu in ((320, 1.0), (680, 1.0)):
        middle = np.asarray(space.frame_exp(np.eye(3), 2 * unit(rng, 6)))
        logs = rng.normal(size=(n, 6))
        records = np.asarray(space.frame_exp(middle, 1.0 * logs / 6**0.5))
        asked = dp.plan(dp.Refined(dp.TangentMean(prior)), n=n, budget=dp.GDP(mu))
        whole = ConsortiumStages.made(asked, keys_of(count, Path()))
        drawn = [life(whole, records, seed + i) for i in range(repeats)]
        radii, off = np.array([[radius, away] for radius, away in drawn]).T
        curator = [one_curator(asked, records) for _ in range(repeats)]
        wide, others = whole.rule.outlook().expected_error, np.std(curator) / repeats**0.5
        low, mid, high = np.quantile(radii, [0.05, 0.5, 0.95])
        print(
            f"n {n}, mu {mu}, 8 sites: radius {low:.2f} {mid:.2f} {high:.2f} (prior 8); error "
            f"{off.mean():.4f} +- {off.std() / repeats**0.5:.4f}, one curator "
            f"{np.mean(curator):.4f} +- {others:.4f}, in the prior {wide:.4f}"
        )


def unit(rng: np.random.Generator, dim: int) -> np.ndarray:
    """Return a random direction."""
    x = rng.normal(size=(1, dim))
    return np.asarray(x / np.linalg.norm(x))


def life(whole: ConsortiumStages, records: np.ndarray, seed: int) -> tuple[float, float]:
    """Return the radius found and the error: distance to the tangent mean in the ball found."""
    released: list[Release] = []
    parts = np.array_split(records, len(whole.sites))
    for number in range(len(whole.part_labels)):
        stage = whole.rule.plan(released)
        entropy = SeededEntropy(seed * 100 + number)
        sums = [site_integers(stage.asked, stage.noise, part, entropy) for part in parts]
        opened = [sum(column) for column in zip(*sums, strict=True)]
        value = opened_value(stage.asked, stage.noise, opened)
        released.append(Release(stage.opened_for(len(records), len(parts)), value, {}))
    return released[-1].plan.statistic.public_ball.radius, away(released[-1], records)


def one_curator(asked: Any, records: np.ndarray) -> float:
    """Return the error of one curator's stages."""
    return away(asked.release(records).answer, records)


def away(last: Release, records: np.ndarray) -> float:
    """Return how far an answer lies from the mean about its own ball's centre, nothing clipped."""
    ball = last.plan.statistic.public_ball
    logs = np.asarray(ball.space.frame_log(ball.center, records))
    truth = np.asarray(ball.space.frame_exp(ball.center, logs.mean(axis=0)[None]))[0]
    return float(ball.space.dist(last.value, truth))


def identity(folder: Path) -> Identity:
    """Return a key that no file holds."""
    return Identity(SigningKey.generate(), PrivateKey.generate(), folder / "none.key")


def law(spreads: list[float], reach: int) -> np.ndarray:
    """Return the exact law of a sum of rounded Gaussians."""
    edges = np.arange(-reach, reach + 2) - 0.5
    total = np.ones(1)
    for spread in spreads:
        total = np.convolve(total, np.diff(norm.cdf(edges / spread)))
    return total


def excess(p: np.ndarray, q: np.ndarray, mu: float) -> float:
    """Return by how much two laws exceed mu-GDP at most, over all thresholds of their ratio."""
    seen = (p > 1e-300) & (q > 1e-300)
    ratio = np.log(q[seen] / p[seen])
    at = np.unique(np.concatenate([ratio, np.linspace(-8, 8, 161)]))
    at = at[np.abs(at) < 30]
    delta = np.array([np.sum(np.maximum(q - np.exp(e) * p, 0)) for e in at])
    allowed = norm.cdf(mu / 2 - at / mu) - np.exp(at) * norm.cdf(-mu / 2 - at / mu)
    return float(np.max(delta - allowed))


def cases() -> Iterator[tuple[int, int, float, int]]:
    """Yield sites on the roster, honest ones of them, spread of each, and change of the total."""
    for sites, spread, change in product(
        (2, 3, 5, 8, 12, 20), (0.3, 0.4, 0.5, 0.7, 1.0, 1.5, 2.0, 4.0), (1, 2, 3, 5, 7, 11, 20)
    ):
        for colluding in sorted({1, 2, sites // 2}):
            if sites > colluding:
                yield sites, sites - colluding, spread, change


def curves() -> None:
    """Count exact laws of what colluders see that exceed the claim, and that exceed the mutant's.

    Colluders take their own noise off the opened total: what they see is the noise of the honest.
    """
    with_term = without = told = 0
    worst = 0.0
    for _, honest, spread, change in cases():
        one = law([spread] * honest, max(12, int(9 * spread)))
        p, q = np.pad(one, (0, change)), np.pad(one, (change, 0))
        mu = float(loss_squared([change], [spread], honest)) ** 0.5  # type: ignore[list-item]
        if mu > 12:  # beyond what doubles tell from certainty
            continue
        told += 1
        with_term += excess(p, q, mu) > ROUNDING
        off = excess(p, q, change / (spread * honest**0.5))
        without += off > ROUNDING
        worst = max(worst, off)
    print(f"{told} exact curves: {with_term} exceed the claim, {without} the one without d h/4")
    print(f"largest delta beyond the claim without the term: {worst:.3f}")


if __name__ == "__main__":
    main()
