"""Paper 4, Table 1 and Figures 4 to 6 and 8: private mean faces at one budget.

Mean squared errors are in 1e-4 of unit-area lengths squared, the paper's unit: to the same point of
the mean, as the paper measures point-wise means; to its nearest vertex, as it measures curves; and
to its surface. Vertices correspond, so registration is homologous, as the paper's data allow. The
template is public: known before any face is drawn.
"""

import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.surfaces.curves.radial import curves_to_mesh
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import smooth_rim
from geomdp.surfaces.pictures import draw_surface
from geomdp.surfaces.registration.srnf import best_motion
from geomdp.surfaces.template import Template
from geomdp.typing import Array
from geomdp_papers.studies.face_data import STAND_IN, faces_of, folder_of_faces
from geomdp_papers.studies.face_methods import (
    FLOOR,
    METHODS,
    MU,
    OURS,
    PAPER,
    RANGES,
    Method,
    Sample,
)
from geomdp_papers.studies.nearest import nearest_and_surface
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

COUNT, REPLICATES, DRAWS = 1000, 5, 20
UNIT = 1e-4
#: What the paper's Table 1 states of its own method, to the nearest point of the mean.
STATED = 5.2989
#: Why curves as calibrated in the paper may lose.
REASON = (
    "the curves are not measured from a template, so that tau, and with it the noise, is the size"
    " of a whole face; the paper does not print its kernel's range, nor the 1/n of point-wise noise"
)
#: Methods that the claims are about.
ALONE, POINTS = "template alone, no data", "point-wise, vertices"
#: Shapes that the figures show, and every so many points of their rings and clouds.
MEAN, SMOOTH, CLOUD = "mean of curves", "smoothed mean of curves", "point-wise mean"
SHOWN = (MEAN, SMOOTH, OURS, PAPER, "point-wise, curve points")
CLOUDS = (CLOUD, *RANGES.values())
EVERY, THINNED = 2, 4
NEEDED = (OURS, PAPER, SHOWN[-1], *RANGES.values(), ALONE, POINTS, FLOOR)
#: Columns of errors, in the paper's unit.
COLUMNS = ("same", "nearest", "surface")


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a replicate: new faces each."""
    count, replicates, draws = (8, 2, 2) if quick else (COUNT, REPLICATES, DRAWS)
    methods = [method.label for method in METHODS if not quick or method.label in NEEDED]
    return [
        {
            "replicate": i,
            "faces": count,
            "draws": draws,
            "data": folder_of_faces(data),
        }
        | {"methods": methods}
        for i in range(replicates)
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Errors of every method on the same faces."""
    sample = _sample(cell["data"], cell["faces"], int(rng.integers(2**31)))
    rows: list[Row] = []
    shapes = {MEAN: sample.curves.mean(axis=0), CLOUD: sample.vertices.mean(axis=0)}
    for method in (method for method in METHODS if method.label in cell["methods"]):
        errors, shown = _errors(method, sample, cell["draws"], int(rng.integers(2**31)))
        shapes[method.label] = shown[0]
        shapes |= {SMOOTH: shown[1]} if method.label == PAPER else {}
        kept = {"kind": "error", "replicate": cell["replicate"], "n": len(sample.curves)}
        rows.append({**kept, "method": method.label, "private": int(method.private), **errors})
    return rows + (_shapes(shapes) if cell["replicate"] == 0 else [])


def _sample(folder: str | None, count: int, seed: int) -> Sample:
    faces = faces_of(folder)
    drawn, template = faces.draw(count + 1, seed), faces.template
    road = Road(Recipe(registration="homologous"), template)
    vertices = np.stack([_registered(face, template) for face in drawn])
    curves = np.stack([road.curves(face) for face in drawn])
    return Sample(template, vertices[1:], curves[1:], vertices[0], curves[0])


def _registered(face: Surface, template: Template) -> Array:
    """Vertices of a face of area one, turned to the template's."""
    unit = smooth_rim(face, template.settings.rim_rounds).normalised()
    target = template.surface
    turn = best_motion(target.vertices, unit.vertices, target.vertex_areas).rotation
    return np.asarray(unit.vertices @ turn.T)


def _errors(
    method: Method, sample: Sample, draws: int, seed: int
) -> tuple[dict[str, float], list[Array]]:
    """Mean squared errors over draws: to the same point, the nearest, the surface; and smoothed.

    The first value and its smoothed mean, where there is one, come along for the pictures.
    """
    begun = time.process_time()
    values, smoothed = method.draw(sample, draws, seed)
    seconds = time.process_time() - begun
    plain = sample.vertices.mean(axis=0)
    target = sample.curves.mean(axis=0) if method.curves else plain
    faces = sample.template.surface.faces
    off = [nearest_and_surface(_closed(value), plain, faces) for value in values[:3]]
    near, on = np.mean(off, axis=0) / UNIT
    found = {"same": _mean_square(values - target), "nearest": float(near), "surface": float(on)}
    found["seconds"] = seconds / draws
    if smoothed is not None:
        found["smoothed"] = _mean_square(values - smoothed)
    return found, [values[0], *([] if smoothed is None else [smoothed])]


def _closed(points: Array) -> Array:
    """Points of a value; curves (23, 80, 3) are closed first, as in the paper: 1863 points."""
    rings = points.ndim == 3
    return np.concatenate([points, points[:, :1]], axis=1).reshape(-1, 3) if rings else points


def _mean_square(difference: Array) -> float:
    return float(np.mean(np.sum(difference**2, axis=-1))) / UNIT


def _shapes(shapes: dict[str, Array]) -> list[Row]:
    """Return points of the rings and of the clouds that are shown."""
    rings: list[Row] = [
        {"kind": "shape", "method": name, "ring": i, "x": x, "y": y, "z": z}
        for name in SHOWN
        for i, ring in enumerate(shapes[name])
        for x, y, z in ring[::EVERY].round(4).tolist()
    ]
    return rings + [
        {"kind": "cloud", "method": name, "x": x, "y": y, "z": z}
        for name in CLOUDS
        for x, y, z in shapes[name][::THINNED].round(4).tolist()
    ]


def judge(table: Table) -> Sequence[Claim]:
    """Judge Table 1 by the paper's own calibration, and by ones that are private."""
    return [_table(table), _halves(table), _to_smoothed(table), _abstract(table)]


def _of(table: Table, method: str, column: str) -> tuple[float, float]:
    return mean_and_error(table.where(kind="error", method=method).column(column))


def _table(table: Table) -> Claim:
    curves, error = _of(table, PAPER, "nearest")
    points = {mu: _of(table, name, "same")[0] for mu, name in RANGES.items()}
    wins = curves < min(points.values())
    alike = _of(table, RANGES[3], "nearest")[0]
    same = _of(table, PAPER, "same")[0]
    return Claim(
        "paper 4, Table 1",
        f"The mean from radial curves at mu = {MU} errs less ({STATED}) than point-wise means at"
        " mu = 2 and 3.",
        f"as calibrated in the paper (tau and ranges from the data, so not private): "
        f"{curves:.3g} (se {error:.2g}) against {points[2]:.3g} and {points[3]:.3g}. The first is "
        f"to the nearest point, the others to the same point; alike, at mu = 3: {curves:.3g} "
        f"against {alike:.3g} (nearest), {same:.3g} against {points[3]:.3g} (same)",
        verdict(wins),
        "reproduced if its error to the nearest point is below both point-wise errors",
        "" if wins else REASON,
    )


def _halves(table: Table) -> Claim:
    two, three = (_of(table, RANGES[mu], "same")[0] for mu in (2, 3))
    ratio = three / two
    near = 0.4 < ratio < 0.6
    return Claim(
        "paper 4, A.9",
        "The point-wise error at mu = 3 is nearly half of that at mu = 2.",
        f"{ratio:.3f} of it",
        verdict(near),
        "reproduced if between 0.4 and 0.6 (4/9 for noise alone)",
        "" if near else "there is more than noise in it",
    )


def _to_smoothed(table: Table) -> Claim:
    curves, error = _of(table, PAPER, "smoothed")
    points = _of(table, RANGES[3], "same")[0]
    wins = curves < points / 2
    return Claim(
        "paper 4, Table 1",
        "Against the smoothed mean the error is less than half of the point-wise one.",
        f"as calibrated in the paper: {curves:.3g} (se {error:.2g}) against {points:.3g} at mu = 3",
        verdict(wins),
        "reproduced if below half",
        "" if wins else REASON,
    )


def _abstract(table: Table) -> Claim:
    private = table.where(kind="error", private=1)
    ours, error = _of(table, OURS, "same")
    rivals = {
        str(name): _of(table, str(name), "same")
        for name in private.values("method")
        if not str(name).startswith(("ours", "template"))
    }
    best = min(rivals, key=lambda name: rivals[name][0])
    wins = all(ours + 2 * error < mean - 2 * se for mean, se in rivals.values())
    paper = _of(table, PAPER, "same")[0]
    alone = _of(table, ALONE, "same")[0]
    return Claim(
        "paper 4, abstract",
        "A mean of radial curves injects less noise than traditional methods at the same budget.",
        f"with public bounds alone, mu = {MU}: ours {ours:.3g} (se {error:.2g}); best of the "
        f"others {rivals[best][0]:.3g} ({best}), point-wise vertices "
        f"{rivals[POINTS][0]:.3g}; the template without data {alone:.3g}; the"
        f" paper's calibration {paper:.3g}",
        verdict(wins, better=wins and ours < paper),
        "reproduced if ours is two standard errors below every other private method; better if"
        " below the paper's own calibration too",
        "curves are measured from a public template, clipped jointly, with a kernel over all rings"
        if wins
        else "another private method does as well",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw the faces, and the errors of all methods."""
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(1, 1.2))[:, 0]
    shapes = table.where(kind="shape")
    for axes, name in zip(top.subplots(1, len(SHOWN)), SHOWN, strict=True):
        part = shapes.where(method=name)
        points = np.stack([part.column(c) for c in "xyz"], axis=1)
        rings = len(part.values("ring"))
        draw_surface(axes, curves_to_mesh(points.reshape(rings, -1, 3)))
        axes.collections[0].set_rasterized(True)
        axes.set_title(name, fontsize=6)
    axes = bottom.subplots()
    errors = table.where(kind="error")
    names = [str(name) for name in errors.values("method")]
    private = [bool(errors.where(method=name).rows[0]["private"]) for name in names]
    means = [float(np.mean(errors.where(method=name).column("same"))) for name in names]
    axes.barh(names, means, color=["C0" if p else "0.7" for p in private])
    axes.invert_yaxis()
    axes.tick_params(axis="y", labelsize=5)
    axes.set(xscale="log", xlabel="mean squared error, 1e-4 (grey: not private)")


STUDIES.register(
    "faces",
    Study(
        "faces",
        "paper 4, Table 1, Figures 4 to 6 and 8",
        "errors of private mean faces: ours, as calibrated in the paper, and stronger baselines",
        cells,
        measure,
        judge,
        draw,
        STAND_IN,
    ),
)
