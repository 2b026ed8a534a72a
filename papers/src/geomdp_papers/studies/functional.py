"""Paper 4, section 4: private mean functions. Noise and bias over phi, and what a budget buys."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

import geomdp as dp
from geomdp.curves import FunctionMean, PoweredExponential
from geomdp.curves.datasets import CurveFamily, closed_curves
from geomdp.curves.penalty import Noise
from geomdp.privacy.gaussian import delta_of_epsilon, gaussian_mu
from geomdp.statistics.sensitivity import Bound
from geomdp_papers.studies.pictures import COLORS, MARKERS, band, ticks_at
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

N, MU = 1000, 1.0
#: The paper's kernel; it does not print the range, here one radian.
KERNEL = PoweredExponential(rho=1.0, alpha=1.0)
PHIS = (1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1)
#: Public bound on the distance of a curve from the ellipse.
TAU = 0.25
#: Bound, centred on the public template, and noise of each curve.
METHODS: dict[str, tuple[Bound, bool, Noise]] = {
    "paper": ("paper", False, "kernel"),
    "paper, our bound": ("sharp", False, "kernel"),
    "minus the template": ("sharp", True, "kernel"),
    "minus the template, matched noise": ("sharp", True, "matched"),
}
CHOSEN = "minus the template, phi chosen by the plan"
EPSILONS = (0.1, 0.25, 0.5, 1.0)
DELTAS = (1e-5, 1e-9)
#: Curves that the paper releases together: 23 rings of three coordinates.
CURVES = 69


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a penalty, and one a budget."""
    phis = PHIS[2::3] if quick else PHIS
    draws, repeats, pairs = (200, 2, 2000) if quick else (2000, 10, 40_000)
    return [
        *({"phi": phi, "draws": draws, "repeats": repeats} for phi in (*phis, 0.0)),
        *({"phi": phi, "pairs": pairs} for phi in phis),
        *({"epsilon": epsilon, "delta": delta} for epsilon in EPSILONS for delta in DELTAS),
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Noise and bias at one penalty; the loss of the worst pair; or noise for one budget."""
    if "epsilon" in cell:
        return [_budget(cell["epsilon"], cell["delta"])]
    if "pairs" in cell:
        return [_loss(cell["phi"], bound, cell["pairs"], rng) for bound in ("paper", "sharp")]
    if not cell["phi"]:
        return [_errors(CHOSEN, None, "sharp", True, "matched", cell, rng)]
    return [_errors(name, cell["phi"], *how, cell, rng) for name, how in METHODS.items()]


def _statistic(family: CurveFamily, phi: float | None, centred: bool, noise: Noise) -> FunctionMean:
    """Mean of the curves; uncentred as in the paper, whose tau is the largest among the records."""
    norms = np.sqrt(np.sum(np.mean(family.records**2, axis=-1), axis=-1))
    tau = TAU if centred else float(norms.max())
    return FunctionMean(family.template * centred, tau, KERNEL, phi, noise=noise)


def _errors(
    name: str,
    phi: float | None,
    bound: Bound,
    centred: bool,
    noise: Noise,
    cell: Cell,
    rng: Generator,
) -> Row:
    """Root mean squares of noise, bias and both, over data sets drawn again."""
    found = np.empty((3, cell["repeats"]))
    for i in range(cell["repeats"]):
        family = closed_curves(N, int(rng.integers(2**31)))
        mean = _statistic(family, phi, centred, noise)
        made = dp.plan(mean, n=N, budget=dp.GDP(MU), mechanism="tangent-gaussian", bound=bound)
        values = made.simulate(family.records, cell["draws"], int(rng.integers(2**31)))
        plain = family.records.mean(axis=0)
        smooth = made.statistic.estimate(made.statistic.encode(family.records), 0.0)
        found[:, i] = [_size(off) for off in (values - smooth, smooth - plain, values - plain)]
    (noisy, _), (bias, _), (error, spread) = map(mean_and_error, found)
    kept = {"kind": "phi", "method": name, "phi": cell["phi"]}
    return {**kept, "noise": noisy, "bias": bias, "both": error, "both error": spread}


def _size(off: np.ndarray) -> float:
    """Root mean square over draws of the L2 norm of planar curves (..., 2, points)."""
    return float(np.sqrt(np.mean(np.sum(np.mean(off**2, axis=-1), axis=-1))))


def _loss(phi: float, bound: Bound, draws: int, rng: Generator) -> Row:
    """Mu of the worst pair, measured on draws: the shift over the spread along its direction."""
    mean = FunctionMean(np.zeros(80), TAU, KERNEL, phi, noise="kernel")
    made = dp.plan(mean, n=N, budget=dp.GDP(MU), mechanism="tangent-gaussian", bound=bound)
    worst = int(np.argmax(mean.shrinkage / mean.noise_profile))
    at = np.zeros((2, mean.vector_dim))
    at[:, worst] = TAU, -TAU
    ends = mean.decode(at)
    sets = [np.concatenate([np.zeros((N - 1, 80)), end[None]]) for end in ends]
    shots = [
        mean.to_coordinates(made.simulate(x, draws, int(rng.integers(2**31))))[:, worst]
        for x in sets
    ]
    spread = float(np.sqrt(np.mean([np.var(shot, ddof=1) for shot in shots])))
    moved = abs(float(np.mean(shots[0]) - np.mean(shots[1]))) / spread
    stated = made.sensitivity.value
    error = float(np.sqrt(2 / draws) + moved / np.sqrt(4 * draws))
    found = {"sensitivity": stated, "mu": moved, "mu error": error}
    return {"kind": "loss", "phi": phi, "method": str(bound), **found}


def _budget(epsilon: float, delta: float) -> Row:
    """Return the noise, in sensitivities, for one (epsilon, delta), and for 69 curves."""
    budget = dp.Approximate(epsilon, delta)
    exact, theirs = gaussian_mu(budget), gaussian_mu(budget, "mirshani")
    # Theorem A.2 as printed has sigma where its proof has the square, for a sensitivity of 1/1000.
    small = 1e-3
    printed = epsilon**2 / (2 * np.log(2 / delta) * small)
    one = gaussian_mu(dp.Approximate(epsilon / CURVES, delta / CURVES), "mirshani")
    return {
        "kind": "budget",
        "epsilon": epsilon,
        "delta": delta,
        "Theorem A.2": 1 / theirs,
        "exact": 1 / exact,
        "delta as printed": delta_of_epsilon(float(printed), epsilon),
        "69 curves, (epsilon, delta)": 1 / one,
        "69 curves, GDP": float(np.sqrt(CURVES)) / exact,
    }


def judge(table: Table) -> Sequence[Claim]:
    """Judge the sensitivity, the theorem, the printed formula, composition and the penalty."""
    return [_bound(table), _theorem(table), _printed(table), _composition(table), _penalty(table)]


def _bound(table: Table) -> Claim:
    paper, ours = (table.where(kind="loss", method=name) for name in ("paper", "sharp"))
    holds = bool(np.all(paper.column("mu") - 3 * paper.column("mu error") <= MU))
    times = paper.column("sensitivity") / ours.column("sensitivity")
    return Claim(
        "paper 4, section 4.1",
        "The sensitivity of the penalised mean is at most 2 tau/(n sqrt(phi)).",
        f"the worst pair attains {paper.column('mu').min():.2f} to {paper.column('mu').max():.2f} "
        f"of it; ours is {times.min():.2f} to {times.max():.2f} times smaller, and attained",
        verdict(holds, better=bool(np.all(times > 1.99))),
        "reproduced if the worst pair's mu is not above the stated one; better if ours is half",
        "the largest sqrt(lambda)/(lambda + phi) is at most 1/(2 sqrt(phi))",
    )


def _theorem(table: Table) -> Claim:
    part = table.where(kind="loss", method="sharp")
    mu, error = part.column("mu"), part.column("mu error")
    holds = bool(np.all(np.abs(mu / MU - 1) + 2 * error <= 0.05))
    return Claim(
        "paper 4, Theorem 4.3",
        "Gaussian process noise of scale Delta/mu is mu-GDP.",
        f"mu = {MU:g} planned with the sharp sensitivity; the worst pair, measured on draws: "
        f"{mu.min():.3f} to {mu.max():.3f} (se {error.max():.3f})",
        verdict(holds),
        "reproduced if the interval of two standard errors of the worst pair's mu is within 5% of "
        "the stated one",
        "" if holds else "the noise is not what the theorem asks for",
    )


def _printed(table: Table) -> Claim:
    part = table.where(kind="budget")
    ratio = part.column("delta as printed") / part.column("delta")
    private = bool(np.all(ratio <= 1))
    return Claim(
        "paper 4, Theorem A.2",
        "sigma >= 2 log(2/delta) Delta^2/epsilon^2 gives (epsilon, delta)-DP.",
        f"with Delta = 1/1000 as in a mean of a thousand, delta is "
        f"{part.column('delta as printed').min():.2g} or more where "
        f"{part.column('delta').max():.0e} or less is stated",
        verdict(private),
        "reproduced if the exact delta is never above the stated one",
        "" if private else "the formula is that of sigma squared; noise must scale with Delta",
    )


def _composition(table: Table) -> Claim:
    part = table.where(kind="budget")
    one = part.column("Theorem A.2") / part.column("exact")
    many = part.column("69 curves, (epsilon, delta)") / part.column("69 curves, GDP")
    less = bool(np.all(one > 1) and np.all(many > one))
    return Claim(
        "paper 4, section 4.2",
        "Composition in the GDP framework is tight: less noise than with (epsilon, delta).",
        f"for one curve {one.min():.2f} to {one.max():.2f} times less, for 69 curves "
        f"{many.min():.1f} to {many.max():.1f} times less",
        verdict(less),
        "reproduced if it is less for one curve at every budget, and more so for 69",
        "" if less else "a budget was found where it is not",
    )


def _penalty(table: Table) -> Claim:
    part = table.where(kind="phi")
    paper, ours = part.where(method="paper"), part.where(method=CHOSEN)
    falls = bool(np.all(np.diff(paper.column("noise")) < 0))
    rises = bool(np.all(np.diff(paper.column("bias")) > 0))
    best, mine = float(paper.column("both").min()), float(ours.column("both")[0])
    spread = float(np.hypot(paper.column("both error").max(), ours.column("both error")[0]))
    return Claim(
        "paper 4, section 5",
        "A larger penalty conserves budget: less noise for more bias.",
        f"noise {paper.column('noise').max():.3g} to {paper.column('noise').min():.3g}, bias "
        f"{paper.column('bias').min():.3g} to {paper.column('bias').max():.3g}; least error of the "
        f"paper's method {best:.3g}, of ours with the phi that a plan chooses {mine:.3g}",
        verdict(falls and rises, better=mine + 2 * spread < best),
        "reproduced if noise falls and bias rises with phi throughout; better if ours errs less"
        " than the paper's at its best phi by two standard errors",
        "curves are measured from a public template and noise is matched to the shrinkage"
        if falls and rises
        else "noise or bias is not monotone",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw noise and bias over phi, and noise for a budget."""
    figure.set_size_inches(8.5, 4.8)
    over_phi, budgets = figure.subplots(1, 2, width_ratios=(3, 2))
    part = table.where(kind="phi")
    for i, method in enumerate(METHODS):
        own = part.where(method=method)
        phi, noise, bias, both, error = map(
            own.column, ("phi", "noise", "bias", "both", "both error")
        )
        band(over_phi, phi, both, 2 * error, i, method)
        over_phi.plot(phi, noise, ":", color=COLORS[i], lw=1)
        over_phi.plot(phi, bias, "--", color=COLORS[i], lw=0.8)
    for row in part.where(method=CHOSEN).rows:
        over_phi.axhline(float(row["both"]), color="k", lw=1, label="ours, phi by the plan")
    over_phi.set(xscale="log", yscale="log", xlabel="penalty phi (noise dotted, bias dashed)")
    over_phi.set(ylabel="root mean square error, bands 2 se")
    over_phi.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=7)
    found = table.where(kind="budget", delta=min(DELTAS))
    for i, name in enumerate(
        ("Theorem A.2", "exact", "69 curves, (epsilon, delta)", "69 curves, GDP")
    ):
        x, y = found.column("epsilon"), found.column(name)
        budgets.plot(x, y, marker=MARKERS[i], color=COLORS[i], label=name)
    budgets.set(xscale="log", yscale="log", xlabel=f"epsilon, delta = {min(DELTAS):g}")
    ticks_at(budgets, found.column("epsilon"))
    budgets.set(ylabel="noise / sensitivity")
    budgets.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=7)


STUDIES.register(
    "functional",
    Study(
        "functional",
        "paper 4, section 4",
        "noise and bias of a private mean function over phi; GDP against (epsilon, delta)",
        cells,
        measure,
        judge,
        draw,
        settings=told(
            str(N),
            f"tau {TAU} about the template; without it the largest among the records",
            f"mu {MU:g}; epsilon 0.1 to 1, delta 1e-5 and 1e-9",
            "10 data sets, 2000 draws each; 40,000 draws for a loss",
            "closed planar curves of 80 points, made by the package",
        ),
    ),
)
