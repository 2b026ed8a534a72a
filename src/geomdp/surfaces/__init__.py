"""From a triangle mesh to a private mean surface: mesh, disk, registration, radial curves, mesh."""

from geomdp.surfaces.batch import Batch, Failure, process
from geomdp.surfaces.curves.radial import curves_to_mesh, radial_curves, ring_radii
from geomdp.surfaces.curves.road import Recipe
from geomdp.surfaces.disk.mapping import conformal_map, disk_map, mobius
from geomdp.surfaces.disk.sampling import sample_cartesian, sample_polar
from geomdp.surfaces.mesh.meshio import read_surface, write_surface
from geomdp.surfaces.mesh.pointcloud import surface_from_points
from geomdp.surfaces.mesh.procedural import (
    procedural_face,
    procedural_terrain,
    template_face,
    template_terrain,
)
from geomdp.surfaces.mesh.repair import fill_holes
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import largest_component, require_disk
from geomdp.surfaces.registration.matching import Registration, register
from geomdp.surfaces.surface_mean import SurfaceMean
from geomdp.surfaces.template import RegistrationSettings, Template, make_template

__all__ = [
    "Batch",
    "Failure",
    "Recipe",
    "Registration",
    "RegistrationSettings",
    "Surface",
    "SurfaceMean",
    "Template",
    "conformal_map",
    "curves_to_mesh",
    "disk_map",
    "fill_holes",
    "largest_component",
    "make_template",
    "mobius",
    "procedural_face",
    "procedural_terrain",
    "process",
    "radial_curves",
    "read_surface",
    "register",
    "require_disk",
    "ring_radii",
    "sample_cartesian",
    "sample_polar",
    "surface_from_points",
    "template_face",
    "template_terrain",
    "write_surface",
]
