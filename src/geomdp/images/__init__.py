"""Images as covariance matrices: region covariance descriptors and the public ball they lie in."""

from geomdp.images.bounds import descriptor_ball as descriptor_ball
from geomdp.images.bounds import descriptor_bounds as descriptor_bounds
from geomdp.images.descriptors import covariance_descriptors as covariance_descriptors
from geomdp.images.reading import Descriptors as Descriptors
