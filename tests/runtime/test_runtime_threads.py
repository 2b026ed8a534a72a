"""Threads: none within another, and BLAS is held at one until the last who asked has ended."""

import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from geomdp.runtime.threads import in_threads, is_worker, one_blas_thread, together


def blas_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_a_thread_has_no_threads_of_its_own(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)

    def nested(_):
        return is_worker(), get_ident(), set(in_threads(lambda _: get_ident(), range(5)))

    for worker, here, below in in_threads(nested, range(3)):
        assert worker
        assert below == {here}
    assert not is_worker()
    assert get_ident() not in set(in_threads(lambda _: get_ident(), range(3)))


def test_blas_has_one_thread_until_the_last_holder_ends():
    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        outer, inner = one_blas_thread(), one_blas_thread()
        with inner:
            assert blas_threads() == {1}
        assert blas_threads() == {1}
        with outer:
            pass
        assert blas_threads() == before


def test_any_thread_can_hold_blas_at_one():
    """Newer threadpoolctl obeys the thread that asked first, and ignores all others."""

    def held():
        with one_blas_thread():
            return blas_threads()

    with threadpool_limits(2, user_api="blas"):
        before = blas_threads()
        with one_blas_thread():
            pass
        with ThreadPoolExecutor(1) as other:
            assert other.submit(held).result() == {1}
        assert blas_threads() == before


LATE_LIBRARY = """
import sys
import numpy
from threadpoolctl import threadpool_info, threadpool_limits
from geomdp.runtime.threads import one_blas_thread

def threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}

threadpool_limits(2, user_api="blas")
outer = one_blas_thread()
import scipy.MODULE
threadpool_limits({library["filepath"]: 2 for library in threadpool_info()
                   if "numpy" not in library["filepath"]})
inner = one_blas_thread()
assert threads() == {1}, threads()
outer.__exit__()
assert threads() == {1}, threads()
inner.__exit__()
assert threads() == {2}, threads()
"""


@pytest.mark.parametrize("module", ["special", "linalg"])
def test_a_blas_that_is_loaded_late_is_held_too(module):
    script = LATE_LIBRARY.replace("MODULE", module)
    subprocess.run([sys.executable, "-c", script], check=True)


def coefficients_of_a_face():
    from geomdp.surfaces import make_template, register, template_face
    from geomdp.surfaces.mesh.procedural import procedural_face

    return register(procedural_face(2), make_template(template_face())).gamma.coefficients


def smooth_functions():
    from geomdp.curves import IntervalGrid, Matern
    from geomdp.curves.spectrum import spectrum_of

    return spectrum_of(Matern(0.1), IntervalGrid(np.linspace(0, 1, 300))).basis


@pytest.mark.parametrize("prepared", [coefficients_of_a_face, smooth_functions])
def test_what_is_prepared_is_the_same_whatever_the_threads(prepared):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(prepared())
    np.testing.assert_array_equal(*found)


@pytest.mark.parametrize("count", [1, 4])
def test_together_calls_each_item_once_here_and_elsewhere(monkeypatch, count):
    monkeypatch.setattr(os, "cpu_count", lambda: count)
    seen, both = [], threading.Barrier(2, timeout=20)

    def call(item):
        if item < 2 and count > 1:
            both.wait()  # which one thread alone would never pass
        seen.append((item, get_ident()))

    together(call, range(50))
    assert sorted(item for item, _ in seen) == list(range(50))
    assert len({thread for _, thread in seen}) <= count


def test_what_fails_in_any_thread_is_raised_when_all_have_ended(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    running, both = [], threading.Barrier(2, timeout=20)

    def fail_elsewhere(item):
        if item < 2:
            both.wait()
        if is_worker():
            raise ZeroDivisionError
        running.append(item)

    with pytest.raises(ZeroDivisionError):
        together(fail_elsewhere, range(9))

    def fail_at_three(item):
        running.append(item)
        if item == 3:
            raise ZeroDivisionError
        running.remove(item)

    for call in (together, lambda f, items: list(in_threads(f, items))):
        running.clear()
        with pytest.raises(ZeroDivisionError):
            call(fail_at_three, range(100))
        assert running == [3]
    assert list(in_threads(abs, [-1, 2, -3])) == [1, 2, 3]


def test_who_asks_for_no_more_leaves_nothing_under_way(monkeypatch):
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    begun, ended = [], []

    def slow(item):
        begun.append(item)
        time.sleep(0.05 if item else 0)
        ended.append(item)

    answers = in_threads(slow, range(100))
    next(answers)
    answers.close()
    assert sorted(begun) == sorted(ended)
    time.sleep(0.1)
    assert len(begun) == len(ended) < 10


FORK = """
import os, threading
os.cpu_count = lambda: 2
from geomdp.runtime.threads import in_threads, together
def used():
    found = []
    together(found.append, range(4))
    return sorted(found) == [0, 1, 2, 3] and list(in_threads(abs, [-1, -2, -3])) == [1, 2, 3]
assert used() and threading.active_count() > 1
child = os.fork()
if not child:
    os._exit(0 if threading.active_count() == 1 and used() else 1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
assert used()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
def test_threads_that_stay_are_no_trap_for_a_process_that_forks():
    """Warnings are errors: newer Pythons warn where threads are alive at a fork."""
    subprocess.run([sys.executable, "-W", "error", "-c", FORK], check=True, timeout=60)
