"""Move a released value into the public ball: post-processing that cannot fail."""

import numpy as np

from geomdp.spaces.ball import Ball
from geomdp.typing import Array


def project_into(ball: Ball, value: Array) -> Array:
    """Return a point of the ball for every array of the right shape: moved in, else the centre.

    Total, since a draw that is refused and made again would follow another law than the one that
    was accounted for: nothing here may raise, whatever the noise did to the value
    (docs/theory/laplace.md, "Afterwards").

    Examples
    --------
    >>> import geomdp as dp
    >>> ball = dp.Ball(dp.Euclidean(2), center=[0.0, 0.0], radius=1.0)
    >>> project_into(ball, np.array([0.0, 9.0])).round(6).tolist()
    [0.0, 1.0]
    >>> project_into(ball, np.array([0.0, np.inf])).tolist()
    [0.0, 0.0]
    """
    center = np.array(ball.center)
    with np.errstate(all="ignore"):
        try:
            moved = np.asarray(ball.clip(np.asarray(value)[None]))[0]
            # Written so that NaN fails.
            inside = bool(ball.space.dist(ball.center, moved) <= ball.radius)
        except Exception:
            return center
    return moved if inside and bool(np.all(np.isfinite(moved))) else center
