"""What a caller set for a whole process, and no computation here may depend on.

NumPy told to raise where numbers underflow, warnings turned into errors, decimals of three digits:
each could make a release fail by what a record holds, after noise was drawn. Every public function
that computes runs :func:`undisturbed`.
"""

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from decimal import DefaultContext, localcontext
from typing import ClassVar

import numpy as np


class _Softened:
    """Warnings that are errors become plain ones, until the last of their holders ends.

    Filters belong to the process: who comes first changes them, who goes last puts them back.
    """

    _lock = threading.Lock()
    _holders: ClassVar[int] = 0
    _before: ClassVar["warnings.catch_warnings[None] | None"] = None

    @classmethod
    def enter(cls) -> None:
        """Soften the filters."""
        with cls._lock:
            cls._holders += 1
            if cls._before is None:
                cls._before = warnings.catch_warnings()
                cls._before.__enter__()
            if any(action == "error" for action, *_ in warnings.filters):
                # In place: they hold compiled patterns, which no public function takes.
                softened = [
                    ("default" if f[0] == "error" else f[0], *f[1:]) for f in warnings.filters
                ]
                warnings.filters[:] = softened  # type: ignore[index]

    @classmethod
    def leave(cls) -> None:
        """Put them back, where nobody else needs them."""
        with cls._lock:
            cls._holders -= 1
            if not cls._holders and cls._before is not None:
                cls._before.__exit__(None, None, None)
                cls._before = None


@contextmanager
def undisturbed() -> Iterator[None]:
    """Compute as if the caller had set nothing: a context, or with brackets a decorator."""
    _Softened.enter()
    try:
        with np.errstate(all="ignore"), localcontext(DefaultContext):
            yield
    finally:
        _Softened.leave()
