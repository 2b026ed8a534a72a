"""The door must be total: whatever numbers a record holds, it becomes a point of the ball."""

import warnings

import numpy as np

from geomdp.spaces.ball import Ball, overshoot
from geomdp.spaces.base import Space
from geomdp.testing.hostile import hostile_records
from geomdp.testing.judging import require_true
from geomdp.testing.samples import some_balls


def check_door(where: Space | Ball, count: int = 200, *, seed: int = 0) -> None:
    """Send hostile records through the door of a ball: each must come out inside.

    Distances are taken in interval arithmetic, so that no rounding of the space excuses a record
    beyond the radius (docs/theory/clipping.md).

    Parameters
    ----------
    where
        A ball, or a space, of which several balls are tried.
    count
        Number of records for each ball.
    seed
        Seed of the records.

    Raises
    ------
    AssertionError
        With the ball, and the record that escapes furthest.

    Examples
    --------
    >>> import geomdp as dp
    >>> check_door(dp.Ball(dp.Sphere(2), center=[0, 0, 1], radius=0.5), count=40)
    >>> class Careless(dp.Euclidean):
    ...     def dist(self, p, q):
    ...         d = super().dist(p, q)
    ...         return np.round(d, 2) if d.dtype == float else d
    >>> check_door(dp.Ball(Careless(2), center=[0, 0], radius=1.004), count=200)
    Traceback (most recent call last):
    AssertionError: euclidean:2, ball of radius 1.004: a record comes out ...
    """
    rng = np.random.default_rng(seed)
    for ball in [where] if isinstance(where, Ball) else some_balls(where):
        _check_ball(ball, count, rng)


def _check_ball(ball: Ball, count: int, rng: np.random.Generator) -> None:
    what = f"{ball.space.spec}, ball of radius {ball.radius:.6g}"
    records = hostile_records(ball.space, ball, count, rng)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            admitted = ball.admit(records)
        except Exception as error:
            raise AssertionError(f"{what}: the door raises {error!r}") from error
    kept = count - len(admitted.invalid)
    require_true(
        f"{what}: only {kept} of {count} hostile records were points, too few to test by",
        kept > count / 5,
    )
    require_true(f"{what}: the shape of records changes", admitted.records.shape == records.shape)
    finite = np.all(np.isfinite(admitted.records), axis=tuple(range(1, records.ndim)))
    escaped = np.full(count, np.inf)
    # What is no point becomes the centre, time and again: each different point is decided once.
    distinct, back = np.unique(admitted.records[finite], axis=0, return_inverse=True)
    escaped[finite] = overshoot(ball, distinct)[back.reshape(-1)]
    worst = int(np.argmax(escaped))
    require_true(
        f"{what}: a record comes out {escaped[worst]:.3g} beyond the radius: {records[worst]!r} "
        f"becomes {admitted.records[worst]!r}",
        escaped[worst] <= 0,
    )
