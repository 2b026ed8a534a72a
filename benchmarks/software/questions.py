"""What is asked of every library: tensors and outlines as they are, and in our charts by hand.

A general library takes vectors. *As they are* is what its documentation leads to: the numbers of a
matrix, the coordinates of a shape. *Chart by hand* is what somebody does who knows the geometry:
logarithms, or outlines laid over a public one. Both have public bounds alone.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import geomdp as dp
from benchmarks.software.answering import Question
from geomdp.shapes.procedural import leaf_outlines, template_leaf

EPSILON, DELTA = 1.0, 1e-6
SPREAD = 2.0  # of tensors: the public radius about the identity
NEAR = 0.25  # of outlines: the public radius about the public leaf
LANDMARKS = 20


@dataclass(frozen=True)
class Task:
    """Records as vectors with what is public, and the way back to a point of the space.

    ``usable`` says whether an answer is one before anything is mended.
    """

    data: str
    chart: str
    vectors: np.ndarray
    low: np.ndarray
    high: np.ndarray
    center: np.ndarray
    radius: float
    back: Callable[[np.ndarray], np.ndarray]
    usable: Callable[[np.ndarray], bool] = lambda _: True

    def question(self, times: int) -> Question:
        """Return the question to a library's process."""
        box = self.low, self.high, self.center
        return Question(self.vectors, *box, self.radius, EPSILON, DELTA, times)


def tensor_ball() -> dp.Ball:
    """Return the public ball of the tensors."""
    return dp.Ball(dp.SPD(3), center=np.eye(3), radius=SPREAD)


def outline_ball() -> dp.Ball:
    """Return the public ball of the outlines, about a textbook leaf."""
    space = dp.PlanarShapes(LANDMARKS)
    return dp.Ball(space, center=_preshape(template_leaf()[:: 400 // LANDMARKS]), radius=NEAR)


def tensors() -> np.ndarray:
    """Return the diffusion tensors that come with the package, in the public ball."""
    return tensor_ball().clip(dp.datasets.load_tensors().records)


def outlines(n: int = 500, seed: int = 1) -> np.ndarray:
    """Preshapes of procedural leaves (n, landmarks), in the public ball."""
    leaves = leaf_outlines(n, seed)[:, :: 400 // LANDMARKS]
    return outline_ball().clip(np.array([_preshape(leaf) for leaf in leaves]))


def tasks() -> list[Task]:
    """Return all four."""
    return [
        _tensors_as_they_are(),
        _tensors_by_hand(),
        _outlines_as_they_are(),
        _outlines_by_hand(),
    ]


_UPPER = np.triu_indices(3)


def _matrix(v: np.ndarray) -> np.ndarray:
    x = np.zeros((3, 3))
    x[_UPPER] = v
    return x + np.triu(x, 1).T


def _tensors_as_they_are() -> Task:
    largest, least = np.exp(SPREAD), np.exp(-SPREAD)
    diagonal = _UPPER[0] == _UPPER[1]
    low = np.where(diagonal, least, -(largest - least) / 2)
    high = np.where(diagonal, largest, (largest - least) / 2)
    vectors = tensors()[:, *_UPPER]

    def back(v: np.ndarray) -> np.ndarray:
        values, frame = np.linalg.eigh(_matrix(v))
        return (frame * np.maximum(values, least)) @ frame.T  # what a careful user would mend

    def usable(v: np.ndarray) -> bool:
        return bool(np.linalg.eigvalsh(_matrix(v))[0] > 0)

    # the logs of the eigenvalues lie in a ball: |x - 1| is largest where one of them is not 0
    radius = largest - 1
    center = np.eye(3)[_UPPER]
    return Task("tensors", "as they are", vectors, low, high, center, radius, back, usable)


def _tensors_by_hand() -> Task:
    weights = np.where(_UPPER[0] == _UPPER[1], 1.0, np.sqrt(2.0))
    values, frames = np.linalg.eigh(tensors())
    logs = (frames * np.log(values)[:, None, :]) @ np.swapaxes(frames, 1, 2)
    box = np.full(6, SPREAD)

    def back(v: np.ndarray) -> np.ndarray:
        values, frame = np.linalg.eigh(_matrix(v / weights))
        return (frame * np.exp(values)) @ frame.T

    vectors = logs[:, *_UPPER] * weights
    return Task("tensors", "by hand", vectors, -box, box, np.zeros(6), SPREAD, back)


def _preshape(outline: np.ndarray) -> np.ndarray:
    z = outline[:, 0] + 1j * outline[:, 1]
    z = z - z.mean()
    return z / np.linalg.norm(z)


def _pairs(z: np.ndarray) -> np.ndarray:
    return np.concatenate([z.real, z.imag], axis=-1)


def _shape(v: np.ndarray) -> np.ndarray:
    z = v[:LANDMARKS] + 1j * v[LANDMARKS:]
    z = z - z.mean()
    return z / np.linalg.norm(z)


def _outlines_as_they_are() -> Task:
    box, radius = np.ones(2 * LANDMARKS), 1.0  # centred, of size one: nothing else is known
    center = np.zeros(2 * LANDMARKS)
    return Task("outlines", "as they are", _pairs(outlines()), -box, box, center, radius, _shape)


def _outlines_by_hand() -> Task:
    ball, records = outline_ball(), outlines()
    steps = ball.space.log(ball.center, records)
    box = np.full(2 * LANDMARKS, NEAR)

    def back(v: np.ndarray) -> np.ndarray:
        moved = ball.center + (v[:LANDMARKS] + 1j * v[LANDMARKS:])
        return _shape(_pairs(moved))

    center = np.zeros(2 * LANDMARKS)
    return Task("outlines", "by hand", _pairs(steps), -box, box, center, NEAR, back)
