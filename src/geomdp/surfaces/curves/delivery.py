"""The mesh that is delivered: the released difference carried on the public template mesh.

All of it is post-processing of a released value by public things, so it costs no privacy.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from geomdp.surfaces.curves.radial import RingSpacing, ring_shares
from geomdp.surfaces.mesh.surface import Surface
from geomdp.surfaces.template import Template

Floats = NDArray[np.float64]

#: Places evaluated at a time; all waves of a fine template at once would fill the memory.
_BLOCK = 4096


def carried_on_template(
    difference: Floats, template: Template, spacing: RingSpacing, name: str = ""
) -> Surface:
    """Move every vertex of the template by the released difference at its place in the disk.

    Rings are too few to draw a lip or an eyelid, but the difference from the template is smooth: so
    the template keeps its own detail, and the difference goes on by a spline over the share of the
    way to the rim, wave by wave around the centre.
    """
    shift = field_on_disk(difference, spacing.share(np.abs(template.z)), np.angle(template.z))
    return Surface(template.surface.vertices + shift, template.surface.faces, name)


def field_on_disk(difference: Floats, share: Floats, angle: Floats) -> Floats:
    """Value ``(p, 3)`` of a difference on rings at other places of the disk."""
    from scipy.interpolate import CubicSpline

    rings, points, _ = difference.shape
    waves = np.fft.rfft(regular_at_centre(difference), axis=1) / points
    waves[:, 1 : (points + 1) // 2] *= 2  # the real part below stands for both signs of a wave
    centre = np.zeros_like(waves[:1])
    centre[0, 0] = (4 * waves[0, 0] - waves[1, 0]) / 3  # see curves_to_mesh
    knots = np.concatenate([[0.0], ring_shares(rings)])
    spline = CubicSpline(knots, np.concatenate([centre, waves]))
    field = np.empty((len(share), 3))
    for at in range(0, len(share), _BLOCK):
        block = slice(at, at + _BLOCK)
        turns = np.exp(1j * angle[block, None] * np.arange(waves.shape[1]))
        field[block] = np.einsum("pw,pwc->pc", turns, spline(share[block])).real
    return field


def regular_at_centre(difference: Floats) -> Floats:
    """Cut softly the waves around the centre that no smooth field on a disk can have.

    A smooth field behaves like ``radius**m`` in its m-th wave around the centre; noise on separate
    rings does not, and crumples the middle of a surface. Ring j is j ring distances away from the
    centre and 2 pi j long, so waves up to about m = j are as coarse as the rings are apart: those
    up to j + 2 stay, and those above are multiplied by ``exp(-((m - j - 2) / 4)**2)``.
    """
    rings, points, _ = difference.shape
    above = np.arange(points // 2 + 1) - np.arange(1, rings + 1)[:, None] - 2
    return _filtered(difference, np.exp(-((np.maximum(above, 0) / 4.0) ** 2)))


def _filtered(difference: Floats, factors: Floats) -> Floats:
    spectrum = np.fft.rfft(difference, axis=1) * factors[..., None]
    return np.fft.irfft(spectrum, n=difference.shape[1], axis=1)
