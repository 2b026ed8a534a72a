"""Paper 4, Figures 2, 3 and 9: radial curves of one face, and of a hundred."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.curves.radial import curves_to_mesh
from geomdp.surfaces.curves.road import Recipe, Road
from geomdp.surfaces.registration.matching import RegistrationMethod
from geomdp.typing import Array
from geomdp_papers.studies.face_data import STAND_IN, Faces, faces_of, folder_of_faces, moved
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, verdict
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
#: Millimetres of one unit-area length on a face of 400 square centimetres.
MILLIMETRES = 200


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a number of rings, and one a block of faces."""
    folder, rings = folder_of_faces(data), RINGS[::2] if quick else RINGS
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
        verdict(holds),
        "reproduced if the first wave holds nine tenths of x and of y, and less of z",
        "" if holds else "the rings of these surfaces are not round",
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
        verdict(enough),
        "reproduced if distances fall with the number, and 23 come within a thousandth of the root"
        " of the area",
        "" if enough else "these surfaces have finer features",
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
        verdict(holds),
        "reproduced if the distance falls by more than two standard errors",
        "" if holds else "these faces are aligned before",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw the coordinate curves of one ring for all faces, and the distances over J."""
    *panels, rings = figure.subplots(1, 4)
    curves = table.where(kind="curve")
    for axes, name in zip(panels, COORDINATES, strict=True):
        for face in curves.values("face"):
            part = curves.where(face=face)
            at = part.column("point") / POINTS
            axes.plot(at, part.column(name), lw=0.4, alpha=0.5, color="C0", rasterized=True)
        axes.set(title=name, xlabel="angle / 2 pi")
    panels[0].set_ylabel(f"curve {RING + 1} of {USED}")
    found = table.where(kind="rings")
    for name in ("median", "90%"):
        rings.plot(found.column("rings"), MILLIMETRES * found.column(name), "o-", label=name)
    rings.set(xscale="log", yscale="log", xlabel="curves", title="distance, mm")
    counts = [int(count) for count in found.column("rings")]
    rings.set_xticks(counts, [str(count) for count in counts], fontsize=6)
    rings.minorticks_off()
    rings.legend(fontsize=7)


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
    ),
)
