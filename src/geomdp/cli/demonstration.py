"""The demonstration: ``geomdp demo FOLDER`` plans and releases data that come along.

Leaves one page, ``index.html``, from which everything else is reached. A second run replaces what
an earlier run made and keeps every other file of the folder.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.datasets import Dataset, load_directions, load_tensors
from geomdp.errors import GeomdpError
from geomdp.io.documents import read_json
from geomdp.plans import Plan
from geomdp.plans.planning import plan
from geomdp.privacy import GDP, Pure
from geomdp.report import plan_html
from geomdp.report.demo_index import Card, index_html
from geomdp.spaces import SPD, Ball, PlanarShapes, Space, Sphere
from geomdp.statistics import FrechetMean

#: Names the files that a run made, so that the next one replaces only those.
LIST = ".geomdp-demo.json"
LEAVES, LANDMARKS = 1000, 40
FACES = 200


@dataclass(frozen=True)
class Example:
    """One example: name of its folder, heading, what it shows; ``make`` gives plan and records."""

    name: str
    title: str
    sentence: str
    make: Callable[[], tuple[Plan, Any]]


def directions() -> tuple[Plan, Any]:
    """Plan for the shipped directions, and their records."""
    return _of_dataset(load_directions(), Sphere(2))


def tensors() -> tuple[Plan, Any]:
    """Plan for the shipped tensors, and their records."""
    return _of_dataset(load_tensors(), SPD(3))


def leaves(n: int = LEAVES) -> tuple[Plan, Any]:
    """Plan for procedural leaves around the textbook leaf, and their landmarks."""
    from geomdp.shapes.outlines import resample_outline
    from geomdp.shapes.procedural import leaf_outlines, template_leaf

    template = resample_outline(template_leaf(), LANDMARKS)
    records = np.array([resample_outline(one, LANDMARKS) for one in leaf_outlines(n, seed=1)])
    ball = Ball(PlanarShapes(LANDMARKS), template, radius=0.2)
    return plan(FrechetMean(ball), n=n, budget=Pure(epsilon=1)), records


def faces(n: int = FACES) -> tuple[Plan, Any]:
    """Plan for procedural faces around the template face, and their radial curves."""
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


def make_demo(
    folder: str | Path,
    tell: Callable[[str], None] = lambda text: None,
    examples: Sequence[Example] = EXAMPLES,
) -> Path:
    """Write the demonstration into a folder and return its index page.

    ``folder``: new or empty, or left by an earlier run. ``tell``: called with a sentence before
    each step. ``examples``: what it shows, one card each.
    """
    target = Path(folder).absolute()
    mine = _made_before(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".partial-") as partial:
        fresh = Path(partial) / "fresh"
        fresh.mkdir()
        cards = [_card(example, fresh, tell) for example in examples]
        (fresh / "index.html").write_text(index_html(cards), encoding="utf-8")
        listed = json.dumps(sorted(_files(fresh)), indent=1) + "\n"
        (fresh / LIST).write_text(listed, encoding="utf-8")
        if target.exists():
            _keep_others(target, fresh, mine)
            target.rename(Path(partial) / "old")
        fresh.rename(target)
    return target / "index.html"


def _card(example: Example, folder: Path, tell: Callable[[str], None]) -> Card:
    """Plan, release and report one example."""
    tell(f"{example.title}: planning")
    made, records = example.make()
    place = folder / example.name
    place.mkdir()
    made.save(place / "plan.json")
    (place / "plan.html").write_text(plan_html(made), encoding="utf-8")
    tell(f"{example.title}: releasing")
    release = made.release(records)
    release.save(place / "release")
    return Card(example.name, example.title, example.sentence, made, release)


def _made_before(target: Path) -> set[str]:
    """Return the files of an earlier run; refuse a folder that is not the demo's."""
    if not target.exists():
        return set()
    try:
        made = read_json(target / LIST)
        return {LIST, *(str(name) for name in made)}
    except (OSError, ValueError, TypeError):
        if target.is_dir() and not any(target.iterdir()):
            return set()
        raise GeomdpError(
            f"{str(target)!r} exists and was not made by the demo; choose a new folder."
        ) from None


def _keep_others(old: Path, fresh: Path, mine: set[str]) -> None:
    """Copy files that no earlier run made, so that replacing the folder loses none."""
    for name in _files(old) - mine:
        place = fresh / name
        if place.exists():
            raise GeomdpError(f"{str(old / name)!r} was not made by the demo; move it away first.")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(old / name, place)


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
