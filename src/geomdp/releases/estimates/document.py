"""What follows from released moments, as a file beside the value: for programs and other languages.

It costs nothing and says nothing new: everything is computed from the released value, and
``geomdp verify`` computes it again.
"""

import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from geomdp.plans.release import PAGES, Release
from geomdp.releases.estimates.moments import MomentsEstimate, moments_of
from geomdp.serial import Document
from geomdp.typing import Array

#: Name of the file.
ESTIMATES = "estimates.json"
LEVEL = 0.95
#: Synthetic points that the file holds; more come from ``MomentsEstimate.synthetic``.
SYNTHETIC = 20


def estimates_document(found: MomentsEstimate) -> Document:
    """Describe mean, dispersion, and where there is one the covariance with all it gives."""
    document: Document = {
        "says": found.describe(),
        "target": "the expected clipped log of a record at the centre, and what it is the log of",
        "space": found.ball.space.spec,
        "n": found.n,
        "center": numbers_of(found.ball.center),
        "radius": found.ball.radius,
        "mean": numbers_of(found.mean),
        "coordinates": found.coordinates.tolist(),
        "dispersion": found.dispersion,
    }
    if found.second is None:
        return document
    region = found.confidence_region(LEVEL)
    return document | {
        "covariance": found.covariance.tolist(),
        "confidence_region": {
            "level": LEVEL,
            "covariance": region.covariance.tolist(),
            "half_axes": region.half_axes.tolist(),
        },
        "bias_bound": found.bias_bound,
        "noise_edge": found.edge,
        "principal_geodesics": [
            {"deviation": one.deviation, "direction": one.direction.tolist()}
            for one in found.principal_geodesics()
        ],
        "synthetic": {"seed": 0, "points": numbers_of(found.synthetic(SYNTHETIC, seed=0))},
    }


def estimates_text(release: Release, folders: Mapping[str, str]) -> str:
    """Return the text of the file, empty where a release has no moments; never an error."""
    try:
        with np.errstate(all="ignore"):
            return json.dumps(estimates_document(moments_of(release)), indent=1) + "\n"
    except (
        Exception
    ):  # no moments, or noise beyond all floats: the value is drawn, nothing may fail
        return ""


def numbers_of(points: Array) -> Any:
    """Return nested lists; a complex number is a pair."""
    points = np.asarray(points)
    if np.iscomplexobj(points):
        points = np.stack([points.real, points.imag], axis=-1)
    return points.tolist()


PAGES.register(ESTIMATES, estimates_text)
