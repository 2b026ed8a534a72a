"""Processor seconds a face on one BLAS thread, from mesh to registered curves, stage by stage.

Run ``python -m papers.benchmarks.faces_speed --faces 10 --repeats 3``; needs ``../shared/data``.
Each face is timed ``--repeats`` times and its smallest time counts, since other work on the machine
can only add to it. ``--split 2`` cuts every triangle in four, twice: some 106,000 vertices a face.
"""

import argparse
import time
from collections.abc import Callable
from typing import TypeVar

import numpy as np
from papers.benchmarks.ict import DATA, draw_faces, model_template, read_model

from geomdp.runtime.threads import one_blas_thread
from geomdp.surfaces import SurfaceMean, register
from geomdp.surfaces.disk.mapping import conformal_map
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.mesh.repair import split_triangles
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import smooth_rim

SEED = 77
T = TypeVar("T")


def seconds(work: Callable[[], T], repeats: int) -> tuple[float, T]:
    """Smallest processor time of ``repeats`` runs, and the result."""
    best = np.inf
    for _ in range(repeats):
        start = time.process_time()
        result = work()
        best = min(best, time.process_time() - start)
    return best, result


def stages(mean: SurfaceMean, face: Surface, nose: int, repeats: int) -> list[float]:
    """Seconds of the disk map, its interpolant, the registration that holds both, and the whole."""
    unit = smooth_rim(face).normalised()
    mapped, disk = seconds(lambda: conformal_map(unit, nose, sharp=False), repeats)
    woven, _ = seconds(lambda: DiskInterpolant(unit, disk.z, quick=True), repeats)
    registered, _ = seconds(lambda: register(face, mean.template, center=nose), repeats)
    whole, _ = seconds(lambda: mean.road.curves(face, nose), repeats)
    return [mapped, woven, registered, whole]


def finer(face: Surface, rounds: int) -> Surface:
    """Cut every triangle in four, so many times."""
    for _ in range(rounds):
        face = split_triangles(face, np.ones(len(face.faces), dtype=bool))
    return face


def main(count: int = 4, repeats: int = 2, split: int = 0) -> None:
    if not DATA.exists():
        print("needs the ICT face model beside the checkout, in ../shared/data")
        return
    model = read_model()
    mean, nose = SurfaceMean(model_template(model)), int(model["nose_tip"])
    faces = [finer(face, split) for face in draw_faces(model, count, SEED, moved=True)]
    print(f"{count} faces of {len(faces[0].vertices)} vertices, smallest of {repeats} times")
    with one_blas_thread():
        mean.road.curves(faces[0], nose)  # what all faces share is not counted
        times = np.array([stages(mean, face, nose, repeats) for face in faces])
    error = times.std(axis=0) / np.sqrt(count)
    for name, value, off in zip(
        ("disk map", "interpolant", "registration", "whole"), times.mean(axis=0), error, strict=True
    ):
        print(f"{name:>12}: {value:.3f} ± {off:.3f} processor seconds a face")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=int, default=10)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--split", type=int, default=0)
    chosen = parser.parse_args()
    main(chosen.faces, chosen.repeats, chosen.split)
