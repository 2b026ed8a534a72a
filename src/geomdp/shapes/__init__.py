"""Planar outlines: from drawings without correspondence to landmarks of a shape space."""

from geomdp.shapes.outlines import crossing_edges as crossing_edges
from geomdp.shapes.outlines import require_outline as require_outline
from geomdp.shapes.outlines import resample_outline as resample_outline
from geomdp.shapes.outlines import smooth_shapes as smooth_shapes
from geomdp.shapes.pictures import draw_outline as draw_outline
from geomdp.shapes.pictures import mean_with_band as mean_with_band
from geomdp.shapes.pictures import outline_grid as outline_grid
