"""Elastic registration of ICT faces: energy, smallest Jacobian, true correspondence, and beta.

Run ``python -m papers.benchmarks.registration``; needs ``../shared/data``. Faces come in random
position, orientation and size, with the tip of the nose as a landmark. Correspondence is the
distance in millimetres, mean over all vertices, between the point that registration gives to a
vertex of the template and the vertex that truly corresponds to it. A second table has other weights
``beta`` of smoothness on fewer faces. Seconds are in ``papers.benchmarks.faces_speed``.
"""

import argparse
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from papers.benchmarks.ict import draw_faces, millimetres, model_template, read_model

from geomdp.runtime.threads import one_blas_thread
from geomdp.surfaces import Surface, Template, make_template, register
from geomdp.surfaces.template import RegistrationSettings

SEED, FEWER = 2024, 8
BETAS = (0.1, 0.03, 0.01, 0.001)
COLUMNS = ("E before", "E after", "mm before", "mm after", "smallest J")


def measure(face: Surface, template: Template, nose: int, unit: float) -> list[float]:
    """Return the columns of one face."""
    found = register(face, template, center=nose)
    start = found.interpolant(template.z * np.exp(1j * found.turn))
    end = found.interpolant(_inside(found.gamma(template.z)))
    before, after = (
        unit * np.linalg.norm(at - found.unit.vertices, axis=1).mean() for at in (start, end)
    )
    return [found.energy_before, found.energy_after, before, after, found.min_jacobian]


def _inside(z: NDArray) -> NDArray:
    """Return points of the disk, of which rounding may have left some just outside."""
    return z / np.maximum(np.abs(z), 1)


def table(faces: Sequence[Surface], template: Template, nose: int, unit: float) -> NDArray:
    with one_blas_thread():
        return np.array([measure(face, template, nose, unit) for face in faces])


def main(count: int = 10, fewer: int = 3) -> None:
    model = read_model()
    nose, unit = int(model["nose_tip"]), millimetres(model)
    faces = draw_faces(model, count, SEED, moved=True)
    rows = table(faces, model_template(model), nose, unit)
    print(f"{count} faces" + "".join(f"{name:>12}" for name in COLUMNS))
    for label, values in (("mean", rows.mean(0)), ("min", rows.min(0)), ("max", rows.max(0))):
        print(f"{label:<8}" + "".join(f"{value:12.4f}" for value in values))
    before, after = rows[:, 2], rows[:, 3]
    print(f"energy lower on {np.mean(rows[:, 1] < rows[:, 0]):.0%} of the faces; correspondence "
          f"better by {1 - after.mean() / before.mean():.0%} on average, by "
          f"{np.min(1 - after / before):.0%} on the face that gains least")  # fmt: skip
    public = Surface(model["mean"], model["faces_disk"])
    for beta in BETAS if fewer else ():
        template = make_template(public, nose, RegistrationSettings(beta=beta))
        found = table(faces[:fewer], template, nose, unit).mean(axis=0)
        print(f"beta {beta} on {fewer} faces: E {found[1]:.4f}, {found[3]:.2f} mm", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--faces", type=int, default=40)
    parser.add_argument("--fewer", type=int, default=FEWER)
    chosen = parser.parse_args()
    main(chosen.faces, chosen.fewer)
