"""One BLAS thread at a time, and a thread a core above it.

Batched small eigenproblems with several BLAS threads are slower by an order of magnitude.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import islice
from typing import Any, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
#: Applies a function to items, in their order: a thread a core, processes, machines.
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


def one_blas_thread() -> AbstractContextManager[object]:
    """Limit BLAS to one thread for a while.

    >>> with one_blas_thread():
    ...     pass
    """
    # SciPy brings a BLAS of its own, perhaps after the first call.
    return _controller("scipy.linalg" in sys.modules).limit(limits=1, user_api="blas")


@lru_cache(maxsize=2)
def _controller(_scipy: bool) -> ThreadpoolController:
    """Look for BLAS once: that takes longer than a mean of a thousand small matrices."""
    return ThreadpoolController()


def in_threads(function: Callable[[T], Any], items: Iterable[T]) -> Iterator[Any]:
    """Apply a function to items in a thread a core, in their order; few are held at a time.

    >>> list(in_threads(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    waiting = iter(items)
    first = list(islice(waiting, 2))
    workers = os.cpu_count() or 1
    with one_blas_thread():
        if len(first) < 2 or workers == 1:
            yield from map(function, first)
            yield from map(function, waiting)
            return
        with ThreadPoolExecutor(workers) as pool:
            running: list[Future[Any]] = [pool.submit(function, item) for item in first]
            while running:
                while len(running) < 2 * workers and (more := list(islice(waiting, 1))):
                    running.append(pool.submit(function, more[0]))
                yield running.pop(0).result()
