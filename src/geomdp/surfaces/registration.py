"""Registration of one surface to the public template.

It uses that surface and the template only, so it is preprocessing of one record and costs no
privacy (docs/theory/elastic-registration.md).
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.surfaces.center import Center
from geomdp.surfaces.diffeomorphism import DiskDiffeomorphism
from geomdp.surfaces.disk_map import conformal_map
from geomdp.surfaces.elastic import Fit, evaluate, refine
from geomdp.surfaces.rotation import best_turn, kabsch
from geomdp.surfaces.srnf import NormalField, energy, triangle_fields
from geomdp.surfaces.surface import Surface
from geomdp.surfaces.template import Template, surface_field

#: ``"elastic"`` over rotations and diffeomorphisms, ``"homologous"`` for vertices that correspond.
RegistrationMethod: TypeAlias = Literal["elastic", "homologous"]


@dataclass(frozen=True, eq=False)
class Registration:
    """How a surface lies over the template.

    Parameters
    ----------
    surface : Surface
        The record centred, scaled to area one and rotated to the template.
    z : array (v,)
        Disk coordinates of its vertices in the template's parametrisation.
    gamma : DiskDiffeomorphism
        Takes a point of the template's disk to the record's own disk map.
    rotation : array (3, 3)
        Rotation that was applied to the vertices.
    turn : float
        Angle of the rigid start: the record's disk was turned by ``-turn`` before the search.
    energy_before, energy_after : float
        Squared distance of the square-root normal fields after the rigid start (rotation, and turn
        of the disk), and after registration.
    min_jacobian : float
        Smallest Jacobian determinant of gamma; positive, so that nothing folds.
    """

    surface: Surface
    z: NDArray[np.complex128]
    gamma: DiskDiffeomorphism
    rotation: NDArray[np.float64]
    turn: float
    energy_before: float
    energy_after: float
    min_jacobian: float


def register(
    surface: Surface,
    template: Template,
    registration: RegistrationMethod = "elastic",
    center: Center = "most-protruding",
    z: NDArray[np.complex128] | None = None,
) -> Registration:
    """Lay a surface over the template by a rotation and a diffeomorphism of the disk.

    Parameters
    ----------
    surface : Surface
        Disk-like, of any position, orientation and size.
    template : Template
        Public.
    registration : {"elastic", "homologous"}
        ``"homologous"`` trusts that vertices correspond to the template's and only rotates.
    center : vertex index, coordinates or rule
        Centre of the disk map (:func:`~geomdp.surfaces.disk_map.conformal_map`).
    z : array (v,), optional
        Disk coordinates of the vertices, instead of a disk map around ``center``.

    Examples
    --------
    >>> from geomdp.surfaces.procedural import procedural_face, template_face
    >>> from geomdp.surfaces.template import make_template
    >>> found = register(procedural_face(5), make_template(template_face()))
    >>> found.energy_after < found.energy_before, found.min_jacobian > 0.2
    (True, True)
    """
    unit = surface.normalised()
    if registration == "homologous":
        return _homologous(unit, template)
    if registration != "elastic":
        raise GeomdpError(
            f"registration={registration!r} is unknown; choose 'elastic' or 'homologous'."
        )
    if z is None:
        z = conformal_map(unit, center).z
    if z.shape != (len(unit.vertices),):
        raise InvalidRecordError(
            f"{surface.label} has {len(unit.vertices)} vertices but disk coordinates of shape "
            f"{z.shape}; give one complex number a vertex."
        )
    field = surface_field(unit, z, template.settings.grid)
    start = _rigid_start(template, field, unit)
    fit = refine(template, field, start)
    gamma = DiskDiffeomorphism(fit.coefficients)
    smallest = _require_success(fit, gamma, unit)
    return Registration(
        _rotated(unit, fit.rotation),
        gamma.inverse(z),
        gamma,
        fit.rotation,
        float(start.coefficients[1, 0] / np.sqrt(np.pi)),
        start.energy,
        fit.energy,
        smallest,
    )


def _rigid_start(template: Template, field: NormalField, surface: Surface) -> Fit:
    """Return the best turn of the disk with its rotation, found over all turns at once."""
    shape = (template.settings.radii, template.settings.angles, 3)
    turn = best_turn(
        template.field.reshape(shape),
        field(template.basis.z).reshape(shape),
        template.radial_weights,
    )
    constant = turn * np.sqrt(np.pi)  # the first Zernike polynomial is 1 / sqrt(pi)
    start = evaluate(template, field, np.array([[0.0], [constant]]))
    if start is None or not np.isfinite(start.energy):
        raise InvalidRecordError(
            f"{surface.label} has no finite normal field on the disk; check its mesh for spikes "
            "and overlapping triangles."
        )
    return start


def _require_success(fit: Fit, gamma: DiskDiffeomorphism, surface: Surface) -> float:
    if not fit.converged:
        raise InvalidRecordError(
            f"{surface.label} could not be registered: the energy was still falling "
            f"({fit.energy:.3g}) when the steps ran out; raise beta, or check that it resembles "
            "the template."
        )
    smallest = gamma.min_jacobian()
    if not smallest > 0:
        raise InvalidRecordError(
            f"{surface.label} folds under registration (smallest Jacobian {smallest:.3g}); raise "
            "beta, or check that the surface resembles the template."
        )
    return smallest


def _homologous(surface: Surface, template: Template) -> Registration:
    if not np.array_equal(surface.faces, template.surface.faces):
        raise InvalidRecordError(
            f"{surface.label} does not have the template's triangles, so its vertices cannot "
            "correspond; use registration='elastic'."
        )
    target, source = template.triangles, triangle_fields(surface)
    rotation = kabsch(target.T @ source)
    one = np.ones(len(target))
    distance = energy(target, source @ rotation.T, one)
    return Registration(
        _rotated(surface, rotation),
        template.z,
        DiskDiffeomorphism.identity(),
        rotation,
        0.0,
        distance,
        distance,
        1.0,
    )


def _rotated(surface: Surface, rotation: NDArray[np.float64]) -> Surface:
    return Surface(surface.vertices @ rotation.T, surface.faces, surface.name)
