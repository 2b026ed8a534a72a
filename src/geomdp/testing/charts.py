"""Properties of spaces that are a total chart at a centre, and nothing else."""

import numpy as np

from geomdp.testing.judging import require_at_most, require_close, require_true
from geomdp.testing.samples import Samples


def frame_at_a_point_is_orthonormal(given: Samples) -> None:
    """``frame_exp`` of unit vectors leaves the point in ``dim`` orthonormal directions."""
    space, p, h = given.space, given.points(1, 1)[0], 1e-3
    frame = space.log(p, space.frame_exp(p, h * np.eye(space.dim))) / h
    gram = np.array([[float(space.inner(p, u, v)) for v in frame] for u in frame])
    require_close("an inner product of the frame", gram, np.eye(space.dim), atol=1e-11)


def chart_has_the_lengths_of_logs(given: Samples) -> None:
    """``frame_log`` keeps inner products, row by row, and ``frame_exp`` inverts it."""
    space, p, x = given.space, given.points(20, 1)[0], given.points(20, 2)
    v, logs = space.frame_log(p, x), space.log(p, x)
    require_close(
        "the length of frame_log", np.linalg.norm(v, axis=-1), space.dist(p, x), atol=1e-12
    )
    products = space.inner(p, logs[:1], logs)
    require_close("an inner product of frame_log", v @ v[0], products, atol=1e-12)
    back = space.canonical(space.frame_exp(p, v))
    require_at_most("dist(frame_exp(p, frame_log(p, x)), x)", space.dist(back, x), 1e-12)
    for i in range(len(x)):
        alone = space.frame_log(p, x[i : i + 1])[0]
        require_true("frame_log of a point depends on others", np.array_equal(alone, v[i]))


def chart_is_total_on_its_own_values(given: Samples) -> None:
    """Whatever vector noise makes of coordinates, it is a point that has coordinates again."""
    space, p, rng = given.space, given.points(1, 1)[0], np.random.default_rng(3)
    noise = rng.standard_normal((40, space.dim)) * 10.0 ** rng.uniform(-6, 6, (40, 1))
    points = space.canonical(space.frame_exp(p, noise))
    inside = space.contains(points)
    require_true(f"noise leaves the space: {inside.reason}", inside)
    require_true("a released point has no log", np.all(np.isfinite(space.frame_log(p, points))))
