"""Planar outlines: from drawings without correspondence to landmarks of a shape space."""

from geomdp.shapes.outlines import crossing_edges, require_outline, resample_outline, smooth_shapes
from geomdp.shapes.pictures import draw_outline, mean_with_band, outline_grid

__all__ = [
    "crossing_edges",
    "draw_outline",
    "mean_with_band",
    "outline_grid",
    "require_outline",
    "resample_outline",
    "smooth_shapes",
]
