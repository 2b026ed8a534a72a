"""One BLAS thread at a time, and a thread a core above it.

Batched small eigenproblems with several BLAS threads are slower by an order of magnitude.
"""

import os
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from functools import cache, wraps
from itertools import islice
from typing import Any, ClassVar, ParamSpec, TypeAlias, TypeVar

from threadpoolctl import ThreadpoolController

P = ParamSpec("P")
T = TypeVar("T")
#: SciPy brings a BLAS of its own, with whichever of these is loaded first. They are asked for, not
#: the packages around them, which stand among the modules before their libraries are loaded.
_BRINGERS = ("scipy.linalg._fblas", "scipy.special._ufuncs")
#: Says of a thread that it is one of those below: what it asks for itself, it does itself.
_here = threading.local()
#: Applies a function to items, in their order: a thread a core, processes, machines.
Mapper: TypeAlias = Callable[[Callable[[Any], Any], Iterable[Any]], Iterator[Any]]


class _OneThread(AbstractContextManager[None]):
    """Keeps BLAS at one thread until the last of its holders ends."""

    _lock = threading.Lock()
    _holders: ClassVar[int] = 0
    #: Threads of each BLAS before it was limited. One that is loaded while others hold the limit
    #: joins with the next holder.
    _before: ClassVar[dict[str, tuple[Any, int]]] = {}

    def __init__(self) -> None:
        with self._lock:
            type(self)._holders += 1
            for library in _libraries(tuple(name in sys.modules for name in _BRINGERS)):
                # Asked each time: some count threads for each caller, and others may have set it.
                if (threads := library.get_num_threads()) != 1:
                    self._before.setdefault(library.filepath, (library, threads))
                    _set_threads(library, 1)

    def __exit__(self, *_: object) -> None:
        with self._lock:
            type(self)._holders -= 1
            if self._holders:
                return
            for library, threads in self._before.values():
                _set_threads(library, threads)
            self._before.clear()


def one_blas_thread() -> AbstractContextManager[None]:
    """Limit BLAS to one thread for a while, or for good where nobody ends it.

    >>> with one_blas_thread():
    ...     pass
    """
    return _OneThread()


def on_one_blas_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Limit BLAS to one thread while a function runs: with more, sums are rounded otherwise.

    >>> on_one_blas_thread(sum)([1, 2])
    3
    """

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        with one_blas_thread():
            return function(*args, **kwargs)

    return limited


@cache
def _libraries(_loaded: tuple[bool, ...]) -> list[Any]:
    """Look for BLAS once: that takes longer than a mean of a thousand small matrices."""
    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


def _set_threads(library: Any, threads: int) -> None:
    # From version 3.8 threadpoolctl obeys only the thread that asked first, and ignores all others.
    forget_who_asked = getattr(library, "clear_controlling_thread", lambda **_: None)
    forget_who_asked(force=True)
    library.set_num_threads(threads)
    forget_who_asked(force=True)


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
    with one_blas_thread():  # of this thread, too, where each has a limit of its own
        _here.worker = True
