"""One BLAS thread at a time, and a thread a core above it.

Batched small eigenproblems with several BLAS threads are slower by an order of magnitude.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import lru_cache
from itertools import islice
from typing import Any, ClassVar, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

T = TypeVar("T")
#: Says of a thread that it is one of those below: what it asks for itself, it does itself.
_here = threading.local()
#: Applies a function to items, in their order: a thread a core, processes, machines.
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


class _OneThread(AbstractContextManager[None]):
    """Keeps BLAS at one thread until the last of its holders ends; the first one sets it."""

    _lock = threading.Lock()
    #: Holders, and what undoes the limit, by whether SciPy was there.
    _holders: ClassVar[dict[bool, int]] = {False: 0, True: 0}
    _limits: ClassVar[dict[bool, Any]] = {}

    def __init__(self) -> None:
        # SciPy brings a BLAS of its own, perhaps after the first call.
        self._scipy = "scipy.linalg" in sys.modules
        with self._lock:
            if not self._holders[self._scipy]:
                limit = _controller(self._scipy).limit(limits=1, user_api="blas")
                self._limits[self._scipy] = limit
            self._holders[self._scipy] += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._holders[self._scipy] -= 1
            if not self._holders[self._scipy]:
                self._limits.pop(self._scipy).restore_original_limits()


def one_blas_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread for a while, or for good where nobody ends it.

    >>> with one_blas_thread():
    ...     pass
    """
    return _OneThread()


@lru_cache(maxsize=2)
def _controller(_scipy: bool) -> ThreadpoolController:
    """Look for BLAS once: that takes longer than a mean of a thousand small matrices."""
    return ThreadpoolController()


def in_threads(function: Callable[[T], Any], items: Iterable[T]) -> Iterator[Any]:
    """Apply a function to items in a thread a core, in their order; few are held at a time.

    Within such a thread there are no more of them.

    >>> list(in_threads(abs, [-1, 2, -3]))
    [1, 2, 3]
    """
    waiting = iter(items)
    first = list(islice(waiting, 2))
    if is_worker():
        yield from map(function, first)
        yield from map(function, waiting)
        return
    workers = (os.cpu_count() or 1) if len(first) > 1 else 1
    with one_blas_thread():
        if workers == 1:
            yield from map(function, first)
            yield from map(function, waiting)
            return
        with ThreadPoolExecutor(workers, initializer=_become_worker) as pool:
            running: list[Future[Any]] = [pool.submit(function, item) for item in first]
            while running:
                while len(running) < 2 * workers and (more := list(islice(waiting, 1))):
                    running.append(pool.submit(function, more[0]))
                yield running.pop(0).result()


def is_worker() -> bool:
    """Tell whether this is a thread of :func:`in_threads`.

    >>> is_worker(), any(in_threads(lambda _: is_worker(), [1]))
    (False, False)
    """
    return getattr(_here, "worker", False)


def _become_worker() -> None:
    _here.worker = True
