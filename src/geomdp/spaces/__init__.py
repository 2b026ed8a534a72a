"""Geometry: one file a space, one interface, nothing about privacy."""

from geomdp.spaces.axes import Axes
from geomdp.spaces.ball import Ball, largest_radius
from geomdp.spaces.base import Membership, Space
from geomdp.spaces.compositions import composition_to_sphere, sphere_to_composition
from geomdp.spaces.correlation import Correlation
from geomdp.spaces.denoiser import Denoiser
from geomdp.spaces.euclidean import Euclidean
from geomdp.spaces.grassmannian import Grassmannian
from geomdp.spaces.hyperbolic import Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes
from geomdp.spaces.product import Product
from geomdp.spaces.record_shape import RecordShape
from geomdp.spaces.rotations import Rotations
from geomdp.spaces.shapes import Shapes
from geomdp.spaces.size_and_shape import SizeAndShape
from geomdp.spaces.spd import SPD
from geomdp.spaces.specs import SPACES, space_from_spec
from geomdp.spaces.sphere import Sphere

__all__ = [
    "SPACES",
    "SPD",
    "Axes",
    "Ball",
    "Correlation",
    "Denoiser",
    "Euclidean",
    "Grassmannian",
    "Hyperbolic",
    "Membership",
    "PlanarShapes",
    "Product",
    "RecordShape",
    "Rotations",
    "Shapes",
    "SizeAndShape",
    "Space",
    "Sphere",
    "composition_to_sphere",
    "largest_radius",
    "space_from_spec",
    "sphere_to_composition",
]
