"""Threads: none within another, and BLAS is held at one until the last who asked has ended."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import get_ident

import numpy as np
import pytest
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
from geomdp.threads import one_blas_thread

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
    from geomdp.functions import IntervalGrid, Matern
    from geomdp.functions.spectrum import spectrum_of

    return spectrum_of(Matern(0.1), IntervalGrid(np.linspace(0, 1, 300))).basis


@pytest.mark.parametrize("prepared", [coefficients_of_a_face, smooth_functions])
def test_what_is_prepared_is_the_same_whatever_the_threads(prepared):
    found = []
    for threads in (1, 2):
        with threadpool_limits(threads, user_api="blas"):
            found.append(prepared())
    np.testing.assert_array_equal(*found)
