"""Threads: none within another, and BLAS is held at one until the last who asked has ended."""

import os
import subprocess
import sys
import threading
import time
from threading import get_ident

import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from geomdp.threads import in_threads, is_worker, one_blas_thread, together


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
from geomdp.threads import in_threads, together
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
