"""The property suite has the power to refute: a space with one thing wrong fails by its name."""

import numpy as np
import pytest

from geomdp.spaces import SPD, Ball, Euclidean, Hyperbolic, Product, Sphere
from geomdp.testing import check_door, check_space


class LongLog(Sphere):
    def log(self, p, q):
        return (1 + 1e-9) * super().log(p, q)


class SquaredDistance(Euclidean):
    def dist(self, p, q):
        return super().dist(p, q) ** 2


class LopsidedDistance(Hyperbolic):
    def dist(self, p, q):
        return super().dist(p, q) * (1 + 1e-6 * p[..., 0])


class ShearingMove(Euclidean):
    def move(self, p, x):
        return super().move(p, x) * 1.01


class LazyTransport(Sphere):
    def transport(self, p, q, v):
        return v


class TurningTransport(Sphere):
    """Isometric, but it turns vectors about the arrival point."""

    def transport(self, p, q, v):
        carried, angle = super().transport(p, q, v), 0.3 * super().dist(p, q)[..., None]
        return np.cos(angle) * carried + np.sin(angle) * np.cross(q, carried)


class FlatHessian(Sphere):
    def log_and_hessian(self, p, q):
        return self.log(p, q), lambda v: v + 0 * self.log(p, q)


class FlatClaim(Sphere):
    @property
    def curvature_bounds(self):
        return (0.0, 0.0)


class LongFrame(SPD(2).__class__):
    def from_frame(self, coordinates):
        return super().from_frame(coordinates) * 2


class FlatVolume(Hyperbolic):
    def log_volume_density(self, t, direction):
        return (self.dim - 1) * np.log(t) + 0 * direction[..., 0]


class LowEnvelope(Sphere):
    def log_volume_envelope(self, t):
        return super().log_volume_envelope(t) - 0.1


class Endless(Sphere):
    def log_volume_density(self, t, direction):
        return super().log_volume_density(np.mod(t, np.pi), direction)


class Unlimited(Hyperbolic):
    @property
    def laplace_rate_limit(self):
        return 0.0


class LongFrameLog(Hyperbolic):
    def frame_log(self, p, x):
        return 1.01 * super().frame_log(p, x)


class OtherIntervals(Euclidean):
    def coordinates(self, x):
        return x if x.dtype == float else x + 1e-9


class CoarseChart(Euclidean):
    def coordinates(self, x):
        return np.round(x, 6)


class OpenChart(Sphere):
    def point(self, coordinates):
        return coordinates


class DoublesOnly(Euclidean):
    def exp(self, p, v):
        return np.asarray(p + v, dtype=np.float64)


class Raising(Euclidean):
    def transport(self, p, q, v):
        raise NotImplementedError("later")


class Renamed(Euclidean):
    @property
    def spec(self):
        return f"euclidean:{self.dim + 1}"


class RoundTorus(Product):
    """Lets noise go as far in every direction as in the farthest: some points are met twice."""

    def log_volume_density(self, t, direction):
        flat = (self.dim - 1) * np.log(t) + 0 * direction[..., 0]
        return np.where(t < self.farthest, flat, -np.inf)


class CutTorus(RoundTorus):
    """Takes the least of its cut distances for all: the corners are never reached."""

    @property
    def farthest(self):
        return self.injectivity_radius


CIRCLES = (Sphere(1), Sphere(1))

MUTANTS = [
    (LongLog(2), "exp and log are inverse: dist"),
    (SquaredDistance(2), "distance is the length of log and symmetric: the norm of log"),
    (SquaredDistance(2), "triangle inequality"),
    (LopsidedDistance(2), "distance is the length of log and symmetric: dist(q, p)"),
    (ShearingMove(2), "move is an isometry that takes the origin to p"),
    (ShearingMove(2), "moving back undoes moving"),
    (LazyTransport(2), "transport is isometric and turns geodesics around"),
    (TurningTransport(2), "transport is parallel"),
    (FlatHessian(2), "hessian agrees with differences of log"),
    (FlatClaim(2), "triangles lie between those of the curvature bounds"),
    (LongFrame(2), "frame is orthonormal"),
    (FlatVolume(3), "volume density is the determinant of the exponential"),
    (LowEnvelope(2), "envelope is above the density and concave"),
    (Endless(2), "no volume beyond the cut locus"),
    (RoundTorus(*CIRCLES), "volume lies where geodesics are shortest: log volume where another"),
    (CutTorus(*CIRCLES), "volume lies where geodesics are shortest: a shortest way without volume"),
    (Unlimited(2), "laplace rate limit is the growth of the envelope"),
    (LongFrameLog(2), "frame coordinates are those of an orthonormal frame"),
    (OtherIntervals(2), "intervals agree with floats and are tiny: coordinates in intervals"),
    (CoarseChart(2), "coordinates and point are inverse"),
    (OpenChart(2), "rounded coordinates are still points: point leaves the space"),
    (DoublesOnly(2), "single precision stays single: exp of singles is float64"),
    (Raising(2), "transport is parallel: NotImplementedError: later"),
    (Renamed(2), "spec names the space: 'euclidean:3' leads to"),
]


@pytest.mark.parametrize(("space", "said"), MUTANTS, ids=lambda x: x if type(x) is str else "")
def test_a_broken_space_is_named_with_its_property(space, said):
    with pytest.raises(AssertionError) as caught:
        check_space(space)
    assert f"\n- {said}" in str(caught.value)


def test_a_torus_keeps_every_property():
    check_space(Product(*CIRCLES))
    check_space(Product(*CIRCLES, weights=(1.0, 4.0)))


class Inside(Euclidean):
    """Takes every float point for the centre, so that the door lets all in."""

    def dist(self, p, q):
        d = super().dist(p, q)
        return 0 * d if d.dtype == float else d


class Fragile(Euclidean):
    def dist(self, p, q):
        raise OverflowError("too far")


@pytest.mark.parametrize(
    ("space", "said"), [(Inside(2), "beyond the radius"), (Fragile(2), "the door raises Overflow")]
)
def test_a_door_that_lets_records_escape_is_named(space, said):
    ball = Ball(space, np.zeros(2), 1.0)
    with pytest.raises(AssertionError, match=f"euclidean:2, ball of radius 1: .*{said}"):
        check_door(ball, count=40)
