"""The examples of the demonstration: what is public about each, and where its records come from."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from geomdp.datasets import Dataset, load_directions, load_tensors
from geomdp.plans import Plan
from geomdp.plans.planning import plan
from geomdp.privacy import GDP, Pure
from geomdp.spaces import SPD, Ball, PlanarShapes, Space, Sphere
from geomdp.statistics import FrechetMean

LEAVES, LANDMARKS = 1000, 40
FACES = 200


@dataclass(frozen=True)
class Example:
    """One example of the demonstration.

    Attributes
    ----------
    name, title, sentence
        Name of its folder, its heading, and what it shows.
    make
        Returns the plan and the records.
    """

    name: str
    title: str
    sentence: str
    make: Callable[[], tuple[Plan, Any]]


def directions() -> tuple[Plan, Any]:
    """Plan for the shipped directions, and their records.

    Examples
    --------
    >>> directions()[0].n
    121
    """
    return _of_dataset(load_directions(), Sphere(2))


def tensors() -> tuple[Plan, Any]:
    """Plan for the shipped tensors, and their records.

    Examples
    --------
    >>> tensors()[0].n
    972
    """
    return _of_dataset(load_tensors(), SPD(3))


def leaves(n: int = LEAVES) -> tuple[Plan, Any]:
    """Plan for procedural leaves around the textbook leaf, and their landmarks.

    Examples
    --------
    >>> leaves(50)[1].shape
    (50, 40, 2)
    """
    from geomdp.shapes.outlines import resample_outline
    from geomdp.shapes.procedural import leaf_outlines, template_leaf

    template = resample_outline(template_leaf(), LANDMARKS)
    records = np.array([resample_outline(one, LANDMARKS) for one in leaf_outlines(n, seed=1)])
    ball = Ball(PlanarShapes(LANDMARKS), template, radius=0.2)
    return plan(FrechetMean(ball), n=n, budget=Pure(epsilon=1)), records


def faces(n: int = FACES) -> tuple[Plan, Any]:
    """Plan for procedural faces around the template face, and their radial curves.

    Examples
    --------
    >>> faces(2)[1].shape
    (2, 23, 80, 3)
    """
    from geomdp.surfaces import SurfaceMean, make_template
    from geomdp.surfaces.mesh.procedural import procedural_face, template_face

    # Procedural faces share their triangles, so that they are registered as they come.
    statistic = SurfaceMean(make_template(template_face()), registration="homologous")
    batch = statistic.prepare([procedural_face(seed) for seed in range(n)])
    return plan(statistic, n=n, budget=GDP(mu=1)), batch.curves


def _of_dataset(data: Dataset, space: Space) -> tuple[Plan, Any]:
    ball = Ball(space, data.public_center, data.public_radius)
    return plan(FrechetMean(ball), n=len(data.records), budget=Pure(epsilon=1)), data.records


#: The tour.
EXAMPLES: tuple[Example, ...] = (
    Example(
        "directions",
        "Directions",
        "The mean direction of the Earth's ancient magnetic field, recorded by 121 lava flows.",
        directions,
    ),
    Example(
        "tensors",
        "Tensors",
        "The mean diffusion tensor of 972 voxels of a brain: how far water moves, and which way.",
        tensors,
    ),
    Example(
        "leaves",
        "Shapes",
        f"The mean outline of {LEAVES} leaves, whatever their place, size and rotation.",
        leaves,
    ),
    Example(
        "faces",
        "Surfaces",
        f"The mean of {FACES} faces that resemble nobody: open its report to turn it.",
        faces,
    ),
)
