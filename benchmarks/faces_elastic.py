"""Private mean of elastically registered ICT faces: distance from its own plain mean, and the mesh.

Run ``python -m benchmarks.faces_elastic out --faces 1000 --workers 1``; needs ``../shared/data``.
Faces come in random position, orientation and size, with the tip of the nose as a landmark. Mean
squared distances are in 1e-4 of unit-area lengths squared. Curves are cached in ``out``, and a
picture goes beside them.
"""

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import geomdp as dp
from benchmarks._ict import draw_faces, model_template, read_model
from geomdp.surfaces import Surface, SurfaceMean
from geomdp.surfaces.pictures import shaded_views
from geomdp.surfaces.sampling import DiskInterpolant

SEED = 2024
MU = 2.9661
UNIT = 1e-4
DRAWS = 10


def curves_of_faces(mean: SurfaceMean, count: int, workers: int, cache: Path) -> NDArray:
    model = read_model()
    faces = draw_faces(model, count, SEED, moved=True)
    start = time.process_time()
    nose = [int(model["nose_tip"])] * count
    batch = mean.prepare(faces, workers=workers, cache=cache, centers=nose)
    if workers == 1 and batch.reused < count:
        fresh = count - batch.reused
        print(f"{(time.process_time() - start) / fresh:.3f} processor seconds a face")
    print(f"failed: {[failure.reason for failure in batch.failures] or 'none'}")
    return batch.curves


def curves_of_mesh(mean: SurfaceMean, mesh: Surface) -> NDArray:
    cells, template = mean.road.cells, mean.template
    interpolant = DiskInterpolant(mesh, template.z, like=template.interpolant)
    return cells.average(interpolant(cells.radii[:, None] * np.exp(1j * cells.angles)))


def mean_square(difference: NDArray) -> float:
    return float(np.mean(np.sum(difference**2, axis=-1))) / UNIT


def report(mean: SurfaceMean, curves: NDArray, mu: float) -> NDArray:
    """Print distances from the plain mean at one budget; return one release (seeded: a study)."""
    plain, n = curves.mean(axis=0), len(curves)
    smooth = dp.plan(mean, n, dp.GDP(mu), "tangent-gaussian").simulate(curves, DRAWS, SEED)
    points = dp.plan(mean, n, dp.GDP(mu), "pointwise-gaussian").simulate(curves, DRAWS, SEED)
    value, other = mean_square(smooth - plain), mean_square(points - plain)
    mesh = np.mean([mean_square(curves_of_mesh(mean, mean.mesh_of(v)) - plain) for v in smooth])
    print(
        f"n = {n}, mu = {mu}: value {value:.4f}, mesh {mesh:.4f}, point-wise curve points "
        f"{other:.4f} ({other / value:.1f} times the value)"
    )
    release: NDArray = smooth[0]
    return release


def main(folder: Path | None = None, count: int = 30, workers: int = 1) -> None:
    out = folder or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    mean = SurfaceMean(model_template(read_model()))
    curves = curves_of_faces(mean, count, workers, out / "cache")
    rms = np.sqrt(np.mean(np.sum((curves - mean.template_curves) ** 2, axis=-1), axis=(1, 2)))
    print(f"distance of records from the template: median {np.median(rms):.4f}", end=", ")
    print(f"largest {rms.max():.4f}, beyond tau {np.mean(rms > mean.tau):.1%}")
    shown = [mean.mesh_of(curves.mean(axis=0))]
    shown += [mean.mesh_of(report(mean, curves, mu)) for mu in (MU, 1.0)]
    titles = ["mean (not private)", f"private, mu = {MU}", "private, mu = 1"]
    shaded_views(shown, titles).savefig(out / "elastic.png", dpi=130)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces, chosen.workers)
