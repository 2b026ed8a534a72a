"""Paper 4, Figures 2, 3 and 9: radial curves of one face, and of a hundred."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.curves.radial import curves_to_mesh
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.registration.matching import RegistrationMethod
from geomdp.typing import Array
from geomdp_papers.studies.face_data import STAND_IN, Faces, faces_of, folder_of_faces, moved
from geomdp_papers.studies.face_pictures import draw_cloud, draw_curves, draw_rings, points_of
from geomdp_papers.studies.pictures import COLORS, MARKERS, ticks_at
from geomdp_papers.studies.study import NOT_TESTED, STUDIES, Cell, Claim, Study, told, untested
from geomdp_papers.studies.table import Row, Table, mean_and_error

#: Numbers of rings: the paper shows 16, 27 and 80, and uses 23.
RINGS = (8, 16, 23, 27, 40, 80)
USED, POINTS = 23, 80
#: Numbers of curves that Figure 3 shows, and every so many vertices of Figure 2's cloud.
PICTURED, THINNED = (16, 27, 80), 4
FACES, BLOCK = 100, 10
#: The ring that is shown, and every so many of its points.
RING, EVERY = 11, 2
#: Without and with the diffeomorphism of the disk.
REGISTRATIONS: tuple[RegistrationMethod, ...] = ("similarity", "elastic")
COORDINATES = ("x", "y", "z")
STAND_IN_WORDS = "faces of the ICT model"
#: Millimetres of one unit-area length on a face of 400 square centimetres.
MILLIMETRES = 200


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a number of rings, and one a block of faces."""
    folder, rings = folder_of_faces(data), sorted((*PICTURED, USED)) if quick else RINGS
    blocks, block = (1, 3) if quick else (FACES // BLOCK, BLOCK)
    return [
        *({"rings": count, "data": folder} for count in rings),
        *({"block": i, "faces": block, "data": folder} for i in range(blocks)),
    ]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """How well rings rebuild a face; or the curves of some faces, registered in two ways."""
    faces = faces_of(cell["data"])
    if "rings" in cell:
        return [_rebuilt(faces, cell["rings"]), *_pictured(faces, cell["rings"])]
    # Each in a random position, orientation and size, with the tip of the nose as a landmark.
    drawn = faces.draw(cell["faces"], int(rng.integers(2**31)))
    known = Road(Recipe(USED, POINTS, registration="homologous"), faces.template)
    truths, scans = [known.curves(face) for face in drawn], [moved(face, rng) for face in drawn]
    rows: list[Row] = []
    for registration in REGISTRATIONS:
        road = Road(Recipe(USED, POINTS, registration=registration), faces.template)
        for i, (scan, truth) in enumerate(zip(scans, truths, strict=True)):
            try:
                curves = road.curves(scan, faces.nose)
            except InvalidRecordError:
                curves = road.template_curves  # as in a release
            rows += _of_face(cell["block"] * cell["faces"] + i, registration, curves, truth)
    return rows


def _rebuilt(faces: Faces, rings: int) -> Row:
    """Return distances from the template's vertices to the mesh that its curves make."""
    from scipy.spatial import cKDTree

    road = Road(Recipe(rings, POINTS, registration="none"), faces.template)
    mesh = curves_to_mesh(road.template_curves)
    corners = mesh.vertices[mesh.faces]
    weights = np.array([(a, b, 4 - a - b) for a in range(5) for b in range(5 - a)]) / 4
    cloud = np.einsum("kc,fcx->fkx", weights, corners).reshape(-1, 3)
    vertices = faces.template.surface.vertices
    nearest = corners[cKDTree(cloud).query(vertices)[1] // len(weights)]
    normal = np.cross(nearest[:, 1] - nearest[:, 0], nearest[:, 2] - nearest[:, 0])
    normal /= np.linalg.norm(normal, axis=1, keepdims=True)
    distance = np.abs(np.sum((vertices - nearest[:, 0]) * normal, axis=1))
    median, ninety = np.quantile(distance, (0.5, 0.9))
    return {"kind": "rings", "rings": rings, "median": float(median), "90%": float(ninety)}


def _pictured(faces: Faces, rings: int) -> list[Row]:
    """Points of the template's curves for the panels of Figure 3, and its cloud for Figure 2."""
    if rings not in (*PICTURED, USED):
        return []
    curves = Road(Recipe(rings, POINTS, registration="none"), faces.template).template_curves
    shown: list[Row] = [
        {"kind": "picture", "rings": rings, "ring": i, "x": x, "y": y, "z": z}
        for i, ring in enumerate(curves)
        for x, y, z in ring[::EVERY].round(4).tolist()
    ]
    cloud = faces.template.surface.vertices[::THINNED].round(4).tolist() if rings == USED else []
    return shown + [{"kind": "cloud", "x": x, "y": y, "z": z} for x, y, z in cloud]


def _of_face(number: int, registration: str, curves: Array, truth: Array) -> list[Row]:
    off = curves - truth
    waves = np.abs(np.fft.rfft(curves, axis=1)[:, 1:]) ** 2
    shares = np.mean(waves[:, 0] / waves.sum(axis=1), axis=0)
    kept: dict[str, str | int | float] = {"face": number, "registration": registration}
    named = {f"wave {name}": float(share) for name, share in zip(COORDINATES, shares, strict=True)}
    distance = float(np.sqrt(np.mean(np.sum(off**2, axis=-1))))
    rows: list[Row] = [{"kind": "face", **kept, **named, "distance": distance}]
    if registration != "elastic":
        return rows
    shown = curves[RING].round(4).tolist()
    return rows + [
        {"kind": "curve", "face": number, "point": j, **dict(zip(COORDINATES, at, strict=True))}
        for j, at in enumerate(shown)
        if j % EVERY == 0
    ]


def judge(table: Table) -> Sequence[Claim]:
    """Judge the shape of the coordinate curves, the number of rings, and the alignment."""
    return [_sines(table), _rings(table), _aligned(table)]


def _sines(table: Table) -> Claim:
    part = table.where(kind="face", registration="elastic")
    x, y, z = (float(np.mean(part.column(f"wave {name}"))) for name in COORDINATES)
    holds = min(x, y) > 0.9 and z < min(x, y)
    return Claim(
        "paper 4, section 5",
        "x and y of a radial curve are roughly one period of a sine; z holds the features.",
        f"share of the first wave: x {x:.3f}, y {y:.3f}, z {z:.3f}",
        NOT_TESTED,
        "holds if the first wave holds nine tenths of x and of y, and less of z",
        untested(holds, STAND_IN_WORDS),
    )


def _rings(table: Table) -> Claim:
    part = table.where(kind="rings")
    rings, median = part.column("rings"), part.column("median")
    at = float(median[rings == USED][0])
    enough = at < 1e-3 and bool(np.all(np.diff(part.column("90%")) < 0))
    told = ", ".join(
        f"{row['rings']}: {MILLIMETRES * float(row['median']):.2f} "
        f"({MILLIMETRES * float(row['90%']):.2f})"
        for row in part.rows
    )
    return Claim(
        "paper 4, section 5 and Figure 3",
        "More curves add definition, but few hold the face: 23 are used.",
        "median (and 90% quantile) of the distance to the face, in mm if it has 400 square cm, by"
        f" number of curves: {told}",
        NOT_TESTED,
        "holds if distances fall with the number, and 23 come within a thousandth of the root of "
        "the area",
        untested(enough, STAND_IN_WORDS),
    )


def _aligned(table: Table) -> Claim:
    before, after = (
        table.where(kind="face", registration=name).column("distance") for name in REGISTRATIONS
    )
    gain, error = mean_and_error(before - after)
    holds = gain > 2 * error
    return Claim(
        "paper 4, A.9 and Figure 9",
        "Registration aligns the curves across individuals.",
        f"distance from the points that truly correspond: {before.mean():.4f} after rotation and "
        f"turn of the disk, {after.mean():.4f} after elastic registration (gain {gain:.4f}, se "
        f"{error:.4f}) on {len(after)} faces",
        NOT_TESTED,
        "holds if the distance falls by more than two standard errors",
        untested(holds, STAND_IN_WORDS),
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw the face as cloud, curves and surfaces, coordinate curves, and distances over J."""
    figure.set_size_inches(8.5, 8.0)
    faces, one, many = figure.subfigures(3, 1, squeeze=False, height_ratios=(1.2, 0.9, 0.9))[:, 0]
    panels = faces.subplots(1, 5)
    draw_cloud(panels[0], points_of(table.where(kind="cloud")))
    panels[0].set_title("Figure 2: points", fontsize=8)
    used = table.where(kind="picture", rings=USED)
    draw_rings(panels[1], used)
    draw_curves(panels[1], used)
    panels[1].set_title(f"Figure 2: {USED} curves", fontsize=8)
    for axes, rings in zip(panels[2:], PICTURED, strict=True):
        draw_rings(axes, table.where(kind="picture", rings=rings))
        axes.set_title(f"Figure 3: {rings} curves", fontsize=8)
    _draw_one(one, used)
    _draw_many(many, table)


def _draw_one(part: Any, used: Table) -> None:
    """Draw the coordinates of one curve of one face."""
    ring = points_of(used.where(ring=RING))
    at = np.arange(len(ring)) / len(ring)
    part.suptitle(f"Figure 3, right: curve {RING + 1} of {USED} of one face", fontsize=8)
    for axes, name, values in zip(part.subplots(1, 3), COORDINATES, ring.T, strict=True):
        axes.plot(at, values)
        axes.set(xlabel="angle / 2 pi", ylabel=f"{name}, unit-area lengths")


def _draw_many(part: Any, table: Table) -> None:
    """Draw the coordinates of one curve of all faces, and distances over the number of curves."""
    *panels, rings = part.subplots(1, 4)
    curves = table.where(kind="curve")
    shown = curves.values("face")
    part.suptitle(f"Figure 9: curve {RING + 1} of {USED} of {len(shown)} faces", fontsize=8, x=0.38)
    for axes, name in zip(panels, COORDINATES, strict=True):
        for face in shown:
            own = curves.where(face=face)
            at = own.column("point") / POINTS
            axes.plot(at, own.column(name), lw=0.4, alpha=0.5, color=COLORS[0], rasterized=True)
        axes.set(xlabel="angle / 2 pi", ylabel=f"{name}, unit-area lengths")
    found = table.where(kind="rings")
    for i, name in enumerate(("median", "90%")):
        y = MILLIMETRES * found.column(name)
        rings.plot(found.column("rings"), y, marker=MARKERS[i], color=COLORS[i], label=name)
    rings.set(xscale="log", yscale="log", xlabel="number of curves", ylabel="distance, mm")
    ticks_at(rings, found.column("rings"))
    rings.legend(loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2, fontsize=7)


STUDIES.register(
    "face-curves",
    Study(
        "face-curves",
        "paper 4, Figures 2, 3 and 9",
        "radial curves of a face by their number, and of a hundred faces",
        cells,
        measure,
        judge,
        draw,
        STAND_IN,
        told(
            f"{FACES} faces",
            "none",
            "none: no noise",
            "once",
            "ICT faces, moved, turned and scaled at random; nose known",
            "none",
        ),
    ),
)
