"""Scans cropped elsewhere than the template: which parts of the two lie over each other.

The disk map takes rim to rim, so that a face without its chin would be stretched over the chin of
the template. Here both are cut to the part that they share, by the nearest points of a rigid
alignment (docs/theory/elastic-registration.md, section 7).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from geomdp.errors import InvalidRecordError
from geomdp.surfaces.mesh.repair import fill_holes
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.mesh.topology import boundary_loops, with_vertex_numbers
from geomdp.surfaces.registration.srnf import Motion, kabsch
from geomdp.typing import Floats, Indices

#: A vertex nearest to the other's rim and farther than this from it, at area one, lies beyond it.
BEYOND = 0.03

#: With more than this share of both areas in common there is nothing to cut.
SAME_CROP = 0.96

#: With less than this share of the template in common there is too little to match.
LEAST_COVER = 0.5

_ROUNDS, _RESCALED, _KEPT, _SMOOTHING = 6, 5, 0.7, 3


@dataclass(frozen=True, eq=False)
class Overlap:
    """The common part of a record and the template.

    Which vertices of either belong to it, their shares of the two areas, and the motion that
    takes the record to the template.
    """

    record: NDArray[np.bool_]
    template: NDArray[np.bool_]
    record_share: float
    template_share: float
    motion: Motion

    @property
    def is_whole(self) -> bool:
        """Whether both are cropped alike."""
        return bool(min(self.record_share, self.template_share) >= SAME_CROP)


def find_overlap(record: Surface, template: Surface, start: Motion) -> Overlap:
    """Find what a record and the template have in common, from a rough alignment.

    The template has area one; ``start`` takes the record roughly to it.
    """
    motion = start
    for _ in range(_RESCALED):
        motion = _closest_points(record, template, motion)
        kept = _kept(motion(record.vertices), record, template)
        areas = [
            surface.vertex_areas[part].sum()
            for surface, part in zip((record, template), kept, strict=True)
        ]
        # What lies over each other has the same area: this tells the scale.
        growth = float(np.sqrt(areas[1] / max(areas[0], 1e-9)) / motion.scale)
        middle = motion(record.vertices[kept[0]]).mean(axis=0)
        motion = Motion(np.eye(3), growth, (1 - growth) * middle).after(motion)
    return Overlap(*kept, areas[0] / record.area, areas[1] / template.area, motion)


def _kept(
    moved: Floats, record: Surface, template: Surface
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which vertices of the moved record and of the template do not lie beyond the other's rim."""
    from scipy.spatial import cKDTree

    parts = []
    for points, other, surface in (
        (moved, template.vertices, template),
        (template.vertices, moved, record),
    ):
        rim = np.zeros(len(other), dtype=bool)
        rim[boundary_loops(surface)[0]] = True
        distance, nearest = cKDTree(other).query(points)
        parts.append(~(rim[nearest] & (distance > BEYOND)))
    return parts[0], parts[1]


def cut(surface: Surface, kept: NDArray[np.bool_]) -> tuple[Surface, Indices]:
    """Largest piece of a surface on the ``kept`` vertices, and the old numbers of its vertices."""
    for _ in range(_SMOOTHING):
        # Most of the neighbours decide, so that the cut has no spikes and touches itself nowhere.
        votes = np.repeat(kept[surface.faces].mean(axis=1), 3)
        total = np.bincount(surface.faces.ravel(), votes, minlength=len(kept))
        kept = total > 0.5 * np.bincount(surface.faces.ravel(), minlength=len(kept))
    faces = surface.faces[kept[surface.faces].all(axis=1)]
    if not len(faces):
        raise InvalidRecordError(f"{surface.label} has nothing in common with the template.")
    piece, numbers = with_vertex_numbers(Surface(surface.vertices, faces, surface.name))
    return fill_holes(piece), numbers


def _closest_points(record: Surface, template: Surface, motion: Motion) -> Motion:
    """Align by distances to tangent planes; the farthest 30% have no counterpart and do not count.

    Surfaces may slide along each other, so that this ends in a few rounds where plain distances of
    nearest points take hundreds. The scale stays: the smaller, the nearer.
    """
    from scipy.spatial import cKDTree

    tree, normals = cKDTree(template.vertices), template.vertex_normals
    points = record.vertices[:: max(1, len(record.vertices) // 2000)]
    for _ in range(_ROUNDS):
        moved = motion(points)
        distance, nearest = tree.query(moved)
        kept = distance <= np.quantile(distance, _KEPT)
        near = nearest[kept]
        step = _tangent_step(moved[kept], template.vertices[near], normals[near])
        motion = step.after(motion)
    return motion


def _tangent_step(points: Floats, targets: Floats, normals: Floats) -> Motion:
    """Small rotation and shift that bring points closest to planes, in least squares."""
    columns = np.concatenate([np.cross(points, normals), normals], axis=1)
    offsets = ((targets - points) * normals).sum(axis=1)
    # A little weight on no motion, for surfaces that look alike after some turn.
    ridge = 1e-6 * len(points) * np.eye(6)
    x = np.linalg.solve(columns.T @ columns + ridge, columns.T @ offsets)
    spin = np.cross(np.eye(3), x[:3])  # the matrix of the cross product with x[:3] from the left
    return Motion(kabsch(np.eye(3) + spin), 1.0, x[3:])
