"""From a triangle mesh to a private mean surface: mesh, disk, registration, radial curves, mesh."""

from geomdp.surfaces.batch import Batch, Failure, process
from geomdp.surfaces.curves import curves_to_mesh, radial_curves, ring_radii
from geomdp.surfaces.disk_map import conformal_map, disk_map
from geomdp.surfaces.holes import fill_holes
from geomdp.surfaces.meshio import read_surface, write_surface
from geomdp.surfaces.mobius import mobius
from geomdp.surfaces.pointcloud import surface_from_points
from geomdp.surfaces.procedural import (
    procedural_face,
    procedural_terrain,
    template_face,
    template_terrain,
)
from geomdp.surfaces.recipe import Recipe
from geomdp.surfaces.registration import Registration, register
from geomdp.surfaces.sampling import sample_cartesian, sample_polar
from geomdp.surfaces.surface import Surface
from geomdp.surfaces.surface_mean import SurfaceMean
from geomdp.surfaces.template import RegistrationSettings, Template, make_template
from geomdp.surfaces.topology import largest_component, require_disk

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
