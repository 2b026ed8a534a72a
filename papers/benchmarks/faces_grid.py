"""What the defaults of mean surfaces lose away from home, against the best setting of each case.

Run ``python -m papers.benchmarks.faces_grid out``; ICT faces need ``../shared/data`` and are left
out without it. None of these populations chose kernel, penalty or recipe: faces and terrains that
the package makes, and faces of the ICT model 1.3 times as varied as it says. Varied are the public
template (the generator's own, or one of three single surfaces), the crop of the records, noise on
their vertices, tau, the penalty, n and the budget. Errors are expected mean squared distances from
the plain mean of the records' curves, noise and bias together, each over that of the best tau and
penalty: of what is delivered by default, for which tau is found privately and the release smoothed
again; of the same as drawn; and delivered with the tau that a plan fixes where it finds none.
Surfaces and, where smoothing follows the release, draws of noise are random, with seeds; ``--seed
1`` makes others. Curves are cached in ``out``, where ``grid.md`` goes too.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from papers.benchmarks.ict import DATA, draw_faces, model_template, read_model

import geomdp as dp
from geomdp.curves.released import kept, likeliest_size
from geomdp.noise.discrete_exponential import probabilities
from geomdp.plans import StagedPlan
from geomdp.surfaces import Surface, SurfaceMean, Template, make_template
from geomdp.surfaces.disk.laplacian import edge_lengths
from geomdp.surfaces.mesh.procedural import (
    procedural_face,
    procedural_terrain,
    template_face,
    template_terrain,
)
from geomdp.surfaces.registration.overlap import cut

SEED, PUBLIC_SEEDS = 20_000, (9001, 9002, 9003)
#: What ``--seed 1`` adds to all seeds: other surfaces and other single templates.
APART = 100_000
CROPS = (0.03, 0.08, 0.15)
#: Vertex noise, in lengths of the mean edge.
NOISE = 0.1
VARIED = 1.3
#: Numbers of records and budgets mu.
DEMANDS = ((100, 1.0), (1000, 1.0), (1000, 2.9661))
#: Settings beside the defaults: tau, and factors on the penalty that the plan chooses.
TAUS = (0.015, 0.02, 0.025, 0.03, 0.04, 0.06, 0.1)
FACTORS = (0.1, 0.3, 1.0, 3.0, 10.0)
GROUPS = 4
#: Terrains are this many times as many as faces: few of them lie far out and decide what clipping
#: does.
MORE_TERRAINS = 5
#: Draws of noise, and the probability below which a tau found privately is left out.
DRAWS, RARE = 8, 0.005
UNIT = 1e-4


@dataclass(frozen=True, eq=False)
class Case:
    """Surfaces of one population as they come, and the public template that they are laid over."""

    name: str
    template: Template
    records: list[Surface]
    center: int | str = "most-protruding"


def cropped(surface: Surface, share: float) -> Surface:
    """Leave out the lowest ``share`` of the area, as a scan that ends above the chin."""
    height = surface.vertices[:, 1]
    order = np.argsort(height)
    below = np.cumsum(surface.vertex_areas[order]) < share * surface.area
    kept = np.ones(len(height), dtype=bool)
    kept[order[below]] = False
    return replace(cut(surface, kept)[0], name=surface.name)


def noisy(surface: Surface, seed: int) -> Surface:
    """Move every vertex by Gaussian noise of a tenth of the mean edge, in each coordinate."""
    size = NOISE * edge_lengths(surface.vertices, surface.faces).mean()
    shift = np.random.default_rng(seed).normal(0, size, surface.vertices.shape)
    return Surface(surface.vertices + shift, surface.faces, surface.name)


def population(
    name: str,
    own: Template,
    public: list[Template],
    records: list[Surface],
    chin: bool,
    shift: int,
) -> Iterator[Case]:
    """Cases of one population: templates, then crops and noise with its own template."""
    yield Case(f"{name}, own template", own, records)
    for number, template in enumerate(public, 1):
        yield Case(f"{name}, template is surface {number}", template, records)
    for share in CROPS if chin else ():
        yield Case(f"{name}, {share:.0%} cropped", own, [cropped(r, share) for r in records])
    moved = [noisy(r, SEED + shift + i) for i, r in enumerate(records)]
    yield Case(f"{name}, noise of a tenth of an edge", own, moved)


def generated(
    name: str,
    make: Callable[[int], Surface],
    own: Callable[[], Surface],
    count: int,
    chin: bool,
    shift: int,
) -> Iterator[Case]:
    public = [make_template(make(seed + shift)) for seed in PUBLIC_SEEDS]
    records = [make(SEED + shift + i) for i in range(count)]
    yield from population(name, make_template(own()), public, records, chin, shift)


def ict_cases(count: int, shift: int) -> Iterator[Case]:
    if not DATA.exists():
        return
    model = read_model()
    public = [
        make_template(draw_faces(model, 1, seed + shift)[0], int(model["nose_tip"]))
        for seed in PUBLIC_SEEDS
    ]
    wide = {**model, "modes": VARIED * model["modes"]}
    records = draw_faces(wide, count, SEED + shift)
    yield from population("ICT, more varied", model_template(model), public, records, True, shift)


def all_cases(count: int, shift: int) -> Iterator[Case]:
    yield from generated("made faces", procedural_face, template_face, count, True, shift)
    many = MORE_TERRAINS * count
    yield from generated("terrains", procedural_terrain, template_terrain, many, False, shift)
    yield from ict_cases(count, shift)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Coordinates of a case's curves before clipping: they stand for n records."""

    mean: SurfaceMean
    coordinates: NDArray

    @cached_property
    def lengths(self) -> NDArray:
        """Distances from the template, which tau bounds."""
        return np.asarray(np.linalg.norm(self.coordinates, axis=1))

    @cached_property
    def plain(self) -> NDArray:
        """Coordinates of the plain mean."""
        return np.asarray(self.coordinates.mean(axis=0))

    def clipped(self, tau: float) -> NDArray:
        """Coordinates of the mean of the records clipped at tau."""
        kept = self.coordinates * (tau / np.maximum(self.lengths, tau))[:, None]
        return np.asarray(kept.mean(axis=0))

    def error(self, setting: Setting, factor: float = 1.0) -> float:
        """Return the expected squared distance of a release from the plain mean."""
        signal = setting.typical
        kept = signal / (signal + factor * setting.variance)
        bias = kept * self.clipped(setting.tau) - self.plain
        return float(setting.variance * np.sum(kept**2) + bias @ bias) / UNIT

    def delivered_error(self, setting: Setting) -> float:
        """Return the same of a release that is smoothed again as it itself asks, over draws."""
        rng, clipped = np.random.default_rng(SEED), self.clipped(setting.tau)
        noise, guess = np.sqrt(setting.variance), setting.typical / setting.variance
        found = []
        for _ in range(DRAWS):
            drawn = clipped + noise * rng.standard_normal(clipped.size)
            again = drawn * kept(likeliest_size(drawn / noise, guess) * guess)
            found.append(np.sum((again - self.plain) ** 2))
        return float(np.mean(found)) / UNIT

    def part(self, which: slice) -> Encoded:
        """Return some of the records."""
        return Encoded(self.mean, self.coordinates[which])


class Setting(NamedTuple):
    """A tau, the guess of the mean's coordinates (variances), and the variance of the noise."""

    tau: float
    typical: NDArray
    variance: float


def setting_of(mean: SurfaceMean, tau: float, n: int, mu: float) -> Setting:
    """Return what a plan with this tau does."""
    return Setting(tau, mean.functions.typical_deviations**2, (2 * tau / (n * mu)) ** 2)


def found_settings(whole: Encoded, plan: StagedPlan) -> list[tuple[float, Setting]]:
    """Return the settings that a plan comes to when it finds tau, with their probabilities."""
    rule = plan.rule
    asked, left = rule.plan(()).statistic, rule.budgets[1]
    depths = asked.depths(np.resize(whole.lengths, plan.n))
    law = probabilities(asked.weights(depths, rule.budgets[0].parts[0]))
    law = np.where(law > RARE, law, 0.0) / law[law > RARE].sum()
    return [
        (float(chance), setting_of(whole.mean.clipped_at(tau), tau, plan.n, left.mu))
        for chance, tau in zip(law, asked.radii.tolist(), strict=True)
        if chance > 0
    ]


class Losses(NamedTuple):
    """Errors of one case under one demand, over that of the best tau and penalty."""

    delivered: float
    off: float
    drawn: float
    fixed: float

    def __str__(self) -> str:
        return f"**{self.delivered:.2f}** ± {self.off:.2f}; {self.drawn:.2f}; {self.fixed:.2f}"


def losses_of(whole: Encoded, n: int, mu: float) -> Losses:
    mean, plan = whole.mean, dp.plan(whole.mean, n=n, budget=dp.GDP(mu))
    assert isinstance(plan, StagedPlan)
    tried = {(t, f): whole.error(setting_of(mean, t, n, mu), f) for t in TAUS for f in FACTORS}
    tau, factor = min(tried, key=tried.__getitem__)
    best, at_best = tried[tau, factor], setting_of(mean, tau, n, mu)

    def delivered(part: Encoded) -> float:
        return sum(c * part.delivered_error(s) for c, s in found_settings(part, plan))

    parts = [whole.part(slice(g, None, GROUPS)) for g in range(GROUPS)]
    ratios = [delivered(part) / part.error(at_best, factor) for part in parts]
    fixed = setting_of(mean, mean.under(dp.GDP(mu), n).tau, n, mu)
    return Losses(
        delivered(whole) / best,
        float(np.std(ratios, ddof=1) / np.sqrt(GROUPS)),
        sum(c * whole.error(s) for c, s in found_settings(whole, plan)) / best,
        whole.delivered_error(fixed) / best,
    )


def row_of(case: Case, cache: Path) -> tuple[str, list[Losses]]:
    """Return the line of one case in the table, and what it holds."""
    mean = SurfaceMean(case.template)
    batch = mean.prepare(case.records, workers=1, cache=cache)
    # A record that fails counts as the template, in the plain mean too.
    whole = Encoded(mean, mean.clipped_at(10.0).encode(batch.curves))
    losses = [losses_of(whole, n, mu) for n, mu in DEMANDS]
    cells = (
        case.name,
        len(case.records),
        len(batch.failures),
        f"{np.median(whole.lengths):.3f}",
        *losses,
    )
    return f"| {' | '.join(map(str, cells))} |", losses


HEAD = "\n".join(
    [
        "| surfaces | how many | failed | median distance | "
        + " | ".join(f"n = {n}, mu = {mu:g}" for n, mu in DEMANDS)
        + " |",
        "|---" * (4 + len(DEMANDS)) + "|",
    ]
)


def summary(losses: list[Losses]) -> str:
    """Say how many cells lose at most a factor 2."""
    kinds = {
        "delivered by default": [loss.delivered for loss in losses],
        "the same as drawn": [loss.drawn for loss in losses],
        "delivered with a fixed tau": [loss.fixed for loss in losses],
    }
    return "\n".join(
        f"{kind}: {sum(x <= 2 for x in found)} of {len(found)} cells lose at most a factor 2, "
        f"the worst {max(found):.2f}"
        for kind, found in kinds.items()
    )


def main(folder: Path | None = None, count: int = 4, seed: int = 0) -> None:
    out = folder or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    losses: list[Losses] = []
    print(HEAD, flush=True)
    with (out / "grid.md").open("w", encoding="utf-8") as file:
        file.write(HEAD + "\n")
        for case in all_cases(count, APART * seed):
            row, found = row_of(case, out / "cache")
            losses += found
            print(row, flush=True)
            file.write(f"{row}\n")
        file.write(f"\n{summary(losses)}\n")
    print(summary(losses))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces, chosen.seed)
