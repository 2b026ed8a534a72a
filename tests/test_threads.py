"""Threads: none within another, and BLAS is held at one until the last who asked has ended."""

import os
from threading import get_ident

from threadpoolctl import threadpool_info, threadpool_limits

from geomdp.threads import in_threads, is_worker, one_blas_thread


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
