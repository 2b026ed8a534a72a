"""What the defaults of mean surfaces lose away from home, against the best setting of each case.

Run ``python -m benchmarks.faces_grid out``; ICT faces need ``../shared/data`` and are left out
without it. None of these populations chose kernel, penalty or recipe: faces and terrains that the
package makes, and faces of the ICT model 1.3 times as varied as it says. Varied are the public
template (the generator's own, or one of three single surfaces), the crop of the records, noise on
their vertices, tau, the penalty, n and the budget. Errors are expected mean squared distances of a
release from the plain mean of the records' curves, noise and bias together, without a draw: only
surfaces are random, with seeds. Curves are cached in ``out``, where ``grid.md`` goes too.
"""

import argparse
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from benchmarks._ict import DATA, draw_faces, model_template, read_model
from geomdp.functions import penalty
from geomdp.functions.choosing import Guess, best_penalty, noise_variance
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
    name: str, own: Template, public: list[Template], records: list[Surface], chin: bool
) -> Iterator[Case]:
    """Cases of one population: templates, then crops and noise with its own template."""
    yield Case(f"{name}, own template", own, records)
    for number, template in enumerate(public, 1):
        yield Case(f"{name}, template is surface {number}", template, records)
    for share in CROPS if chin else ():
        yield Case(f"{name}, {share:.0%} cropped", own, [cropped(r, share) for r in records])
    moved = [noisy(r, SEED + i) for i, r in enumerate(records)]
    yield Case(f"{name}, noise of a tenth of an edge", own, moved)


def generated(
    name: str,
    make: Callable[[int], Surface],
    own: Callable[[], Surface],
    count: int,
    chin: bool,
) -> Iterator[Case]:
    public = [make_template(make(seed)) for seed in PUBLIC_SEEDS]
    records = [make(SEED + i) for i in range(count)]
    yield from population(name, make_template(own()), public, records, chin)


def ict_cases(count: int) -> Iterator[Case]:
    if not DATA.exists():
        return
    model = read_model()
    public = [
        make_template(draw_faces(model, 1, seed)[0], int(model["nose_tip"]))
        for seed in PUBLIC_SEEDS
    ]
    wide = {**model, "modes": VARIED * model["modes"]}
    records = draw_faces(wide, count, SEED)
    yield from population("ICT, more varied", model_template(model), public, records, True)


def all_cases(count: int) -> Iterator[Case]:
    yield from generated("made faces", procedural_face, template_face, count, True)
    yield from generated("terrains", procedural_terrain, template_terrain, count, False)
    yield from ict_cases(count)


@dataclass(frozen=True, eq=False)
class Encoded:
    """Coordinates of a case's curves before clipping, their lengths, and the plain mean."""

    mean: SurfaceMean
    coordinates: NDArray

    @property
    def lengths(self) -> NDArray:
        """Distances from the template, which tau bounds."""
        return np.asarray(np.linalg.norm(self.coordinates, axis=1))

    def error(self, tau: float, factor: float, n: int, mu: float) -> float:
        """Return the expected squared distance of a release of n such from their plain mean."""
        values = self.mean.functions.spectrum.values
        signal = self.mean.functions.typical_offset**2
        variance = noise_variance(dp.GDP(mu), 2 * tau / n, values.size)
        phi = factor * best_penalty(Guess(values, signal, 2 * tau / n), variance)[:, None]
        noise = variance * penalty.unit_noise_mse(values, phi, "matched").sum()
        clipped = self.coordinates * (tau / np.maximum(self.lengths, tau))[:, None]
        kept = penalty.shrinkage(values, phi).ravel() * clipped.mean(axis=0)
        bias = kept - self.coordinates.mean(axis=0)
        return float(noise + bias @ bias) / UNIT

    def part(self, which: slice) -> "Encoded":
        """Return some of the records."""
        return replace(self, coordinates=self.coordinates[which])


def rows_of(case: Case, cache: Path) -> Iterator[str]:
    """Table rows of one case, one a demand."""
    mean = SurfaceMean(case.template)
    batch = mean.prepare(case.records, workers=1, cache=cache)
    wide = mean.clipped_at(10.0)
    whole = Encoded(mean, wide.encode(batch.curves))
    for n, mu in DEMANDS:
        planned = mean.under(dp.GDP(mu), n).tau
        clipped = np.mean(whole.lengths > planned)
        settings = [(tau, factor) for tau in TAUS for factor in FACTORS]
        errors = [whole.error(tau, factor, n, mu) for tau, factor in settings]
        tau, factor = settings[int(np.argmin(errors))]
        parts = [whole.part(slice(g, None, GROUPS)) for g in range(GROUPS)]
        ratios = [p.error(planned, 1.0, n, mu) / p.error(tau, factor, n, mu) for p in parts]
        off = np.std(ratios, ddof=1) / np.sqrt(GROUPS)
        default = whole.error(planned, 1.0, n, mu)
        yield (
            f"| {case.name} | {len(batch.failures)} | {np.median(whole.lengths):.3f} | {n} | {mu} "
            f"| {planned} | {clipped:.0%} | {default:.3g} | {min(errors):.3g} ({tau}, {factor}) | "
            f"{default / min(errors):.2f} ± {off:.2f} |"
        )


HEAD = """\
| surfaces | failed | median distance | n | mu | planned tau | beyond it | default | \
best (tau, penalty) | default / best |
|---|---|---|---|---|---|---|---|---|---|"""


def main(folder: Path | None = None, count: int = 4) -> None:
    out = folder or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    print(HEAD, flush=True)
    with (out / "grid.md").open("w", encoding="utf-8") as file:
        file.write(HEAD + "\n")
        for case in all_cases(count):
            for row in rows_of(case, out / "cache"):
                print(row, flush=True)
                file.write(row + "\n")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=20)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces)
