"""Paper 4, Figures 1 and 7: disk maps of faces, before and after the centre moves to the nose."""

import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from matplotlib.figure import Figure
from numpy.random import Generator
from scipy.spatial import Delaunay

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.disk.mapping import angle_error, conformal_map, flipped_triangles, move_center
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk, smooth_rim
from geomdp.surfaces.registration.matching import register
from geomdp.surfaces.template import Template
from geomdp.typing import Array
from geomdp_papers.disk.choi_lui import choi_lui_map
from geomdp_papers.studies.face_data import STAND_IN, faces_of, folder_of_faces
from geomdp_papers.studies.face_pictures import points_of
from geomdp_papers.studies.pictures import COLORS
from geomdp_papers.studies.study import STUDIES, Cell, Claim, Study, told, verdict
from geomdp_papers.studies.table import Row, Table, mean_and_error

T = TypeVar("T")
FACES = 40
OURS, THEIRS = "harmonic measure", "Choi and Lui"
OFF, MOVED = "off the nose", "moved to the nose"
#: Distance from the nose, on the disk about it, of the first map's centre; the paper's lay in a
#: nostril.
AWAY = 0.3
#: Every so many vertices, and the rim, are in the table with their places, for the figure.
SHOWN = 4
#: Seconds a face that the paper states for its own programs and machine.
PAPER_MAP, PAPER_REGISTRATION = 20.0, 180.0
#: Energy of a face that cannot be registered at all: twice the area, as if nothing overlapped.
FAILED = 2.0


def cells(quick: bool, data: Path | None) -> list[Cell]:
    """One cell a face."""
    return [{"face": i, "data": folder_of_faces(data)} for i in range(2 if quick else FACES)]


def measure(cell: Cell, rng: Generator) -> list[Row]:
    """Map a face about its nose, about another point, and move that; then register it from both."""
    faces, number = faces_of(cell["data"]), cell["face"]
    surface = smooth_rim(faces.draw(1, int(rng.integers(2**31)))[0])
    rows: list[Row] = []
    maps = {name: timed(partial(make, surface, faces.nose)) for name, make in METHODS.items()}
    for name, (z, seconds) in maps.items():
        rows.append(_row(number, name, surface, z) | {"seconds": seconds})
    first = maps[OURS][0]
    start = AWAY * np.exp(2j * np.pi * rng.uniform())
    off = conformal_map(surface, int(np.argmin(np.abs(first - start)))).z
    moved, seconds = timed(lambda: move_center(off, faces.nose))
    turned = moved * np.exp(-1j * np.angle(np.vdot(first, moved)))
    apart = float(np.max(np.abs(turned - first)))
    rows.append(_row(number, OFF, surface, off))
    rows.append(_row(number, MOVED, surface, moved) | {"seconds": seconds, "apart": apart})
    rows += [
        _registered(number, name, surface, z, faces.template)
        for name, z in (("nose", first), (OFF, off))
    ]
    return [*rows, *(_places(surface.normalised(), off, first) if number == 0 else [])]


def _harmonic(surface: Surface, nose: int) -> Array:
    return conformal_map(surface, nose).z


def _choi_lui(surface: Surface, nose: int) -> Array:
    """Map by the paper's method, whether or not a triangle is flipped."""
    return move_center(choi_lui_map(surface, nose, require_disk(surface)), nose)


METHODS = {OURS: _harmonic, THEIRS: _choi_lui}


def timed(make: Callable[[], T]) -> tuple[T, float]:
    """Return what is made, and processor seconds.

    >>> timed(lambda: 2)[0]
    2
    """
    begun = time.process_time()
    made = make()
    return made, time.process_time() - begun


def _row(number: int, name: str, surface: Surface, z: Array) -> dict[str, str | int | float]:
    angles, flips = float(angle_error(surface, z)), flipped_triangles(z, surface.faces)
    return {"kind": "map", "face": number, "map": name, "degrees": angles, "flips": flips}


def _registered(number: int, name: str, surface: Surface, z: Array, template: Template) -> Row:
    begun = time.process_time()
    try:
        energy = register(surface, template, z=z).energy_after
    except InvalidRecordError:
        energy = FAILED
    seconds = time.process_time() - begun
    found = {"energy": energy, "seconds": seconds}
    return {"kind": "registration", "face": number, "map": name, **found}


def _places(surface: Surface, off: Array, nose: Array) -> list[Row]:
    """Where vertices lie in space and on the disk, before and after; the rim's are all there."""
    kept = np.union1d(np.arange(0, len(surface.vertices), SHOWN), require_disk(surface))
    points, away, about = (at[kept].round(4).tolist() for at in (surface.vertices, off, nose))
    return [
        {"kind": "place", "x": x, "y": y, "z": z}
        | {"off u": a.real, "off v": a.imag, "nose u": b.real, "nose v": b.imag}
        for (x, y, z), a, b in zip(points, away, about, strict=True)
    ]


def judge(table: Table) -> Sequence[Claim]:
    """Judge angles, the move of the centre, what it spares, and time."""
    return [_angles(table), _move(table), _spares(table), _seconds(table)]


def _angles(table: Table) -> Claim:
    part = table.where(kind="map", map=OURS)
    theirs = table.where(kind="map", map=THEIRS)
    degrees, flips = part.column("degrees"), int(part.column("flips").sum())
    keeps = bool(np.all(degrees < 5)) and flips == 0
    return Claim(
        "paper 4, section 2.1",
        "A disk conformal map preserves the angles of the triangles.",
        f"mean angle error {degrees.mean():.2f} degrees (largest of a face {degrees.max():.2f}), "
        f"{flips} flipped triangles; by Choi and Lui's method, which the paper used, "
        f"{theirs.column('degrees').mean():.2f} degrees and {int(theirs.column('flips').sum())} "
        "flipped",
        verdict(keeps),
        "reproduced if no triangle is flipped and no face errs by 5 degrees",
        "" if keeps else "the mesh is too rough",
    )


def _move(table: Table) -> Claim:
    moved, direct = (table.where(kind="map", map=name) for name in (MOVED, OURS))
    apart = moved.column("apart")
    worse = float(np.max(moved.column("degrees") - direct.column("degrees")))
    share = float(np.max(moved.column("seconds") / direct.column("seconds")))
    holds = bool(np.all(apart < 0.01)) and worse < 0.1 and share < 0.05
    return Claim(
        "paper 4, A.7",
        "A Möbius transformation moves the centre to the nose and costs effectively no time.",
        f"it comes within {apart.max():.4f} of the map made about the nose, with angles worse by "
        f"{worse:.3f} degrees at most, in {share:.2%} of the time of a map",
        verdict(holds),
        "reproduced if both maps agree to 0.01, angles to 0.1 degrees, and it takes less than 5% of"
        " the time of a map",
        "" if holds else "the two maps are not conformal to each other",
    )


def _spares(table: Table) -> Claim:
    nose, off = (table.where(kind="registration", map=name) for name in ("nose", OFF))
    gain, error = mean_and_error(off.column("seconds") - nose.column("seconds"))
    faster = gain > 2 * error
    return Claim(
        "paper 4, A.3 and A.7",
        "Registration from a disk centred at the nose is much faster: there is less to search.",
        f"{nose.column('seconds').mean():.2f} s from the nose, {off.column('seconds').mean():.2f} s"
        f" from a point {AWAY} away (gain {gain:.3f}, se {error:.3f}, CPU seconds of one core, on "
        f"{len(nose.rows)} faces); energy left {nose.column('energy').mean():.3f} and "
        f"{off.column('energy').mean():.3f}, since our diffeomorphisms keep the centre",
        verdict(faster),
        "reproduced if it is faster from the nose by two standard errors; the paper does not say "
        "by how much",
        ""
        if faster
        else "our search stops as soon from the other centre, but with more energy left",
    )


def _seconds(table: Table) -> Claim:
    mapping, error = mean_and_error(table.where(kind="map", map=OURS).column("seconds"))
    fitting, spread = mean_and_error(table.where(kind="registration", map="nose").column("seconds"))
    faster = mapping < PAPER_MAP and fitting < PAPER_REGISTRATION
    return Claim(
        "paper 4, A.2",
        "A face takes about 20 seconds to parameterise and upwards of 3 minutes to register.",
        f"{mapping:.2f} s (se {error:.2f}) and {fitting:.2f} s (se {spread:.2f}) of one processor,"
        " another than the paper's",
        verdict(faster, better=faster),
        "better if both take less processor time; differs if not",
        "one sparse factorisation, and Levenberg-Marquardt in place of gradient descent"
        if faster
        else "slower here",
    )


def draw(figure: Figure, table: Table) -> None:
    """Draw the mesh, both disk maps and what they make of the face, and the angle errors."""
    figure.set_size_inches(8.5, 6.5)
    top, bottom = figure.subfigures(2, 1, squeeze=False, height_ratios=(2, 1))[:, 0]
    mesh, disks, faces = np.moveaxis(np.array(top.subplots(2, 3)), 1, 0)
    part = table.where(kind="place")
    points = points_of(part)
    places = {name: points_of(part, (f"{name} u", f"{name} v")) for name in ("off", "nose")}
    triangles = Delaunay(places["nose"]).simplices
    _draw_mesh(mesh[0], points[:, :2], triangles)
    mesh[0].set_title("Figures 1 and 7: the mesh, thinned", fontsize=8)
    mesh[1].axis("off")
    titles = {"off": "disk centred off the nose", "nose": "centred at the nose"}
    for i, name in enumerate(titles):
        _draw_mesh(disks[i], places[name], triangles)
        disks[i].plot(0, 0, "+", color=COLORS[1], ms=9, mew=2)
        disks[i].set_title(f"Figure 7: {titles[name]}", fontsize=8)
        radius = np.linalg.norm(places[name], axis=1)
        faces[i].tricontourf(points[:, 0], points[:, 1], triangles, radius, 12, cmap="viridis")
        faces[i].set_aspect("equal")
        faces[i].axis("off")
        faces[i].set_title("the face: colour is the radius on the disk", fontsize=8)
    maps = table.where(kind="map")
    names = [str(name) for name in maps.values("map")]
    errors = bottom.subplots()
    errors.boxplot(
        [maps.where(map=name).column("degrees") for name in names], orientation="horizontal"
    )
    errors.set_yticks(range(1, len(names) + 1), names)
    count = len(maps.values("face"))
    errors.set(xlabel=f"mean angle error of a face, degrees ({count} faces)")


def _draw_mesh(axes: Any, places: Array, triangles: Array) -> None:
    axes.triplot(places[:, 0], places[:, 1], triangles, color="0.4", lw=0.25, rasterized=True)
    axes.set_aspect("equal")
    axes.axis("off")


STUDIES.register(
    "disk-maps",
    Study(
        "disk-maps",
        "paper 4, Figures 1 and 7",
        "disk maps of faces before and after the centre moves to the nose, and what that spares",
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
            "ICT faces of some 6,700 vertices",
            "none",
        ),
    ),
)
