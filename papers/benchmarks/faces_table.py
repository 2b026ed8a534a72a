"""The table of ICT faces: private mean faces against simpler noise, elastic and homologous.

Run ``python -m papers.benchmarks.faces_table out --faces 1000 --workers 2``; needs
``../shared/data``. Curves of the same faces (random position, orientation and size, seed 2024) come
from elastic registration and, since vertices of the model correspond, from homologous registration,
which is the truth. Mean squared distances in 1e-4 of unit-area lengths squared, standard errors
over draws: from the plain mean of the same curves, and from the true mean, whole and along the
normals of the surface. Ours is what is delivered, smoothed again; as drawn it is split into noise,
smoothing and clipping. Curves are cached in ``out``, so that a second run goes on; table and
pictures go there too.
"""

import argparse
import os
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from papers.benchmarks.ict import draw_faces, millimetres, model_template, read_model

import geomdp as dp
from geomdp.audit.floats import replayed
from geomdp.plans import Plan
from geomdp.surfaces import Batch, Surface, SurfaceMean
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.pictures import shaded_views
from geomdp_papers.point_mean import PointMean
from geomdp_papers.studies.face_methods import MU

SEED, UNIT, DRAWS = 2024, 1e-4, 10
CORRESPONDING = 100
#: Bounds of single points among which the tuned point-wise release takes the best.
BOUNDS = np.geomspace(0.004, 0.06, 9)


@dataclass(frozen=True, eq=False)
class Faces:
    """Curves (n, rings, points, 3) by one registration, and the true mean curves."""

    mean: SurfaceMean
    curves: NDArray
    truth: NDArray

    @property
    def plain(self) -> NDArray:
        """Mean of the curves without privacy."""
        return np.asarray(self.curves.mean(axis=0))


def squares(difference: NDArray) -> NDArray:
    """Mean squared length over the points of each draw, in the unit of the table."""
    return np.asarray(np.mean(np.sum(difference**2, axis=-1), axis=(-2, -1))) / UNIT


def normal_squares(difference: NDArray, mean: SurfaceMean) -> NDArray:
    """Mean squared part along the normals of the surface: what sliding along it does not count."""
    from scipy.spatial import cKDTree

    surface = mean.template.surface
    _, near = cKDTree(surface.vertices).query(mean.template_curves)
    along = np.sum(difference * surface.vertex_normals[near], axis=-1)
    return np.asarray(np.mean(along**2, axis=(-2, -1))) / UNIT


def curves_of_mesh(mean: SurfaceMean, mesh: Surface) -> NDArray:
    """Read the curves off a delivered mesh again."""
    cells, template = mean.road.cells, mean.template
    interpolant = DiskInterpolant(mesh, template.z, like=template.interpolant)
    return cells.average(interpolant(cells.radii[:, None] * np.exp(1j * cells.angles)))


def parts(faces: Faces, mu: float) -> str:
    """Say how much of our error is noise, smoothing and clipping, with a tau that was found."""
    with replayed(SEED):
        plan = ours_of(faces, mu).release(faces.curves).answer.plan
    asked = plan.statistic
    encoded = asked.encode(faces.curves)
    smoothed, clipped = asked.estimate(encoded, 0.0), asked.decode(encoded.mean(axis=0))
    noise = squares(plan.simulate(faces.curves, DRAWS, SEED) - smoothed).mean()
    beyond = np.mean(asked.lengths(faces.curves).records > asked.tau)
    return (
        f"as drawn, tau {asked.tau}, penalty {float(np.max(asked.phi)):.3g}, {beyond:.1%} of the "
        f"faces beyond tau: noise {noise:.4f}, smoothing {squares(smoothed - clipped):.4f}, "
        f"clipping {squares(clipped - faces.plain):.1g}"
    )


def releases(faces: Faces, mu: float) -> dict[str, NDArray]:
    """Draws (draws, rings, points, 3) of every method; all private but the one that says so."""
    n, budget = len(faces.curves), dp.GDP(mu)
    stated = faces.mean.under(budget, n)
    public = dp.plan(stated, n=n, budget=budget, mechanism="pointwise-gaussian")
    center = faces.mean.template_curves.reshape(-1, 3)
    records = faces.curves.reshape(n, -1, 3)
    with replayed(SEED):
        ours = [ours_of(faces, mu).release(faces.curves) for _ in range(DRAWS)]

    def of_points(asked: PointMean) -> NDArray:
        made = dp.plan(asked, n=n, budget=budget, mechanism="tangent-gaussian")
        return made.simulate(records, DRAWS, SEED).reshape(DRAWS, *faces.plain.shape)

    return {
        "point-wise": public.simulate(faces.curves, DRAWS, SEED),
        "point-wise, best bound (not private)": of_points(_tuned(center, records, mu)),
        "one Gaussian, clipped jointly": of_points(PointMean(center, stated.radius, "joint")),
        "ours, as drawn": np.stack([release.value for release in ours]),
        "ours": np.stack([release.denoised for release in ours]),
    }


def ours_of(faces: Faces, mu: float) -> Plan:
    """Plan as users do, who state no tau: it is found privately."""
    return dp.plan(faces.mean, n=len(faces.curves), budget=dp.GDP(mu))


def _tuned(center: NDArray, records: NDArray, mu: float) -> PointMean:
    """Return the point-wise mean with the bound that does best on these very records."""
    plain, tried = records.mean(axis=0), {}
    for bound in BOUNDS:
        asked = PointMean(center, float(bound), "each")
        kept = asked.decode(asked.encode(records).mean(axis=0))
        noise = 3 * (asked.sensitivity(len(records)).value / mu) ** 2
        tried[noise + np.mean(np.sum((kept - plain) ** 2, axis=-1))] = asked
    return tried[min(tried)]


def table(name: str, faces: Faces, mu: float) -> tuple[list[str], NDArray]:
    """Rows of the table at one budget, and one release of ours."""
    found = releases(faces, mu)
    base = squares(found["point-wise"] - faces.plain).mean()
    rows = []
    for label, values in found.items():
        same = squares(values - faces.plain)
        off = same.std(ddof=1) / np.sqrt(DRAWS)
        gap = values - faces.truth
        normal = normal_squares(gap, faces.mean).mean()
        mesh = ""
        if label == "ours":
            rings = [curves_of_mesh(faces.mean, faces.mean.mesh_of(v)) for v in values]
            mesh = f"{squares(np.stack(rings) - faces.plain).mean():.4f}"
        rows.append(
            f"| {name} | {len(faces.curves)} | {mu} | {label} | {same.mean():.4f} ± {off:.4f} | "
            f"{base / same.mean():.1f} | {mesh} | {squares(gap).mean():.4f} | {normal:.4f} |"
        )
    return rows, found["ours"][0]


HEAD = """\
| registration | n | mu | method | MSE, same point | times below point-wise | of the mesh | \
from the true mean | along normals |
|---|---|---|---|---|---|---|---|---|"""


def correspondence(elastic: NDArray, true: NDArray, unit: float) -> str:
    """Say how far elastic curve points are from the points that truly correspond, face by face."""
    gaps = unit * np.linalg.norm(elastic - true, axis=-1).mean(axis=(1, 2))
    return (
        f"correspondence on {len(gaps)} faces: mean {gaps.mean():.2f} mm, median "
        f"{np.median(gaps):.2f}, worst face {gaps.max():.2f}"
    )


def timed(mean: SurfaceMean, faces: list[Surface], **how: Any) -> tuple[Batch, str]:
    """Prepare the faces, and say what that took where none came from the cache."""
    start, before = time.perf_counter(), os.times()
    batch = mean.prepare(faces, **how)
    wall, after = time.perf_counter() - start, os.times()
    spent = sum(after[:4]) - sum(before[:4])  # of this process and of its workers
    if batch.reused:
        return batch, f"{batch.reused} faces from the cache"
    return batch, f"{wall:.0f} s, {spent / len(faces):.3f} processor seconds a face"


def main(folder: Path | None = None, count: int = 12, workers: int = 1) -> None:
    out = folder or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    model = read_model()
    template, nose = model_template(model), [int(model["nose_tip"])] * count
    elastic, same = SurfaceMean(template), SurfaceMean(template, registration="homologous")
    faces = draw_faces(model, count, SEED, moved=True)
    how: dict[str, Any] = {"workers": workers, "cache": out / "cache"}
    found, time_taken = timed(elastic, faces, centers=nose, **how)
    known = same.prepare(faces, **how)
    truth = known.curves.mean(axis=0)
    gap = found.curves.mean(axis=0) - truth
    first = slice(CORRESPONDING)
    lines = [
        f"{count} faces, elastic, {workers} workers: {time_taken}",
        f"failed: {len(found.failures)} elastic, {len(known.failures)} homologous",
        correspondence(found.curves[first], known.curves[first], millimetres(model)),
        f"plain elastic mean against the true mean: point to point {squares(gap):.4f}, "
        f"along normals {normal_squares(gap, same):.4f}",
        "",
        HEAD,
    ]
    sample = Faces(elastic, found.curves, truth)
    shown, titles = [elastic.mesh_of(sample.plain)], ["mean (not private)"]
    lines += table("homologous", Faces(same, known.curves, truth), MU)[0]
    for mu in (MU, 1.0):
        rows, release = table("elastic", sample, mu)
        lines += rows
        shown.append(elastic.mesh_of(release))
        titles.append(f"private, mu = {mu:.3g}")
    lines += ["", *(f"ours, elastic, mu = {mu}: {parts(sample, mu)}" for mu in (MU, 1.0))]
    text = "\n".join(lines) + "\n"
    (out / "table.md").write_text(text, encoding="utf-8")
    print(text)
    shaded_views(shown, titles).savefig(out / "faces-private.png", dpi=100)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=1000)
    parser.add_argument("--workers", type=int, default=1)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces, chosen.workers)
