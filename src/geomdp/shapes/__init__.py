"""Planar outlines: from drawings without correspondence to landmarks of a shape space."""

from geomdp.shapes.outlines import crossing_edges, resample_outline

__all__ = ["crossing_edges", "resample_outline"]
