"""The ways to release a mean face that the study of faces compares.

Those with ``private=True`` use public bounds only. The others take bounds from the records, as
paper 4 does: they are NOT private and stand here for comparison alone.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.curves import CircleGrid, FunctionMean, IntervalGrid, PoweredExponential, RingGrid
from geomdp.curves.penalty import Noise
from geomdp.plans import Plan
from geomdp.statistics.linear import LinearStatistic
from geomdp.statistics.sensitivity import Bound
from geomdp.surfaces import SurfaceMean, Template
from geomdp.surfaces.registration.matching import MAX_DISTANCE
from geomdp.surfaces.surface_mean import DEFAULT_KERNEL
from geomdp.typing import Array
from geomdp_papers.point_mean import Clip, PointMean

#: The paper's budget: sqrt(23 (0.2^2 + 0.2^2 + 0.55^2)), rounded up in the fourth digit.
MU = 2.9661
BY_COORDINATE = np.array([0.2, 0.2, 0.55])[:, None]
#: The paper's penalties and kernel; it does not print the range, here one radian.
PAPER_PHI = np.array([0.01, 0.01, 0.005])
PAPER_KERNEL = PoweredExponential(rho=1.0, alpha=1.0)
#: Public bounds in unit-area lengths, for methods that a plan chooses none for: root mean square
#: over the face, and of a single point.
TAU, POINT_BOUND = 0.03, 0.06
#: The same around a single face in place of the model's mean, which is a worse template.
FAR = 4 / 3

#: Values, and the non-private answer without noise where it differs from the plain mean.
Draws: TypeAlias = tuple[Array, Array | None]


@dataclass(frozen=True, eq=False)
class Sample:
    """Registered vertices (n, N, 3) and curves (n, 23, 80, 3), and one more face of the model."""

    template: Template
    vertices: Array
    curves: Array
    other_vertices: Array
    other_curves: Array


@dataclass(frozen=True)
class Method:
    """One row of the table.

    Attributes
    ----------
    label
        Its name.
    draw
        ``draw(sample, size, seed)``.
    curves
        Whether it releases curves, and not vertices.
    private
        Whether all its bounds are public.
    """

    label: str
    draw: Callable[[Sample, int, int], Draws]
    curves: bool
    private: bool = True


def simulate(
    statistic: LinearStatistic,
    records: Array,
    size: int,
    seed: int,
    mu: float = MU,
    bound: Bound = "sharp",
) -> tuple[Array, Array]:
    """Draw releases of a linear statistic, with its answer without noise."""
    budget = dp.GDP(mu)
    plan = dp.plan(
        statistic, n=len(records), budget=budget, mechanism="tangent-gaussian", bound=bound
    )
    smoothed = plan.statistic.estimate(statistic.encode(records), 0.0)
    return plan.simulate(records, size, seed), np.asarray(smoothed)


def template_alone(sample: Sample, size: int, seed: int) -> Draws:
    """Publish the template: no data at all."""
    return np.repeat(_public(sample)[None], size, axis=0), None


def mean_alone(sample: Sample, size: int, seed: int) -> Draws:
    """NOT private: the mean of the curves, without noise, whose distance is the floor of all."""
    return np.repeat(sample.curves.mean(axis=0)[None], size, axis=0), None


def points(
    which: str, clip: Clip, mu: float = MU, far: bool = False
) -> Callable[[Sample, int, int], Draws]:
    """Gaussian noise on registered vertices or curve points, clipped jointly or each."""
    bound = (FAR if far else 1) * (TAU if clip == "joint" else POINT_BOUND)

    def draw(sample: Sample, size: int, seed: int) -> Draws:
        if which == "vertices":
            center = sample.other_vertices if far else sample.template.surface.vertices
            statistic = PointMean(center, bound, clip)
            return simulate(statistic, sample.vertices, size, seed, mu)[0], None
        center = (sample.other_curves if far else _public(sample)).reshape(-1, 3)
        records = sample.curves.reshape(len(sample.curves), -1, 3)
        values, _ = simulate(PointMean(center, bound, clip), records, size, seed, mu)
        return values.reshape(size, *sample.curves.shape[1:]), None

    return draw


def by_ring(noise: Noise) -> Callable[[Sample, int, int], Draws]:
    """Release the mean of surfaces with the paper's kernel and penalties, each ring by itself."""

    def draw(sample: Sample, size: int, seed: int) -> Draws:
        mean = SurfaceMean(
            sample.template,
            tau=TAU,
            kernel=PAPER_KERNEL,
            phi=PAPER_PHI,
            noise=noise,
            registration="homologous",
        )
        return simulate(mean, sample.curves, size, seed)

    return draw


def ours(smoothed: bool) -> Callable[[Sample, int, int], Draws]:
    """Release the mean of surfaces as geomdp plans it: tau found privately, smoothed again."""

    def draw(sample: Sample, size: int, seed: int) -> Draws:
        mean = SurfaceMean(sample.template, registration="homologous")
        plan = dp.plan(mean, n=len(sample.curves), budget=dp.GDP(MU))
        found = _released(plan, sample.curves, size, seed)
        return np.stack([one.denoised if smoothed else one.value for one in found]), None

    return draw


def _released(plan: Plan, records: Array, size: int, seed: int) -> list[dp.Release]:
    """Release as users do, but from a seed, so that the study can be repeated."""
    with replayed(seed):
        return [plan.release(records) for _ in range(size)]


def paper(bound: Bound, centred: bool) -> Callable[[Sample, int, int], Draws]:
    """NOT private: the norm of each curve is the largest among the records."""

    def draw(sample: Sample, size: int, seed: int) -> Draws:
        records = np.moveaxis(sample.curves, -1, 1)
        template = np.moveaxis(_public(sample), -1, 0) * centred
        taus = np.sqrt(np.mean((records - template) ** 2, axis=-1)).max(axis=0)
        phi = np.broadcast_to(PAPER_PHI[:, None], taus.shape)
        budgets = np.broadcast_to(BY_COORDINATE, taus.shape)
        mean = FunctionMean.per_curve(
            template, taus, PAPER_KERNEL, phi, budgets=budgets, noise="kernel"
        )
        values, smoothed = simulate(mean, records, size, seed, bound=bound)
        return np.moveaxis(values, 1, -1), np.moveaxis(smoothed, 0, -1)

    return draw


def data_driven_points(mu: float) -> Callable[[Sample, int, int], Draws]:
    """NOT private: coordinates range as the records do (the 1/n that the paper forgot is there)."""

    def draw(sample: Sample, size: int, seed: int) -> Draws:
        n, mean = len(sample.vertices), sample.vertices.mean(axis=0)
        spread = np.ptp(sample.vertices, axis=0) * np.sqrt(mean.size) / (n * mu)
        noise = np.random.default_rng(seed).standard_normal((size, *mean.shape))
        return mean + spread * noise, None

    return draw


def best_points(sample: Sample, size: int, seed: int) -> Draws:
    """NOT private: point-wise with the bound that does best on these very records."""
    n, count = len(sample.vertices), sample.vertices.shape[1]
    center, mean = sample.template.surface.vertices, sample.vertices.mean(axis=0)
    tried: dict[float, PointMean] = {}
    for bound in np.geomspace(POINT_BOUND / 16, POINT_BOUND, 9):
        statistic = PointMean(center, float(bound), "each")
        clipped = statistic.decode(statistic.encode(sample.vertices).mean(axis=0))
        noise = 3 * count * (statistic.sensitivity(n).value / MU) ** 2
        tried[noise + float(np.mean(np.sum((clipped - mean) ** 2, axis=-1)))] = statistic
    best = tried[min(tried)]
    return simulate(best, sample.vertices, size, seed)[0], None


def far_ours(sample: Sample, size: int, seed: int) -> Draws:
    """Release ours about one face in place of the template."""
    rings, points, _ = sample.other_curves.shape
    grid = RingGrid(IntervalGrid(np.arange(1, rings + 1) / rings), CircleGrid(points))
    template = np.moveaxis(sample.other_curves, -1, 0)
    mean = FunctionMean(template, MAX_DISTANCE, DEFAULT_KERNEL, grid=grid)
    plan = dp.plan(dp.Refined(mean), n=len(sample.curves), budget=dp.GDP(MU))
    found = _released(plan, np.moveaxis(sample.curves, -1, 1), size, seed)
    return np.moveaxis(np.stack([one.denoised for one in found]), 1, -1), None


def _public(sample: Sample) -> Array:
    return SurfaceMean(sample.template).template_curves


#: Labels that the claims name.
PAPER, OURS = "paper: curves, tau from data", "ours, as delivered"
FLOOR = "mean of the curves, no noise"
RANGES = {mu: f"paper: point-wise, ranges from data, mu = {mu}" for mu in (2, 3)}

METHODS = (
    Method(PAPER, paper("paper", False), True, private=False),
    Method("same, sharp bound", paper("sharp", False), True, private=False),
    Method("same, sharp, minus template", paper("sharp", True), True, private=False),
    *(Method(RANGES[mu], data_driven_points(mu), False, private=False) for mu in RANGES),
    Method("point-wise, vertices, best bound", best_points, False, private=False),
    Method(FLOOR, mean_alone, True, private=False),
    Method("template alone, no data", template_alone, True),
    Method("point-wise, vertices", points("vertices", "each"), False),
    Method("point-wise, curve points", points("curves", "each"), True),
    Method("one Gaussian, vertices clipped jointly", points("vertices", "joint"), False),
    Method("one Gaussian, curve points clipped jointly", points("curves", "joint"), True),
    Method("ours, a kernel a ring, kernel noise", by_ring("kernel"), True),
    Method("ours, a kernel a ring, matched noise", by_ring("matched"), True),
    Method("ours, as drawn", ours(smoothed=False), True),
    Method(OURS, ours(smoothed=True), True),
    Method("template one face: point-wise, vertices", points("vertices", "each", far=True), False),
    Method("template one face: one Gaussian", points("curves", "joint", far=True), True),
    Method("template one face: ours", far_ours, True),
)
