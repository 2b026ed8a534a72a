"""Table 1 of paper 4 on faces of the ICT model: private mean faces at one budget, and pictures.

Run ``python -m benchmarks.faces out --faces 1000 --replicates 5``; needs ``../shared/data``. Writes
``table.md`` and pictures into ``out``. Every replicate draws new faces; standard errors are over
replicates, and every release is drawn ``--draws`` times. Vertices correspond, so registration is
homologous, as in the paper. The public template is the mean of the generating model, which is known
before any face is drawn and is not the mean of the records.
"""

import argparse
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

from benchmarks._faces_methods import METHODS, MU, POINTWISE, Method, Sample
from benchmarks._ict import draw_faces, model_template, read_model
from geomdp.surfaces import (
    Recipe,
    Surface,
    SurfaceMean,
    Template,
    curves_to_mesh,
    process,
    register,
)
from geomdp.surfaces.pictures import difference_map, interactive_html, shaded_views

SEED = 4101
#: Mean squared errors are printed in this unit, as in the paper; lengths are of area-one surfaces.
UNIT = 1e-4


@dataclass(frozen=True)
class Errors:
    """Mean squared errors of one method in one replicate; None where a measure does not apply."""

    same: float
    nearest: float | None = None
    smoothed: float | None = None


def draw_sample(model: dict[str, NDArray], template: Template, count: int, seed: int) -> Sample:
    faces = draw_faces(model, count + 1, seed)
    recipe = Recipe(registration="homologous")
    vertices = np.stack([register(f, template, "homologous").surface.vertices for f in faces])
    curves = process(faces, template, recipe).curves
    return Sample(template, vertices[1:], curves[1:], vertices[0], curves[0])


def errors_of(method: Method, sample: Sample, draws: int, seed: int) -> tuple[Errors, NDArray]:
    """Errors averaged over draws, and the first release."""
    values, smoothed = method.draw(sample, draws, seed)
    if not method.curves:
        return Errors(_mean_square(values - sample.vertices.mean(axis=0))), values[0]
    same = _mean_square(values - sample.curves.mean(axis=0))
    nearest = np.mean([_nearest(v, sample.vertices.mean(axis=0)) for v in values[:5]])
    against = None if smoothed is None else _mean_square(values - smoothed)
    return Errors(same, float(nearest), against), values[0]


def _mean_square(difference: NDArray) -> float:
    return float(np.mean(np.sum(difference**2, axis=-1)))


def _nearest(curves: NDArray, cloud: NDArray) -> float:
    """Mean squared distance from 23 x 81 points, rescaled, to the nearest point of the mean."""
    from scipy.spatial import cKDTree

    closed = np.concatenate([curves, curves[:, :1]], axis=1).reshape(-1, 3)
    tree = cKDTree(cloud)
    scale = 1.0
    for _ in range(3):  # the best scale for the present neighbours, then neighbours again
        near = cloud[tree.query(scale * closed)[1]]
        scale = float(np.sum(near * closed) / np.sum(closed**2))
    return float(np.mean(tree.query(scale * closed)[0] ** 2))


def study(count: int, replicates: int, draws: int, folder: Path) -> str:
    model = read_model()
    template = model_template(model)
    results: dict[str, list[Errors]] = {method.label: [] for method in METHODS}
    for replicate in track(range(replicates), "replicates"):
        sample = draw_sample(model, template, count, SEED + replicate)
        first = {}
        for method in METHODS:
            errors, first[method.label] = errors_of(method, sample, draws, replicate)
            results[method.label].append(errors)
        if replicate == 0:
            draw_pictures(sample, first, model["faces_disk"], folder)
    return table(results, count, replicates, draws)


def table(results: dict[str, list[Errors]], count: int, replicates: int, draws: int) -> str:
    means = {label: np.mean([errors.same for errors in rows]) for label, rows in results.items()}
    lines = [
        f"{count} ICT faces, {replicates} replicates of {draws} draws, seed {SEED}; mean squared "
        f"error in 1e-4 of unit-area lengths squared, standard errors over replicates; "
        f"mu = {MU} unless stated; 'times below' compares with point-wise noise on vertices at "
        "equal mu and with the same template.",
        "",
        "| method | private | MSE, same point | times below | nearest, 23 x 81 | to RKHS mean |",
        "|---|---|---|---|---|---|",
    ]
    for method in METHODS:
        rows = results[method.label]
        base = method.baseline
        times = f"{means[base] / means[method.label]:.3g}" if base else ""
        cells = [_cell([getattr(r, name) for r in rows]) for name in ("same", "nearest")]
        smoothed = _cell([r.smoothed for r in rows])
        private = "yes" if method.private else "**no**"
        lines.append(
            f"| {method.label} | {private} | {cells[0]} | {times} | {cells[1]} | {smoothed} |"
        )
    return "\n".join(lines) + "\n"


def _cell(values: list[float | None]) -> str:
    known = np.array([v for v in values if v is not None]) / UNIT
    if not known.size:
        return ""
    error = known.std(ddof=1) / np.sqrt(known.size) if known.size > 1 else float("nan")
    return f"{known.mean():.3g} ± {error:.1g}"


def draw_pictures(sample: Sample, first: dict[str, NDArray], faces: NDArray, folder: Path) -> None:
    statistic = SurfaceMean(sample.template, registration="homologous")
    mean = statistic.mesh_of(sample.curves.mean(axis=0), "mean")
    private = statistic.mesh_of(first["ours, joint kernel"])
    fuzzy = Surface(first[POINTWISE], faces)
    rings = curves_to_mesh(first["point-wise, curve points"])
    shown = [mean, private, fuzzy, rings]
    titles = [
        "mean (not private)",
        f"private, mu = {MU}",
        "point-wise, vertices",
        "point-wise, curve points",
    ]
    shaded_views(shown, titles).savefig(folder / "faces.png", dpi=130)
    difference_map(private, mean).savefig(folder / "difference.png", dpi=130)
    interactive_html(private, folder / "private.html", title="private mean face")


def main(
    folder: Path | None = None, count: int = 100, replicates: int = 2, draws: int = 20
) -> None:
    out = folder or Path(tempfile.mkdtemp())
    out.mkdir(parents=True, exist_ok=True)
    text = study(count, replicates, draws, out)
    (out / "table.md").write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--faces", type=int, default=1000)
    parser.add_argument("--replicates", type=int, default=5)
    parser.add_argument("--draws", type=int, default=20)
    chosen = parser.parse_args()
    main(chosen.folder, chosen.faces, chosen.replicates, chosen.draws)
