"""Geometry: one file a space, one interface, nothing about privacy."""

from geomdp.spaces.axes import Axes as Axes
from geomdp.spaces.ball import Ball as Ball
from geomdp.spaces.ball import largest_radius as largest_radius
from geomdp.spaces.base import Membership as Membership
from geomdp.spaces.base import Space as Space
from geomdp.spaces.compositions import composition_to_sphere as composition_to_sphere
from geomdp.spaces.compositions import sphere_to_composition as sphere_to_composition
from geomdp.spaces.correlation import Correlation as Correlation
from geomdp.spaces.denoiser import Denoiser as Denoiser
from geomdp.spaces.euclidean import Euclidean as Euclidean
from geomdp.spaces.grassmannian import Grassmannian as Grassmannian
from geomdp.spaces.hyperbolic import Hyperbolic as Hyperbolic
from geomdp.spaces.planar_shapes import PlanarShapes as PlanarShapes
from geomdp.spaces.product import Product as Product
from geomdp.spaces.record_shape import RecordShape as RecordShape
from geomdp.spaces.rotations import Rotations as Rotations
from geomdp.spaces.shapes import Shapes as Shapes
from geomdp.spaces.size_and_shape import SizeAndShape as SizeAndShape
from geomdp.spaces.spd import SPD as SPD
from geomdp.spaces.specs import SPACES as SPACES
from geomdp.spaces.specs import space_from_spec as space_from_spec
from geomdp.spaces.sphere import Sphere as Sphere
