"""What the rest of geomdp asks a space, and never which class it has: a new one is as whole."""

from dataclasses import dataclass

import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError, MechanismRefusedError
from geomdp.report.pictures.maps import shades_of
from geomdp.spaces import SPACES, Ball, space_from_spec
from geomdp.spaces.chart_space import ChartSpace
from geomdp.testing import check_space
from geomdp.testing.geometry import chart_has_the_lengths_of_logs
from geomdp.testing.space import OF_CHARTS


@dataclass(frozen=True)
class Weighed(ChartSpace):
    """The plane, in which the second number counts four times."""

    dim: int = 2
    spec = "weighed"
    point_shape = (2,)

    def violations(self, x):
        return iter(())

    def exp(self, p, v):
        return p + v

    def log(self, p, q):
        return q - p

    def dist(self, p, q):
        return self.norm(p, q - p)

    def inner(self, p, u, v):
        return u[..., 0] * v[..., 0] + 4 * u[..., 1] * v[..., 1]

    def frame(self, p):
        return np.diag([1.0, 0.5])

    def origin(self, like):
        return np.zeros(2)

    def log_rounding(self, center, radius):
        return 1e-15


def test_coordinates_in_a_frame_are_those_of_the_inner_product():
    named = [c for c in OF_CHARTS if c.__name__ != "spec_names_the_space"]
    assert chart_has_the_lengths_of_logs in named
    check_space(Weighed(), properties=tuple(named))


def own(base, **claims):
    """Return a space that shares its methods with another, and is none by its class."""
    kept = {
        name: item
        for kind in reversed(type(base).__mro__[:-1])
        if kind not in dp.spaces.Space.__mro__
        for name, item in vars(kind).items()
        if name not in {"__dict__", "__weakref__", "__init_subclass__"}
    }
    made = object.__new__(type("Own", (dp.spaces.Space,), {**kept, **claims}))
    for name, value in vars(base).items():
        object.__setattr__(made, name, value)
    return made


def planned(space):
    ball = Ball(space, np.array([0.0, 0.0, 1.0]), 0.3)
    mean = dp.FrechetMean(ball)
    return dp.plan(mean, n=100, budget=dp.GDP(1), mechanism="riemannian-gaussian")


def test_a_sphere_of_another_class_has_the_proved_gaussian():
    made, expected = planned(own(dp.Sphere(2))), planned(dp.Sphere(2))
    assert made.calibration.scale == expected.calibration.scale
    with pytest.raises(MechanismRefusedError, match="needs a point of a sphere"):
        planned(own(dp.Sphere(2), space_form=False))


def test_other_geodesics_are_no_longer_those_of_a_sphere():
    class Bent(dp.Sphere):
        def log(self, p, q):
            return super().log(p, q)

    assert dp.Sphere(2).space_form
    assert not Bent(2).space_form
    assert dp.Rotations().projective


def test_readings_and_names_ask_the_space():
    reading = dp.readings.Directions("dec-inc")
    reading.require(own(dp.Sphere(2)))
    with pytest.raises(GeomdpError, match="sphere:2:4"):
        reading.require(dp.Sphere(2, 4.0))
    product = own(dp.Product(dp.Sphere(2), dp.Euclidean(1)))
    assert dp.readings.names.named_count(dp.Summary(product, 0.1)) == 2


def test_colours_of_a_map_may_be_registered_for_a_space():
    def labels(space, center):
        grid = np.asarray(center)
        return [s.label for s in shades_of(dp.MapMean(Ball(space, grid, 1.0), 2, 0.5))]

    assert len(labels(dp.SPD(3, "log-euclidean"), np.eye(3))) == 2
    assert labels(dp.SPD(2, "log-euclidean"), np.eye(2)) == ["distance from the public centre"]


@pytest.mark.parametrize("spec", ["rotations:3", "hyperbolic:2:2:2", "spd"])
def test_an_example_in_a_refusal_is_a_space(spec):
    with pytest.raises(GeomdpError, match="is not a space") as refused:
        space_from_spec(spec)
    example = str(refused.value).split('"')[1]
    assert space_from_spec(example).spec.split(":")[0] == spec.split(":")[0]
    assert example in SPACES.examples()
