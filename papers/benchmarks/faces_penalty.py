"""Rings and penalties of mean faces: what is forecast, and what ICT faces give.

Run ``python -m papers.benchmarks.faces_penalty out``; needs ``../shared/data``. In a folder of
``papers.benchmarks.faces_table`` it finds the curves. Forecasts for several numbers of rings and
points; then, at n = 100 and mu = 1, forecasts and errors for several penalties on disjoint hundreds
of homologous faces. Mean squared distances from the plain mean, in 1e-4 of unit-area lengths
squared, standard errors over hundreds.
"""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from papers.benchmarks.faces_table import SEED, UNIT, squares
from papers.benchmarks.ict import draw_faces, model_template, read_model

import geomdp as dp
from geomdp.surfaces import SurfaceMean

TAU, N, DRAWS = 0.03, 100, 20
GRIDS = ((8, 24), (12, 40), (23, 80), (40, 120))
DEMANDS = ((100, 1.0), (1000, 2.9661))
#: Penalties beside the one that a plan chooses.
PENALTIES = (1e-4, 1e-3, 1e-2, 0.1, 0.3, 1.0)


def forecast(plan: dp.Plan) -> float:
    return float(np.mean(plan.forecast.radii**2)) / UNIT


def rows(mean: SurfaceMean, curves: NDArray) -> Iterator[str]:
    """Forecast and error, one row a penalty and one for a pure budget."""
    settings = [("chosen", None, dp.GDP(1)), *((f"{p:g}", p, dp.GDP(1)) for p in PENALTIES)]
    for name, phi, budget in (*settings, ("chosen", None, dp.Pure(1))):
        asked = SurfaceMean(mean.template, tau=TAU, phi=phi, registration="homologous")
        plan = dp.plan(asked, n=N, budget=budget)
        errors = [
            squares(plan.simulate(part, DRAWS, SEED) - part.mean(axis=0)).mean()
            for part in curves.reshape(-1, N, *curves.shape[1:])
        ]
        off = np.std(errors, ddof=1) / np.sqrt(len(errors))
        chosen = f"{name}, {float(np.max(plan.statistic.phi)):.3g}, {plan.statistic.terms} terms"
        yield (
            f"| {budget!r} | {chosen} | {forecast(plan):.3g} | {np.mean(errors):.3g} ± {off:.1g} |"
        )


def main(folder: Path | None = None, count: int = 2 * N) -> None:
    model = read_model()
    template = model_template(model)
    for n, mu in DEMANDS:
        for rings, points in GRIDS:
            asked = SurfaceMean(template, rings, points, TAU, registration="homologous")
            made = dp.plan(asked, n=n, budget=dp.GDP(mu))
            print(f"n = {n}, mu = {mu}, {rings} x {points}: forecast {forecast(made):.4f}")
    mean = SurfaceMean(template, registration="homologous")
    faces = draw_faces(model, count, SEED, moved=True)
    cache = (folder or Path(tempfile.mkdtemp())) / "cache"
    curves = mean.prepare(faces, workers=1, cache=cache).curves
    print("| budget | penalty | forecast | measured |\n|---|---|---|---|")
    for row in rows(mean, curves):
        print(row, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=1000, help="a multiple of 100")
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces)
