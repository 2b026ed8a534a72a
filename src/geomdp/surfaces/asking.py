"""Mean surfaces by command: how meshes are laid over the template, and where disk maps begin."""

from pathlib import Path
from typing import Any, ClassVar

from geomdp.curves.asking import PENALTY, REGISTRATION, mean_or_regression
from geomdp.options import CURVES, PUBLIC, Given, Option, OptionError, read_count
from geomdp.spaces.options import CENTER, RADIUS
from geomdp.statistics.asking import SUBJECTS, Subject
from geomdp.statistics.base import Statistic
from geomdp.statistics.covariates import COVARIATE
from geomdp.surfaces.disk.center import RULES, Center
from geomdp.surfaces.mesh.meshio import read_surface
from geomdp.surfaces.surface_mean import SurfaceMean
from geomdp.surfaces.template import make_template

TEMPLATE = Option(
    "--template",
    "Public mesh, for the mean of surfaces; --radius is then the root mean square distance from "
    "it, at area one; left out, it is found privately first, with a small part of the budget.",
    panel=PUBLIC,
    metavar="MESH",
    type=Path,
)
RINGS = Option(
    "--rings",
    "With --template: rings of 80 points that a surface is sampled on (23 if left out).",
    panel=CURVES,
    metavar="INTEGER",
    read=read_count,
    needs="--template",
)


class Surfaces(Subject):
    """A record is a mesh, laid over a public one."""

    options: ClassVar[tuple[Option, ...]] = (
        *(TEMPLATE, CENTER, RADIUS, COVARIATE),
        *(PENALTY, REGISTRATION, RINGS),
    )
    typed: ClassVar[str] = "--template"

    def concerns(self, given: Given) -> bool:  # noqa: D102
        return given.said(TEMPLATE)

    def asked(self, given: Given) -> Statistic:
        """Return what is asked of meshes; what is left out is as in Python."""
        options = {"tau": RADIUS, "rings": RINGS, "registration": REGISTRATION, "phi": PENALTY}
        chosen = {name: given[one.key] for name, one in options.items() if given.said(one)}
        rule: dict[str, Any] = {}
        if given.said(CENTER):
            chosen["center"] = read_mesh_center(given["center"])
            rule = {"center": chosen["center"]} if chosen["center"] in RULES else {}
        template = make_template(read_surface(given["template"]), **rule)
        return mean_or_regression(SurfaceMean(template, **chosen), given)


def read_mesh_center(text: str) -> Center:
    """Read the centre of disk maps: a rule, the number of a vertex, or coordinates."""
    if text in RULES:
        return text
    try:
        numbers = tuple(float(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if len(numbers) == 1 and numbers[0] == int(numbers[0]) >= 0:
        return int(numbers[0])
    if len(numbers) == 3:
        return numbers
    raise OptionError(
        "with --template, --center is where the disk maps begin: most-protruding, middle, the "
        "number of a vertex, or its coordinates x,y,z"
    )


SUBJECTS.register("surfaces", Surfaces())
