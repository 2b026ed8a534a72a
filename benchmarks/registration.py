"""Elastic registration of ICT faces under random rotation and scale.

Run ``python benchmarks/registration.py 30``; needs ``../shared/data/ict_face_narrow.npz``. Reports
the energy, the smallest Jacobian, the distance in millimetres between the point that registration
gives to a template vertex and the vertex that truly corresponds to it (all vertices, mean), and
processor seconds a face with one BLAS thread.
"""

import sys
import time
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.disk_map import conformal_map
from geomdp.surfaces.registration import Registration, register
from geomdp.surfaces.rim import smooth_rim
from geomdp.surfaces.rotation import kabsch
from geomdp.surfaces.sampling import sample
from geomdp.surfaces.surface import Surface
from geomdp.surfaces.template import Template, make_template

DATA = Path(__file__).parents[1] / "../shared/data/ict_face_narrow.npz"
COLUMNS = ("E before", "E after", "min J", "mm before", "mm after", "s map", "s register")


def random_face(data: dict[str, NDArray], rng: np.random.Generator) -> tuple[Surface, float]:
    """Draw a face in random position, with the millimetres that one unit of area one stands for."""
    shape = data["mean"] + np.tensordot(rng.normal(size=100), data["modes"], 1)
    millimetres = 10 * np.sqrt(Surface(shape, data["faces_disk"]).area)
    rotation = kabsch(rng.normal(size=(3, 3)))
    return Surface(rng.uniform(0.5, 2) * shape @ rotation.T, data["faces_disk"]), millimetres


def correspondence(surface: Surface, z: NDArray, target: NDArray) -> float:
    """Mean distance between the surface at disk points ``target`` and its own vertices."""
    gap = sample(surface, z, target) - surface.vertices
    return float(np.linalg.norm(gap, axis=1).mean())


def measure(data: dict[str, NDArray], template: Template, rng: np.random.Generator) -> list[float]:
    face, millimetres = random_face(data, rng)
    start = time.process_time()
    z = conformal_map(smooth_rim(face), int(data["nose_tip"])).z
    mapped = time.process_time()
    found: Registration = register(face, template, z=z)
    done = time.process_time()
    turn = np.exp(-1j * found.turn)
    return [
        found.energy_before,
        found.energy_after,
        found.min_jacobian,
        millimetres * correspondence(found.surface, z * turn, template.z),
        millimetres * correspondence(found.surface, found.z, template.z),
        mapped - start,
        done - mapped,
    ]


def main(count: int = 30) -> None:
    if not DATA.exists():
        print("needs the ICT face model beside the checkout, in ../shared/data")
        return
    data = dict(np.load(DATA))
    template = make_template(Surface(data["mean"], data["faces_disk"]), int(data["nose_tip"]))
    rng = np.random.default_rng(2024)
    results, failures = [], []
    with threadpool_limits(1):
        for _ in range(count):
            try:
                results.append(measure(data, template, rng))
            except InvalidRecordError as problem:
                failures.append(str(problem))
    rows = np.array(results)
    print(f"{count} faces" + "".join(f"{name:>12}" for name in COLUMNS))
    for label, values in (("mean", rows.mean(0)), ("min", rows.min(0)), ("max", rows.max(0))):
        print(f"{label:<8}" + "".join(f"{value:12.4f}" for value in values))
    before, after = rows[:, 3], rows[:, 4]
    print(f"failed: {failures or 'none'}")
    print(f"energy lower on {np.mean(rows[:, 1] < rows[:, 0]):.0%} of the faces")
    print(f"correspondence better by {1 - after.mean() / before.mean():.0%} on average,")
    print(f"at worst by {np.min(1 - after / before):.0%} on one face")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
