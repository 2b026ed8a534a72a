"""An attack that knows nothing of the mechanism: a classifier trained on draws."""

import numpy as np

from geomdp.audit.sampling import as_features
from geomdp.typing import Array

#: Newton steps of the logistic regression.
STEPS = 8
RIDGE = 1e-3
#: Features beyond this many are projected on the difference of the means first.
MOST_FEATURES = 24


def blind_scores(first: Array, second: Array) -> tuple[Array, Array]:
    """Score draws by how much they look like the first data set; fitted on their first halves.

    A logistic regression on standardised coordinates, their squares and their length: it finds
    shifts and changes of spread.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> wide, narrow = rng.normal(size=(4000, 2)), rng.normal(size=(4000, 2)) / 5
    >>> scores = blind_scores(wide, narrow)
    >>> bool(np.mean(scores[0][2000:] > 0) > 0.7 > 0.3 > np.mean(scores[1][2000:] > 0))
    True
    """
    half = len(first) // 2
    a, b = as_features(first), as_features(second)
    a, b = _few(a, b, half)
    train = np.concatenate([a[:half], b[:half]])
    middle, spread = np.median(train, axis=0), _spread(train)
    x, y = (_features((part - middle) / spread) for part in (a, b))
    weights = _logistic(np.concatenate([x[:half], y[:half]]), np.repeat([1.0, 0.0], half))
    return x @ weights, y @ weights


def _few(a: Array, b: Array, half: int) -> tuple[Array, Array]:
    """Keep the coordinates whose means differ most, and the projection on that difference."""
    if a.shape[1] <= MOST_FEATURES:
        return a, b
    shift = (a[:half].mean(axis=0) - b[:half].mean(axis=0)) / _spread(a[:half]) ** 2
    kept = np.argsort(-np.abs(shift) * _spread(a[:half]))[: MOST_FEATURES - 1]
    return tuple(np.column_stack([part @ shift, part[:, kept]]) for part in (a, b))  # type: ignore[return-value]


def _spread(x: Array) -> Array:
    # Quantiles, since laws may have heavy tails; never 0, since a coordinate may be constant.
    low, high = np.quantile(x, [0.1, 0.9], axis=0)
    return np.where(high > low, high - low, np.maximum(np.abs(high), 1.0) * 1e-12)


def _features(u: Array) -> Array:
    u = np.clip(u, -20, 20)
    length = np.sqrt(np.sum(u**2, axis=1, keepdims=True))
    return np.concatenate([np.ones_like(length), u, u**2 / 4, length], axis=1)


def _logistic(x: Array, y: Array) -> Array:
    """Ridge logistic regression by Newton's method."""
    weights = np.zeros(x.shape[1])
    for _ in range(STEPS):
        p = 1 / (1 + np.exp(-np.clip(x @ weights, -30, 30)))
        slope = x.T @ (y - p) / len(y) - RIDGE * weights
        bend = (x * (p * (1 - p))[:, None]).T @ x / len(y) + RIDGE * np.eye(x.shape[1])
        weights = weights + np.linalg.solve(bend, slope)
    return weights
