"""Logistic regression by private gradient descent: what private classifiers are compared with.

Each step adds up the gradients of all records, each shortened to C, and adds Gaussian noise; one
record replaced moves a sum by at most 2 C, so that T steps with noise of 2 C sqrt(T)/mu are exactly
mu-GDP. Batches are whole: for a number of steps and a mu no sampling of batches has less noise, and
nothing about the sampling has to be believed. Steps have momentum, and the second half is averaged.
"""

from collections.abc import Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from geomdp.typing import Array

MOMENTUM = 0.9
#: Of the records that train, the part that tunes.
HELD = 0.25


class Setting(NamedTuple):
    """What a user would have to choose: ``reach`` is how long the longest features are."""

    steps: int
    rate: float
    clip: float
    reach: float


def settings() -> Iterator[Setting]:
    """Yield what is tried."""
    for one in product((40, 160, 500), (0.3, 1.0, 3.0, 10.0), (0.1, 0.5), (4, 12)):
        yield Setting(*one)


def descended(
    features: Array, places: Array, classes: int, mu: float, chosen: Setting, seed: int
) -> Array:
    """Return weights (d + 1, K): features lie in the unit ball, places are those of labels."""
    rng, n = np.random.default_rng(seed), len(features)
    rows = _with_one(features, chosen.reach)
    long, wanted = np.linalg.norm(rows, axis=1), np.eye(classes, dtype=np.float32)[places]
    noise = 2 * chosen.clip * chosen.steps**0.5 / mu
    weights, moving, mean = np.zeros((3, rows.shape[1], classes), dtype=np.float32)
    for step in range(chosen.steps):
        away = rows @ weights
        away = np.exp(away - away.max(axis=1, keepdims=True))
        away = away / away.sum(axis=1, keepdims=True) - wanted
        size = np.maximum(long * np.linalg.norm(away, axis=1), 1e-12)
        away *= np.minimum(1.0, chosen.clip / size)[:, None]
        total = rows.T @ away + noise * rng.standard_normal(weights.shape)
        moving = MOMENTUM * moving + total / n
        weights = (weights - chosen.rate / chosen.clip * moving).astype(np.float32)
        if 2 * step >= chosen.steps:
            mean = mean + weights / (chosen.steps - (chosen.steps + 1) // 2)
    return np.asarray(mean)


def accuracy(weights: Array, features: Array, places: Array, reach: float) -> float:
    """Return the share of records whose likeliest class is theirs."""
    return float(np.mean(np.argmax(_with_one(features, reach) @ weights, axis=1) == places))


def tuned(features: Array, places: Array, classes: int, mu: float) -> Setting:
    """Return the setting that does best on a quarter of the records, of the budget as it will be.

    Nothing is charged for it, which favours descent.
    """
    cut = round(len(features) * (1 - HELD))
    found = []
    for one in settings():
        made = descended(features[:cut], places[:cut], classes, mu / (1 - HELD), one, seed=0)
        found.append((accuracy(made, features[cut:], places[cut:], one.reach), one))
    return max(found)[1]


def _with_one(features: Array, reach: float) -> Array:
    ones = np.ones(len(features))
    return np.asarray(np.column_stack([reach * features, ones]), dtype=np.float32)
