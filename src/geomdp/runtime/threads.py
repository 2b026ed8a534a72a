"""One BLAS thread at a time, and a thread a core above it.

Batched small eigenproblems with several BLAS threads are slower by an order of magnitude.
"""

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager
from contextvars import copy_context
from functools import cache, wraps
from itertools import islice
from typing import Any, ClassVar, ParamSpec, TypeAlias, TypeVar

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
    """Limit BLAS to one thread for a while, or for good where nobody ends it."""
    return _OneThread()


def on_one_blas_thread(function: Callable[P, T]) -> Callable[P, T]:
    """Limit BLAS to one thread while a function runs: with more, sums are rounded otherwise."""

    @wraps(function)
    def limited(*args: P.args, **kwargs: P.kwargs) -> T:
        with one_blas_thread():
            return function(*args, **kwargs)

    return limited


@cache
def _libraries(_loaded: tuple[bool, ...]) -> list[Any]:
    """Look for BLAS once: that takes longer than a mean of a thousand small matrices."""
    from threadpoolctl import ThreadpoolController

    found: list[Any] = ThreadpoolController().select(user_api="blas").lib_controllers
    return found


def _set_threads(library: Any, threads: int) -> None:
    # From version 3.8 threadpoolctl obeys only the thread that asked first, and ignores all others.
    forget_who_asked = getattr(library, "clear_controlling_thread", lambda **_: None)
    forget_who_asked(force=True)
    library.set_num_threads(threads)
    forget_who_asked(force=True)


class _Staying:
    """Threads that stay, since to start them takes longer than many a pass.

    A process that forks has none of them, unless they are at work: a child would wait for them in
    vain.
    """

    _lock = threading.Lock()
    #: By how many they are.
    _pools: ClassVar[dict[int, ThreadPoolExecutor]] = {}
    _users = 0

    @classmethod
    @contextmanager
    def lend(cls, workers: int) -> Iterator[ThreadPoolExecutor]:
        """Lend so many threads."""
        with cls._lock:
            if workers not in cls._pools:
                cls._pools[workers] = ThreadPoolExecutor(workers, initializer=_become_worker)
            pool = cls._pools[workers]
            cls._users += 1
        try:
            yield pool
        finally:
            with cls._lock:
                cls._users -= 1

    @classmethod
    def end(cls) -> None:
        """End those that nobody has."""
        with cls._lock:
            pools = [] if cls._users else list(cls._pools.values())
            cls._pools = cls._pools if cls._users else {}
        for pool in pools:
            pool.shutdown()

    @classmethod
    def forget(cls) -> None:
        """Begin anew in a child, which has none of its parent's threads."""
        cls._lock, cls._pools, cls._users = threading.Lock(), {}, 0


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_Staying.end, after_in_child=_Staying.forget)


def in_threads(function: Callable[[T], Any], items: Iterable[T]) -> Iterator[Any]:
    """Apply a function to items in a thread a core, in their order; few are held at a time.

    Within such a thread there are no more of them.
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
        with _Staying.lend(workers) as pool:
            yield from _in_order(pool, function, first, waiting, 2 * workers)


def _in_order(
    pool: ThreadPoolExecutor,
    function: Callable[[T], Any],
    first: list[T],
    waiting: Iterator[T],
    most: int,
) -> Iterator[Any]:
    """Answers of a pool in the order of the items; what is under way ends before this does."""
    running: list[Future[Any]] = [_submit(pool, function, item) for item in first]
    try:
        while running:
            while len(running) < most and (more := list(islice(waiting, 1))):
                running.append(_submit(pool, function, more[0]))
            yield running.pop(0).result()
    finally:
        for future in running:
            future.cancel()
        wait(running)


def _submit(pool: ThreadPoolExecutor, function: Callable[..., Any], *about: Any) -> Future[Any]:
    """Let a thread compute as this one does: what NumPy does where numbers overflow, say."""
    return pool.submit(copy_context().run, function, *about)


def together(function: Callable[[T], Any], items: Iterable[T]) -> None:
    """Call a function of each item: here, and in other threads as soon as they are awake.

    For items that all take but tenths of a millisecond, where to wait for others would cost more.
    """
    waiting = deque(items)

    def work() -> None:
        while waiting:
            try:
                item = waiting.popleft()
            except IndexError:  # another thread was faster
                return
            function(item)

    cores = 1 if is_worker() else os.cpu_count() or 1
    if min(cores, len(waiting)) <= 1:
        work()
        return
    with one_blas_thread(), _Staying.lend(cores) as pool:
        others = [_submit(pool, work) for _ in range(min(cores, len(waiting)) - 1)]
        try:
            work()
        finally:
            waiting.clear()  # where one failed
            under_way = [other for other in others if not other.cancel()]
            wait(under_way)
        for other in under_way:
            other.result()


def is_worker() -> bool:
    """Tell whether this is a thread of :func:`in_threads`."""
    return getattr(_here, "worker", False)


def _become_worker() -> None:
    with one_blas_thread():  # of this thread, too, where each has a limit of its own
        _here.worker = True
