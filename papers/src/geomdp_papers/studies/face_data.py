"""Faces for the studies of paper 4: of a model or a folder of meshes, else made by the package.

A folder of further data holds either the file ``ict_face_narrow.npz`` of a face model (``mean``,
``modes``, ``faces_disk``, ``nose_tip``; modes weigh standard normal), or meshes in vertex
correspondence with a public ``template`` among them (template.ply and so on).
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np

from geomdp.errors import GeomdpError
from geomdp.surfaces.disk.center import MOST_PROTRUDING, center_vertex
from geomdp.surfaces.mesh.meshio import READABLE, read_surface
from geomdp.surfaces.mesh.procedural import procedural_face, template_face
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import require_disk
from geomdp.surfaces.registration.srnf import kabsch
from geomdp.surfaces.template import Template, make_template

MODEL = "ict_face_narrow.npz"
STAND_IN = (
    "the paper's scans cannot be had: faces of the ICT model (or a folder of meshes) stand for them"
    " with --data, and without it surfaces made by the package that resemble nobody"
)


@dataclass(frozen=True, eq=False)
class Faces:
    """A public template, and faces in vertex correspondence with it.

    Attributes
    ----------
    surface
        The template, known before any face is drawn.
    nose
        Its vertex at the tip of the nose.
    draw
        ``draw(count, seed)``: so many faces, or all there are.
    """

    surface: Surface
    nose: int
    draw: Callable[[int, int], list[Surface]]

    @cached_property
    def template(self) -> Template:
        """The template with its disk map."""
        return make_template(self.surface, self.nose)


def folder_of_faces(data: Path | None) -> str | None:
    """Name the folder of further data, if it holds faces.

    >>> folder_of_faces(None)
    """
    if data is None or not ((data / MODEL).is_file() or _template_in(data)):
        return None
    return str(data)


@cache
def faces_of(folder: str | None) -> Faces:
    """Faces of a folder of further data, or the package's own where there is none.

    >>> faces_of(None).surface.vertices.shape
    (7100, 3)
    """
    if folder is None:
        return _with_rule(template_face(), lambda n, seed: [_made(seed, i) for i in range(n)])
    if (Path(folder) / MODEL).is_file():
        return _of_model(Path(folder) / MODEL)
    return _of_meshes(Path(folder))


def moved(face: Surface, rng: np.random.Generator) -> Surface:
    """Return a face in a random position, orientation and size: what a scanner would give."""
    turned = face.vertices @ kabsch(rng.normal(size=(3, 3))).T
    return Surface(rng.uniform(0.5, 2) * turned, face.faces, face.name)


def _made(seed: int, number: int) -> Surface:
    return procedural_face(1000 * seed + number)


def _with_rule(template: Surface, draw: Callable[[int, int], list[Surface]]) -> Faces:
    nose = center_vertex(template, MOST_PROTRUDING, require_disk(template))
    return Faces(template, int(nose), draw)


def _of_model(path: Path) -> Faces:
    with np.load(path) as arrays:
        mean, modes, faces = arrays["mean"], arrays["modes"], arrays["faces_disk"]
        nose = int(arrays["nose_tip"])

    def draw(count: int, seed: int) -> list[Surface]:
        weights = np.random.default_rng(seed).standard_normal((count, len(modes)))
        shapes = mean + np.tensordot(weights, modes, 1)
        return [Surface(shape, faces, f"ICT face {i}") for i, shape in enumerate(shapes)]

    return Faces(Surface(mean, faces, "mean of the ICT model"), nose, draw)


def _template_in(folder: Path) -> Path | None:
    """Return the mesh called template, if there is one."""
    return next((file for file in _meshes_in(folder) if file.stem == "template"), None)


def _meshes_in(folder: Path) -> list[Path]:
    return sorted(file for file in folder.iterdir() if file.suffix.lower() in READABLE)


def _of_meshes(folder: Path) -> Faces:
    template = _template_in(folder)
    if template is None:
        raise GeomdpError(f"There is neither {MODEL} nor a mesh called template in {folder}.")
    records = [file for file in _meshes_in(folder) if file != template]

    def draw(count: int, seed: int) -> list[Surface]:
        chosen = np.random.default_rng(seed).permutation(len(records))[:count]
        return [read_surface(records[i]) for i in chosen]

    return _with_rule(read_surface(template), draw)
