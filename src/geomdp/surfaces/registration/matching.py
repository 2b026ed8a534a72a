"""Registration of one surface to the public template.

It uses that surface and the template only, so it is preprocessing of one record and costs no
privacy (docs/theory/elastic-registration.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias, get_args

import numpy as np

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.runtime.threads import on_one_blas_thread
from geomdp.surfaces.disk.center import Center, vertex_or_rule
from geomdp.surfaces.disk.mapping import conformal_map
from geomdp.surfaces.disk.sampling import DiskInterpolant
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import bulge, smooth_rim
from geomdp.surfaces.registration.diffeomorphism import DiskDiffeomorphism
from geomdp.surfaces.registration.elastic import Fit, evaluate, refine
from geomdp.surfaces.registration.srnf import (
    NormalField,
    best_motion,
    best_turn,
    energy,
    normal_field,
    triangle_fields,
)
from geomdp.surfaces.template import Template, weighted_positions
from geomdp.typing import Complex, Floats

#: ``"elastic"`` over rotations and diffeomorphisms, ``"similarity"`` over rotations and turns of
#: the disk; for vertices that correspond ``"homologous"``, over rotations, and ``"none"``.
RegistrationMethod: TypeAlias = Literal["elastic", "similarity", "homologous", "none"]

METHODS: tuple[str, ...] = get_args(RegistrationMethod)

#: Factor on the smoothness term where the search without it folds or does not end.
STIFFER = 4.0


@dataclass(frozen=True, eq=False)
class Registration:
    """How a surface lies over the template.

    Parameters
    ----------
    unit : Surface
        The record with a smooth rim, centred and scaled to area one.
    disk : array (v,)
        Disk coordinates of its vertices in its own disk map.
    interpolant : DiskInterpolant
        ``unit`` as a function on that disk.
    gamma : DiskDiffeomorphism
        Takes a point of the template's disk to the record's own disk map.
    rotation : array (3, 3)
        Rotation that lays the vertices over the template's.
    turn : float
        Angle of the rigid start: the record's disk was turned by ``-turn`` before the search.
    energy_before, energy_after : float
        Squared distance of the square-root normal fields after the rigid start (rotation, and turn
        of the disk), and after registration.
    min_jacobian : float
        Smallest Jacobian determinant of gamma; positive, so that nothing folds.
    """

    unit: Surface
    disk: Complex
    interpolant: DiskInterpolant
    gamma: DiskDiffeomorphism
    rotation: Floats
    turn: float
    energy_before: float
    energy_after: float
    min_jacobian: float

    @cached_property
    def surface(self) -> Surface:
        """The record centred, scaled to area one and rotated to the template."""
        return self.unit.with_vertices(self.unit.vertices @ self.rotation.T)

    @cached_property
    def z(self) -> Complex:
        """Disk coordinates of the vertices in the template's parametrisation."""
        return self.gamma.inverse(self.disk)

    def on_rings(self, radii: Floats, angles: Floats) -> Floats:
        """Points (radii, angles, 3) of the record over rings of the template's disk."""
        own = self.gamma.on_rings(radii, angles)
        # The circle is mapped to itself up to rounding, and nothing is known beyond it.
        own /= np.maximum(np.abs(own), 1)
        return self.interpolant(own) @ self.rotation.T


@on_one_blas_thread
def register(
    surface: Surface,
    template: Template,
    registration: RegistrationMethod = "elastic",
    center: Center = "most-protruding",
    z: Complex | None = None,
) -> Registration:
    """Lay a surface over the template by a rotation and a diffeomorphism of the disk.

    Parameters
    ----------
    surface : Surface
        Disk-like, of any position, orientation and size.
    template : Template
        Public.
    registration : {"elastic", "similarity", "homologous", "none"}
        ``"similarity"`` leaves the diffeomorphism out and only turns the disk. ``"homologous"``
        trusts that vertices correspond to the template's and only rotates; ``"none"`` trusts that
        they lie as the template's do, too.
    center : vertex index, coordinates or rule
        Centre of the disk map (:func:`~geomdp.surfaces.conformal_map`), a landmark in the
        coordinates of ``surface``.
    z : array (v,), optional
        Disk coordinates of the vertices, instead of a disk map around ``center``.

    Examples
    --------
    >>> from geomdp.surfaces.mesh.procedural import procedural_face, template_face
    >>> from geomdp.surfaces.template import make_template
    >>> found = register(procedural_face(5), make_template(template_face()))
    >>> found.energy_after < found.energy_before, found.min_jacobian > 0.2
    (True, True)
    """
    if registration not in METHODS:
        choices = ", ".join(map(repr, METHODS))
        raise GeomdpError(f"registration={registration!r} is unknown; choose one of {choices}.")
    unit = smooth_rim(surface, template.settings.rim_rounds).normalised()
    if registration in ("homologous", "none"):
        return _corresponding(unit, template, turned=registration == "homologous")
    if z is None:
        z = conformal_map(unit, vertex_or_rule(surface, center), sharp=False).z
    if z.shape != (len(unit.vertices),):
        raise InvalidRecordError(
            f"{surface.label} has {len(unit.vertices)} vertices but disk coordinates of shape "
            f"{z.shape}; give one complex number a vertex."
        )
    interpolant = DiskInterpolant(unit, z, quick=True)
    field = normal_field(interpolant.on_square(template.settings.grid))
    start = _rigid_start(template, field, interpolant, unit)
    fit = refine(template, field, start) if registration == "elastic" else start
    try:
        smallest = _require_success(fit, unit)
    except InvalidRecordError:
        if registration != "elastic":
            raise
        fit = refine(_stiffer(template), field, start)
        smallest = _require_success(fit, unit)
    gamma = DiskDiffeomorphism(fit.coefficients)
    turn = float(start.coefficients[1, 0] / np.sqrt(np.pi))
    return Registration(
        unit, z, interpolant, gamma, fit.rotation, turn, start.energy, fit.energy, smallest
    )


def _rigid_start(
    template: Template, field: NormalField, interpolant: DiskInterpolant, surface: Surface
) -> Fit:
    """Return the best turn of the disk with its rotation, found over all turns at once.

    Normals and positions count alike: on a gentle surface nearly all normals are the same, and say
    little about the turn.
    """
    shape = (template.settings.radii, template.settings.angles, 3)
    normals = field(template.basis.z)
    positions = weighted_positions(interpolant(template.basis.z), normals, template.weights)
    turn = best_turn(
        np.concatenate([template.field.reshape(shape), template.positions.reshape(shape)]),
        np.concatenate([normals.reshape(shape), positions.reshape(shape)]),
        np.tile(template.radial_weights, 2),
    )
    constant = turn * np.sqrt(np.pi)  # the first Zernike polynomial is 1 / sqrt(pi)
    start = evaluate(template, field, np.array([[0.0], [constant]]))
    if start is None or not np.isfinite(start.energy):
        raise InvalidRecordError(
            f"{surface.label} has no finite normal field on the disk; check its mesh for spikes "
            "and overlapping triangles."
        )
    return start


def _stiffer(template: Template) -> Template:
    settings = template.settings
    return replace(template, settings=replace(settings, beta=STIFFER * settings.beta))


def _require_success(fit: Fit, surface: Surface) -> float:
    if not fit.converged:
        raise InvalidRecordError(
            f"{surface.label} could not be registered: the energy was still falling "
            f"({fit.energy:.3g}) when the steps ran out; raise beta, or check that it resembles "
            "the template."
        )
    smallest = DiskDiffeomorphism(fit.coefficients).min_jacobian()
    if not smallest > 0:
        raise InvalidRecordError(
            f"{surface.label} folds under registration (smallest Jacobian {smallest:.3g}); raise "
            "beta, or check that the surface resembles the template."
        )
    return smallest


def _corresponding(surface: Surface, template: Template, turned: bool) -> Registration:
    if not np.array_equal(surface.faces, template.surface.faces):
        raise InvalidRecordError(
            f"{surface.label} does not have the template's triangles, so its vertices cannot "
            "correspond; use registration='elastic'."
        )
    rotation = np.eye(3)
    if turned:
        pair = template.surface.vertices, surface.vertices
        rotation = best_motion(*pair, template.surface.vertex_areas).rotation
    target, source = template.triangles, triangle_fields(surface)
    distance = energy(target, source @ rotation.T, np.ones(len(target)))
    interpolant = DiskInterpolant(surface, template.z, like=template.interpolant)
    identity = DiskDiffeomorphism.identity()
    return Registration(
        surface, template.z, interpolant, identity, rotation, 0.0, distance, distance, 1.0
    )


# --- Does a registered surface resemble the template?
# What does not counts as the template. Each gate looks at one record and at public things, so
# that it is part of the preprocessing of that record (docs/theory/elastic-registration.md,
# section 7).

#: Surfaces that hold less than this, in units of area to the power 3/2, have no clear outside.
FLAT = 0.01

#: Largest squared distance of normal fields, of which 4 is the most that any two can have. Faces of
#: the ICT model have at most 0.1, a chin cropped by 15% 0.17, hills on a face 0.4.
MAX_ENERGY = 0.35

#: Largest root mean square distance of curves, in units of the root of the area: three times the
#: default tau. An inside-out face has 0.2, a flat disk on a face 0.12.
MAX_DISTANCE = 0.1


def require_winding(surface: Surface, template: Template) -> None:
    """Refuse a surface whose triangles face the other way than the template's.

    Turned over in space such a surface has the right normals and is inside out.
    """
    ours, public = bulge(surface), template.bulge
    if min(abs(ours), abs(public)) > FLAT and ours * public < 0:
        raise InvalidRecordError(
            f"{surface.label} winds its triangles the other way than the template, so that it "
            "would be laid inside out; reverse the order of the corners of every triangle."
        )


def require_energy(found: Registration) -> None:
    """Refuse a surface whose normals do not follow the template's after registration."""
    if not found.energy_after <= MAX_ENERGY:
        raise InvalidRecordError(
            f"{found.unit.label} does not resemble the template: the distance of their normal "
            f"fields is {found.energy_after:.2g} after registration, where {MAX_ENERGY} is the "
            "most allowed; check its crop, its noise and its centre."
        )


def distance(curves: Floats, template_curves: Floats) -> float:
    """Root mean square distance of curves from the template's, every ring alike."""
    return float(np.sqrt(np.mean(np.sum((curves - template_curves) ** 2, axis=-1))))


def require_nearness(curves: Floats, template_curves: Floats, surface: Surface) -> None:
    """Refuse a surface whose curves lie far from the template's after alignment."""
    apart = distance(curves, template_curves)
    if not apart <= MAX_DISTANCE:
        raise InvalidRecordError(
            f"{surface.label} lies {apart:.2g} from the template after alignment (root mean "
            f"square, at area one), where {MAX_DISTANCE} is the most allowed; check its crop and "
            "its orientation."
        )
