"""From released moments, or a released regression, to coordinates in which people are alike.

How good they are decides how wide a normative region is, and nothing else
(docs/theory/normative.md, section 4).
"""

from typing import NamedTuple

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.statistics.regression import Regression
from geomdp.statistics.shrinking import kept_share
from geomdp.typing import Array

#: Variances below this part of their mean are none that floats should divide by.
FLATTEST = 1e-4
#: No released number is larger, but by noise beyond all floats.
MOST = 1e100


class Whitening(NamedTuple):
    """A mean, and the matrix that makes records about it alike in all directions."""

    mean: Array
    root: Array
    #: What the covariates' coordinates add to the mean: (p, d).
    slopes: Array


def whitening(ball: Ball, value: Array, deviation: float) -> Whitening:
    """Return mean and whitening matrix that released moments give: public, and total.

    Eigenvalues shrink towards their mean by the part of their spread that is noise, and the mean
    towards the centre as denoised releases do. How good both are decides how wide the region is,
    and nothing else.
    """
    dim = ball.space.dim
    whole = value.ndim == 2
    width = np.sqrt(2.0) * ball.radius * deviation
    raw = _covariance(ball, value, deviation) if whole else _dispersion(ball, value, deviation)
    spread = max(float(np.trace(raw)) / dim, width / (np.sqrt(dim) if whole else 2.0 * dim))
    values, vectors = np.linalg.eigh(raw)
    apart = float(np.sum((values - spread) ** 2))
    noise = width**2 * dim * (dim + 1) / 2
    pulled = 1.0 if not apart > noise else noise / apart
    kept = np.maximum((1 - pulled) * values, 0.0) + max(pulled, FLATTEST) * spread
    root = (vectors / np.sqrt(kept)) @ vectors.T
    mean = ball.whitened(value[0] if whole else value[:-1])
    if dim > 2:
        mean = kept_share(mean, deviation, dim) * mean
    if ball.roots is not None:  # a row v is whitened by the form, then by what was found in it
        root = ball.roots[1] @ root
    return Whitening(np.asarray(ball.coloured(mean)), np.asarray(root), np.zeros((0, dim)))


def whitening_along(asked: Regression, value: Array, deviation: float) -> Whitening:
    """Return the same of a released regression: one spread for all directions, about its curve."""
    finite = np.where(np.isfinite(value), value, 0.0)
    found, ball, dim = asked.split(np.clip(finite, -MOST, MOST)), asked.ball, asked.dim
    middle, noise = found.covariates, np.sqrt(2.0) * deviation / asked.radius
    varied = asked.symmetric(found.squares) - np.outer(middle, middle)
    values, vectors = np.linalg.eigh(varied + noise**2 * np.eye(middle.size))
    floor = asked.floor(deviation, float(np.linalg.norm(middle)))
    inverse = (vectors / np.maximum(values, floor)) @ vectors.T
    slopes = inverse @ (found.products - np.outer(middle, found.mean))
    explained = np.sum(slopes * (varied @ slopes))
    left = float(found.length - found.mean @ found.mean - explained) + dim * deviation**2
    spread = max(left, deviation * asked.radius) / dim
    root = np.eye(dim) if ball.roots is None else ball.roots[1]
    mean = found.mean - middle @ slopes
    return Whitening(ball.coloured(mean), root / np.sqrt(spread), ball.coloured(slopes))


def _covariance(ball: Ball, value: Array, deviation: float) -> Array:
    """Unbiased covariance of the logs, whitened by the form."""
    mean, second = value[0], value[1:]
    white = np.eye(mean.size) if ball.roots is None else ball.roots[1]
    mean, second = white @ mean, white @ second @ white
    return np.asarray(second - np.outer(mean, mean) + deviation**2 * np.eye(mean.size))


def _dispersion(ball: Ball, value: Array, deviation: float) -> Array:
    """Variance from the released mean squared length, the same in all directions."""
    mean = ball.whitened(value[:-1])
    squared = float(value[-1] - mean @ mean) + mean.size * deviation**2
    return squared / mean.size * np.eye(mean.size)
