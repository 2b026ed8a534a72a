"""Records as bytes: no record stops the others, and different ones are told apart."""

from functools import reduce
from types import SimpleNamespace

import numpy as np
import pytest

from geomdp.io.record_bytes import bytes_of

GOOD = [[1.0, 2.0], [3.0, 4.0]]


class Closed:
    def __getattr__(self, name):
        raise RuntimeError(name)


class Broken:
    vertices = property(lambda self: 1 / 0)


class Stubborn(list):
    def __iter__(self):
        raise RuntimeError


def itself():
    held: list = []
    held.append(held)
    return held


HOSTILE = {
    "attributes": Closed,
    "property": Broken,
    "walk": lambda: Stubborn(["x"]),
    "itself": itself,
    "deep": lambda: reduce(lambda inner, _: [inner], range(3000), "x"),
    "huge": lambda: np.broadcast_to(0.0, (10**13,)),
    "huge floats": lambda: np.broadcast_to(np.float32(0), (10**13,)),
    "surface": lambda: SimpleNamespace(vertices=itself(), faces=None),
    "surrogate": lambda: "\ud800",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_record_stops_the_others(name):
    record = HOSTILE[name]()
    found = list(bytes_of([GOOD[0], record, GOOD[1]]))
    assert [found[0], found[2]] == list(bytes_of(np.array(GOOD)))
    assert found[1]
    assert found == list(bytes_of([GOOD[0], record, GOOD[1]]))


def test_a_file_that_cannot_be_read_is_its_name(tmp_path, monkeypatch):
    def refuse(self):
        raise PermissionError

    names = [tmp_path / "a.ply", tmp_path / "b.ply"]
    for name in names:
        name.write_text("x")
    monkeypatch.setattr(type(names[0]), "read_bytes", refuse)
    assert len(set(bytes_of(names))) == 2


def test_corners_and_triangles_of_surfaces_are_told_apart():
    corners = np.vstack([np.eye(3), np.zeros(3), [0, 1, 2]])
    triangles = np.array([[0, 1, 2], [0, 1, 3]])
    more = SimpleNamespace(vertices=corners, faces=triangles[1:])
    less = SimpleNamespace(vertices=corners[:4], faces=triangles)
    assert len(set(bytes_of([more, less]))) == 2
    assert len(set(bytes_of([more, SimpleNamespace(**vars(more))]))) == 1


def test_a_pair_of_times_and_values_is_no_curve_of_two_channels():
    times, values = np.linspace(0, 0.9, 8), np.ones(8)
    pair, channels = bytes_of([(times, values), np.stack([times, values])])
    assert pair != channels
    held = np.empty(2, dtype=object)
    held[:] = [times, values]
    assert list(bytes_of([held, (times.tolist(), values)])) == [pair, pair]


def test_a_point_is_the_same_as_a_tuple():
    flat = [(1.0, 2.0), np.array([1.0, 2.0]), [1, 2]]
    square = [((1.0, 0.0), (0.0, 1.0)), np.eye(2), np.eye(2).tolist()]
    assert len(set(bytes_of(flat))) == len(set(bytes_of(square))) == 1


@pytest.mark.parametrize("shape", [(0,), (0, 3), (0, 2, 2)])
def test_no_records_are_no_bytes(shape):
    """Formerly an array without records could not be brought into rows."""
    assert list(bytes_of(np.zeros(shape))) == []
