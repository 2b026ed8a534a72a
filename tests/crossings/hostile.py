"""One record among others that is none, or hardly one."""

from typing import Any

import numpy as np


def hostile_record(kind: str, record: Any) -> Any:
    """Return a hostile record in place of a good one.

    >>> hostile_record("nan", np.ones(3)).tolist(), hostile_record("none", np.ones(3))
    ([nan, 1.0, 1.0], None)
    """
    if kind == "none":
        return None
    if isinstance(record, tuple):  # a curve with its own times
        return _hostile_curve(kind, *record)
    numbers = np.array(record, dtype=complex if np.iscomplexobj(record) else float)
    if kind == "short":
        return numbers.ravel()[:-1] if numbers.ndim == 1 else numbers[:-1]
    if kind == "huge":
        return np.full_like(numbers, 1e308)
    first = (0,) * numbers.ndim
    if kind == "nan":
        numbers[first] = np.nan
        return numbers
    cells = numbers.astype(object)
    cells[first] = "n/a"
    return cells.tolist()


def _hostile_curve(kind: str, times: list[float], values: list[float]) -> Any:
    changed: dict[str, Any] = {
        "short": (times, values[:-1]),
        "huge": (times, [1e308] * len(values)),
        "nan": (times, [float("nan"), *values[1:]]),
        "text": (times, ["n/a", *values[1:]]),
    }
    return changed[kind]


#: Kinds that are no record of any plan, but of curves, whose gaps are filled.
NEVER_A_RECORD = ("none", "text", "nan", "short")
