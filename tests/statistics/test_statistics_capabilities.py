"""What statistics declare: records, values, and what they can do beside answering."""

from typing import ClassVar

import numpy as np
import pytest

import geomdp as dp
from geomdp.curves import Matern
from geomdp.mechanisms import MECHANISMS, Request
from geomdp.spaces import RecordShape
from geomdp.statistics import HasGradient, HasMesh, PointStatistic
from geomdp.surfaces import make_template, template_face

CURVED = dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.3)
FLAT = dp.Ball(dp.Euclidean(2), center=np.zeros(2), radius=1.0)
CURVE = dp.FunctionMean(np.zeros(20), tau=1.0, kernel=Matern(0.2), phi=0.01)


class Delegating(PointStatistic):
    """A Fréchet mean that is no FrechetMean: what it can do, it says by its methods."""

    tag: ClassVar[str] = "delegating"

    def __init__(self, ball):
        self.inner = dp.FrechetMean(ball)
        self.ball, self.space = ball, ball.space

    def admit(self, records):
        return self.inner.admit(records)

    def tolerance(self, n):
        return self.inner.tolerance(n)

    def estimate(self, encoded, tolerance):
        return self.inner.estimate(encoded, tolerance)

    def sensitivity(self, n, bound):
        return self.inner.sensitivity(n, bound)

    def gradient_sensitivity(self, n, bound):
        return self.inner.gradient_sensitivity(n, bound)

    def describe(self):
        return "a mean"

    def to_json(self):
        return {"tag": self.tag}

    @classmethod
    def from_json(cls, document):
        raise NotImplementedError


def test_kng_serves_whatever_has_a_gradient():
    request = [Request(s(CURVED), 50, dp.Pure(1)) for s in (dp.FrechetMean, Delegating)]
    theirs, ours = (MECHANISMS["kng"].calibrate(r).scale for r in reversed(request))
    assert theirs == ours
    with pytest.raises(dp.errors.MechanismRefusedError, match="have a gradient"):
        MECHANISMS["kng"].calibrate(Request(dp.TangentMean(CURVED), 50, dp.Pure(1)))


def test_capabilities_are_declared():
    surfaces = dp.SurfaceMean(make_template(template_face()), rings=4, points=8)
    gradient = [dp.FrechetMean(CURVED), Delegating(CURVED)]
    assert all(isinstance(s, HasGradient) for s in gradient)
    assert not any(isinstance(s, HasGradient) for s in (CURVE, dp.Summary(dp.Sphere(2), 0.1)))
    assert isinstance(surfaces, HasMesh)
    assert not isinstance(CURVE, HasMesh)
    assert CURVE.as_linear().linear is CURVE
    assert dp.FrechetMean(CURVED).as_linear() is None
    assert isinstance(dp.FrechetMean(FLAT).as_linear().linear, dp.TangentMean)
    assert Delegating(FLAT).as_linear() is None


@pytest.mark.parametrize(
    ("space", "shape"),
    [
        (dp.Sphere(2), RecordShape((3,))),
        (dp.SPD(3), RecordShape((3, 3), symmetric=True)),
        (dp.SPD(2, "log-euclidean"), RecordShape((2, 2), symmetric=True)),
        (dp.PlanarShapes(4), RecordShape((4, 2), complex=True, landmarks=True)),
    ],
    ids=lambda item: getattr(item, "spec", ""),
)
def test_a_record_is_written_down_as_its_space_says(space, shape):
    assert space.record_shape == shape
    assert dp.Summary(space, 0.1).record_shape == shape


def test_values_are_declared():
    for statistic in (dp.FrechetMean(CURVED), dp.TangentMean(CURVED)):
        assert statistic.value_space == CURVED.space
        assert statistic.public_ball is CURVED
        assert statistic.public_value is CURVED.center
    assert CURVE.value_space is None
    assert CURVE.public_ball is None
    assert CURVE.record_shape == RecordShape((20,))
    assert dp.Summary(dp.Sphere(2), 0.1).public_ball is None


def test_what_a_ball_does_not_define_is_refused():
    with pytest.raises(dp.errors.GeomdpError, match="A ball alone does not say"):
        dp.FunctionMean.in_ball(FLAT)
    assert dp.TangentMean.in_ball(FLAT).ball is FLAT
