"""Images as covariance matrices: region covariance descriptors and the public ball they lie in."""

from geomdp.images.bounds import descriptor_ball, descriptor_bounds
from geomdp.images.descriptors import covariance_descriptors
from geomdp.images.reading import Descriptors

__all__ = ["Descriptors", "covariance_descriptors", "descriptor_ball", "descriptor_bounds"]
