"""Faces of the ICT model for studies: the mean plus 100 modes with standard normal weights."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import Template, make_template
from geomdp_papers.studies import face_data

DATA = Path(__file__).parents[2] / "../shared/data/ict_face_narrow.npz"


def read_model() -> dict[str, NDArray]:
    if not DATA.exists():
        raise SystemExit(f"This study needs the ICT face model in {DATA}.")
    with np.load(DATA) as arrays:
        return dict(arrays)


def model_template(model: dict[str, NDArray]) -> Template:
    """Mean of the model: public, and known before any face is drawn."""
    return make_template(Surface(model["mean"], model["faces_disk"]), int(model["nose_tip"]))


def draw_faces(
    model: dict[str, NDArray], count: int, seed: int, moved: bool = False
) -> list[Surface]:
    """Draw faces, ``moved`` by random rotations and scales if asked; vertices correspond."""
    rng = np.random.default_rng(seed)
    weights = rng.standard_normal((count, len(model["modes"])))
    shapes = model["mean"] + np.tensordot(weights, model["modes"], 1)
    faces = [Surface(s, model["faces_disk"], f"ICT face {i}") for i, s in enumerate(shapes)]
    return [face_data.moved(face, rng) for face in faces] if moved else faces


def millimetres(model: dict[str, NDArray]) -> float:
    """Millimetres of one unit of length where the mean face has area one."""
    return 10 * float(np.sqrt(Surface(model["mean"], model["faces_disk"]).area))


def coarse_mesh(
    vertices: NDArray, faces: NDArray, first: int, count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Choose vertices far apart along the edges, and the triangles between their neighbourhoods."""
    from scipy.sparse import coo_matrix
    from scipy.sparse.csgraph import dijkstra

    ends = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    lengths = np.linalg.norm(vertices[ends[:, 0]] - vertices[ends[:, 1]], axis=1)
    graph = coo_matrix((lengths, ends.T), shape=(len(vertices),) * 2).tocsr()
    chosen, nearest = [first], np.zeros(len(vertices), dtype=np.intp)
    distance = dijkstra(graph, directed=False, indices=first)
    for number in range(1, count):
        chosen.append(int(np.argmax(distance)))
        new = dijkstra(graph, directed=False, indices=chosen[-1])
        nearest[new < distance] = number
        distance = np.minimum(distance, new)
    between = np.sort(nearest[faces], axis=1)
    apart = (between[:, 0] < between[:, 1]) & (between[:, 1] < between[:, 2])
    return np.array(chosen), np.unique(between[apart], axis=0)
