"""A process that asks one library for private means; depends on NumPy alone.

``python of_library.py QUESTION.npz ANSWERS.npy``: a question holds records as vectors (n, d), a
public box (low, high), a public radius about a public centre, and a budget; answers are (times, d).
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Question:
    """Records as vectors, what is public about them, and a budget."""

    vectors: np.ndarray
    low: np.ndarray
    high: np.ndarray
    center: np.ndarray
    radius: float
    epsilon: float
    delta: float
    times: int

    @classmethod
    def read(cls, file: str) -> "Question":
        """Read a question from its file."""
        with np.load(file) as given:
            scalars = {name: given[name].item() for name in ("radius", "epsilon", "delta", "times")}
            arrays = {name: given[name] for name in ("vectors", "low", "high", "center")}
        return cls(**arrays, **scalars)

    def write(self, file: str) -> None:
        """Write it for a library's process."""
        np.savez(file, **{name: np.asarray(value) for name, value in vars(self).items()})


def answer(mean: Callable[[Question], np.ndarray]) -> None:
    """Read the question, ask the library, write its answers."""
    asked, answered = sys.argv[1:]
    np.save(answered, mean(Question.read(asked)))
