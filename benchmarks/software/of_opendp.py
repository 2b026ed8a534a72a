"""OpenDP: clamp, mean and Laplace noise for each number, at an equal share of epsilon."""

import numpy as np
import opendp.prelude as dp
from answering import Question, answer


def means(question: Question) -> np.ndarray:
    """Private means, number by number; neighbours replace one record (two edits)."""
    dp.enable_features("contrib")
    n, d = question.vectors.shape
    space = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=n), dp.symmetric_distance()
    columns = []
    for low, high, column in zip(question.low, question.high, question.vectors.T, strict=True):
        bounds = (float(low), float(high))
        mean = space >> dp.t.then_clamp(bounds) >> dp.t.then_mean()

        def noisy(scale: float, mean: dp.Transformation = mean) -> dp.Measurement:
            return mean >> dp.m.then_laplace(scale)

        measure = dp.binary_search_chain(noisy, d_in=2, d_out=question.epsilon / d)
        values = column.tolist()
        columns.append([measure(values) for _ in range(question.times)])
    return np.array(columns).T


answer(means)
