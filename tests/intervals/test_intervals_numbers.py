"""Intervals travel to other processes with all digits; threads do not change their precision."""

import pickle
import threading

import numpy as np
import pytest

from geomdp.intervals import arrays, from_floats, interval, pi, precision
from geomdp.intervals.numbers import complex_interval, working_bits


@pytest.mark.parametrize("kind", ["real", "exact", "complex"])
def test_an_interval_is_the_same_after_a_journey(kind):
    with precision(256):
        value = {
            "real": lambda: pi() / 7,
            "exact": lambda: interval(-0.1),
            "complex": lambda: complex_interval(pi(), -pi() / 3),
        }[kind]()
    again = pickle.loads(pickle.dumps(value))
    assert again.real.mid() == value.real.mid()
    assert again.imag.mid() == value.imag.mid()
    assert again.contains(value)  # the radius may be rounded up
    assert again.real.rad() <= 1.001 * value.real.rad()


def test_arrays_of_intervals_travel():
    values = from_floats(np.array([[0.1, -2.0], [1e-300, 3.0]]))
    again = pickle.loads(pickle.dumps(values))
    assert all(a == b for a, b in zip(values.flat, again.flat, strict=True))


def test_a_thread_that_ends_does_not_change_the_precision_of_another():
    """python-flint has one precision a process: A enters, B enters, A leaves, B goes on."""
    entered, seen = threading.Event(), []

    def longer():
        entered.wait(5)
        with precision(256):
            left.wait(0.2)
            seen.append(working_bits())

    left = threading.Event()
    thread = threading.Thread(target=longer)
    thread.start()
    with precision(100):
        entered.set()
        thread.join(0.1)  # time to enter, if it could
        mine = working_bits()
    left.set()
    thread.join()
    assert (mine, seen) == (100, [256])


def test_an_axis_of_a_hundred_thousand_zeros_is_made_of_one(monkeypatch):
    """A law in high dimension asks for it again and again."""
    axis = np.zeros((2, 1000))
    axis[1, 3] = -0.1
    made = []

    def counted(value):
        made.append(value)
        return interval(value)

    monkeypatch.setattr(arrays, "interval", counted)
    found = from_floats(axis)
    assert len(made) == 2
    assert found.shape == axis.shape
    assert all(float(found[index]) == value for index, value in np.ndenumerate(axis))
    assert from_floats(np.array(0.5)).shape == ()
