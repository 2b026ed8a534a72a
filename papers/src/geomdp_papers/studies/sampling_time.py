"""Paper 3, Figure 4a and b: chains for Laplace noise against exact samplers, over k."""

import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.mechanisms import MECHANISMS
from geomdp.noise.entropy import SeededEntropy, SystemEntropy
from geomdp.plans import SinglePlan
from geomdp.statistics.encoded import Encoded
from geomdp.typing import Array
from geomdp_papers.mechanisms.metropolis import Chain, run_chain
from geomdp_papers.studies.pictures import band
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error, pooled, quotients, span
from geomdp_papers.studies.tangent_utility import RADIUS, SIZES, N

STEPS = (10_000, 30_000, 50_000)
EPSILON, DELTA = 0.1, 1e-6
#: Seconds that the paper states at k = 30, by steps of the chain.
STATED = {10_000: 14.0, 30_000: 36.0, 50_000: 73.0}
CHAIN, EXACT, GAUSSIAN = "chain", "exact Laplace", "tangent Gaussian"
#: Drawn in floats, as in the paper: fast, and open to attacks on low-order bits.
FLOATS, NORMALS = "tangent Gaussian in floats", "normals alone, in floats"
#: Seconds that the paper states for a tangent Gaussian at k = 30.
STATED_GAUSSIAN = 1.3e-6
#: Coordinates of all chains of one size together: quotients then have errors of about 1.5%.
WALKED = 8000
#: And no fewer chains than these.
LEAST = 20
#: Exact draws that chains are held against.
EXACT_DRAWS = 2000


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a size for times, one for errors."""
    sizes, steps, walked = ((2, 5), (300, 900, 1500), 60) if quick else (SIZES, STEPS, WALKED)
    return [
        {"k": k, "steps": list(steps), **asked}
        for k in sizes
        for asked in (
            {"chains": max(LEAST, 2 * walked // (k * (k + 1)))},
            {"repeats": 3},
        )
    ]


def _plans(k: int) -> dict[str, SinglePlan]:
    """Laplace of scale Delta/epsilon and analytic Gaussian noise, as in Figure 1."""
    space = dp.SPD(k, metric="log-euclidean")
    mean = dp.FrechetMean(dp.Ball(space, np.eye(k), np.sqrt(k) * RADIUS))
    budgets = {EXACT: dp.Pure(EPSILON), GAUSSIAN: dp.Approximate(EPSILON, DELTA)}
    names = {EXACT: "laplace", GAUSSIAN: "tangent-gaussian"}
    return {
        kind: dp.plan(mean, n=N, budget=budget, mechanism=names[kind])
        for kind, budget in budgets.items()
    }


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """CPU seconds of one release, or its log-Euclidean error after so many steps."""
    return _times(cell, rng) if "repeats" in cell else _errors(cell, rng)


def _times(cell: Cell, rng: Generator) -> list[Row]:
    """Time one chain on matrices as it passes each number of steps, and exact draws."""
    k, plans = cell["k"], _plans(cell["k"])
    calibration, center = plans[EXACT].calibration, np.eye(k)
    space, scale = calibration.space, calibration.scale
    entropy = SeededEntropy(int(rng.integers(2**31)))
    state, spent, rows = center, 0.0, list[Row]()

    def log_density(x: Array) -> float:
        return -float(space.dist(center, x)) / scale

    for before, steps in pairwise((0, *cell["steps"])):
        chain = Chain(1.0, steps - before - 1, 1)
        begun = time.process_time()
        state = run_chain(space, log_density, state, scale, chain, entropy, 1)[0]
        spent += time.process_time() - begun
        rows.append({"kind": "time", "k": k, "method": CHAIN, "steps": steps, "seconds": spent})
    for method, made in plans.items():
        seconds = min(_seconds_to_draw(made) for _ in range(cell["repeats"]))
        rows.append({"kind": "time", "k": k, "method": method, "seconds": seconds})
    return rows + _in_floats(k, plans[GAUSSIAN].scale, rng)


def _in_floats(k: int, scale: float, rng: Generator) -> list[Row]:
    """CPU seconds of one Gaussian draw in floats: normals, and their matrix's exponential."""
    count, times = k * (k + 1) // 2, 200
    space = dp.SPD(k, metric="log-euclidean")
    center = np.eye(k)
    spent = dict.fromkeys((NORMALS, FLOATS), 0.0)
    begun = time.process_time()
    for _ in range(times):
        rng.standard_normal(count)
    spent[NORMALS] = time.process_time() - begun
    begun = time.process_time()
    for _ in range(times):
        space.frame_exp(center, scale * rng.standard_normal(count))
    spent[FLOATS] = time.process_time() - begun
    return [
        {"kind": "time", "k": k, "method": name, "seconds": seconds / times}
        for name, seconds in spent.items()
    ]


def _seconds_to_draw(made: SinglePlan) -> float:
    """CPU seconds of one exact draw around the ball's centre, as a release makes it."""
    mechanism, at = MECHANISMS[made.mechanism], Encoded.of(made.calibration.ball.center[None])
    begun = time.process_time()
    mechanism.draw(made.calibration, at, SystemEntropy())
    return time.process_time() - begun


def _errors(cell: Cell, rng: Generator) -> list[Row]:
    """Distances of many chains after so many steps, beside draws of the law itself.

    Log-Euclidean matrices are flat: in coordinates the paper's log-Gaussian proposal is a Gaussian
    step, and many chains walk at once. They start on the ball's boundary: from the mean itself
    nearly every step of a high dimension is rejected, since it is many scales long.
    """
    k, made = cell["k"], _plans(cell["k"])[EXACT]
    walkers = rng.standard_normal((cell["chains"], made.calibration.space.dim))
    walkers *= made.calibration.ball.radius / made.scale / np.linalg.norm(walkers, axis=1)[:, None]
    lengths, rows = np.linalg.norm(walkers, axis=1), list[Row]()
    for step in range(1, cell["steps"][-1] + 1):
        moved = walkers + rng.standard_normal(walkers.shape)
        reached = np.sqrt(np.einsum("ij,ij->i", moved, moved))
        accepted = np.log(rng.random(len(walkers))) < lengths - reached
        walkers[accepted], lengths[accepted] = moved[accepted], reached[accepted]
        if step in cell["steps"]:
            found = _two(made.scale * lengths)
            rows.append({"kind": "error", "k": k, "method": CHAIN, "steps": step, **found})
    draws = made.simulate(np.eye(k), EXACT_DRAWS, int(rng.integers(2**31)))
    distances = made.calibration.space.dist(np.eye(k), draws)
    return [*rows, {"kind": "error", "k": k, "method": EXACT, **_two(np.asarray(distances))}]


def _two(sample: Array) -> dict[str, float]:
    average, error = mean_and_error(sample)
    return {"mean": average, "error": error}


def judge(table: Table) -> Sequence[Claim]:
    """Ask for times at the largest k, and whether errors depend on the steps."""
    return [
        _judge_times(table),
        _judge_gaussian(table),
        _judge_microseconds(table),
        _judge_steps(table),
        _judge_law(table),
    ]


def _largest(table: Table) -> Table:
    times = table.where(kind="time")
    return times.where(k=times.values("k")[-1])


def _seconds(largest: Table, method: str) -> float:
    return float(largest.where(method=method).column("seconds")[0])


def _judge_times(table: Table) -> Claim:
    largest = _largest(table)
    chains = largest.where(method=CHAIN)
    exact = float(largest.where(method=EXACT).column("seconds")[0])
    seconds, steps = chains.column("seconds"), chains.values("steps")
    faster = seconds / exact
    grows = bool(np.all(np.diff(seconds) > 0))
    times = ", ".join(f"{t:.2g} s ({s} steps)" for t, s in zip(seconds, steps, strict=True))
    stated = ", ".join(f"{t:g} s ({s})" for s, t in STATED.items())
    return Claim(
        "paper 3, appendix B.2 and Figure 4a",
        f"Laplace noise needs a chain, and its time grows with the steps; at k = 30: {stated}.",
        f"at k = {largest.values('k')[0]}: {times}; the exact sampler takes {exact:.2g} s, "
        f"{span(faster, ',.0f')} times less",
        verdict(grows, bool(np.all(faster > 1))),
        "reproduced if the chain's time grows with its steps; better if the exact sampler takes "
        "less time than every chain (CPU seconds of one core)",
        "the law of a distance in a flat space is a Gamma law: no chain is needed, and the draw is "
        "exact"
        if np.all(faster > 1)
        else "the exact sampler decides every bit with proof, and is slower here",
    )


def _judge_gaussian(table: Table) -> Claim:
    largest = _largest(table)
    gaussian, floats = (_seconds(largest, name) for name in (GAUSSIAN, FLOATS))
    chain = float(np.min(largest.where(method=CHAIN).column("seconds")))
    return Claim(
        "paper 3, appendix B.2",
        "The tangent Gaussian takes a tiny part of a chain's time.",
        f"{gaussian:.2g} s exactly, {chain / gaussian:,.0f} times less than the shortest chain; in "
        f"floats {floats:.2g} s, {chain / floats:,.0f} times less",
        verdict(chain / gaussian > 100),
        "reproduced if the exact draw takes less than a hundredth of the shortest chain's time",
        "" if chain / gaussian > 100 else "every coordinate is drawn exactly on a lattice",
    )


def _judge_microseconds(table: Table) -> Claim:
    largest = _largest(table)
    floats, normals = (_seconds(largest, name) for name in (FLOATS, NORMALS))
    near = floats <= 10 * STATED_GAUSSIAN
    return Claim(
        "paper 3, appendix B.2",
        "At k = 30 the tangent Gaussian takes 1.3 microseconds.",
        f"in floats, as in the paper, {1e6 * floats:.3g} microseconds at k = "
        f"{largest.values('k')[0]}, of which the normals alone {1e6 * normals:.3g}",
        verdict(near),
        "reproduced if a draw in floats takes no more than ten times 1.3 microseconds",
        ""
        if near
        else "drawing the 465 normals alone takes longer than what is stated, on another "
        "machine than the paper's; milliseconds may be meant",
    )


#: How near two averages must be to count as equal: at one k, and over all.
EACH, ALL = 0.15, 0.03


def _judge_steps(table: Table) -> Claim:
    chains = table.where(kind="error", method=CHAIN)
    steps = chains.column("steps")
    first, last = (chains.where(steps=int(end)) for end in (np.min(steps), np.max(steps)))
    says = "The burn-in makes no significant difference to the utility."
    return _same("Figure 4b", says, "shortest over longest chain", first, last)


def _judge_law(table: Table) -> Claim:
    errors = table.where(kind="error")
    chains, exact = errors.where(method=CHAIN), errors.where(method=EXACT)
    longest = chains.where(steps=int(np.max(chains.column("steps"))))
    says = "The chain's last state has the Laplace law."
    return _same("appendix B.1", says, "longest chain over exact draws", longest, exact)


def _same(place: str, says: str, names: str, one: Table, other: Table) -> Claim:
    """Judge that two mean distances are equal: a test of equivalence, which few draws fail."""
    ratio, spread = quotients(one, other)
    whole, error = pooled(ratio, spread)
    same = bool(np.all(np.abs(ratio - 1) + 2 * spread <= EACH))
    same &= abs(whole - 1) + 2 * error <= ALL
    return Claim(
        f"paper 3, {place}",
        says,
        f"{names}: {ratio.min():.3f} to {ratio.max():.3f} (se {spread.max():.3f}), {whole:.4f} "
        f"over all k (se {error:.4f})",
        verdict(same),
        f"reproduced if intervals of two standard errors are within {EACH:.0%} of 1 at every k, and"
        f" within {ALL:.0%} over all k",
        "" if same else "a chain has not reached its law, or too few chains walked to tell",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw seconds over k, and errors of chains over those of exact draws."""
    times, errors = figure.subplots(1, 2)
    part = table.where(kind="time")
    chains = {int(steps): part.where(method=CHAIN, steps=steps) for steps in _steps(part)}
    lines = [
        *((f"chain, {steps} steps", line) for steps, line in chains.items()),
        *((str(name), part.where(method=name)) for name in _others(part)),
    ]
    for i, (label, line) in enumerate(lines):
        y = line.column("seconds")
        band(times, line.column("k"), y, 0 * y, i, label)
    times.set(yscale="log", xlabel="matrix size k", ylabel="CPU seconds of one draw")
    found = table.where(kind="error")
    for i, steps in enumerate(chains):
        walked = found.where(method=CHAIN, steps=steps)
        ratio, spread = quotients(walked, found.where(method=EXACT))
        band(errors, walked.column("k"), ratio, 2 * spread, i, "")
    for level in (1 - EACH, 1.0, 1 + EACH):
        errors.axhline(level, color="0.5", lw=0.8, ls="-" if level == 1 else ":")
    errors.set(xlabel="matrix size k", ylim=(1 - 2 * EACH, 1 + 2 * EACH))
    errors.set_ylabel("mean distance: chain over exact, bands 2 se")
    figure.legend(*times.get_legend_handles_labels(), loc="outside lower center", ncols=3)


def _steps(part: Table) -> list[str | int | float]:
    return part.where(method=CHAIN).values("steps")


def _others(part: Table) -> list[str]:
    return [str(name) for name in part.values("method") if name not in (CHAIN, NORMALS)]


STUDIES.register(
    "sampling-time",
    Study(
        "sampling-time",
        "paper 3, Figure 4a and b",
        "time of chains and exact samplers over k, and error against the steps of a chain",
        cells,
        measure,
        judge,
        draw,
        settings=told(
            str(N),
            f"{RADIUS} sqrt(k)",
            f"epsilon {EPSILON}, delta {DELTA:g}",
            f"one chain timed; at least {LEAST} walked, so that they have {WALKED} coordinates",
            "log-Euclidean matrices, k = 2 to 30",
            "chains of 10,000 to 50,000 steps, and exact",
        ),
    ),
)
