import numpy as np
import pytest

import geomdp as dp
from geomdp.errors import GeomdpError
from geomdp.shapes import crossing_edges, resample_outline
from geomdp.shapes.procedural import leaf_outlines, template_leaf


def test_leaves_are_simple_closed_outlines_that_repeat_with_their_seed() -> None:
    leaves = leaf_outlines(20, seed=3)
    assert all(crossing_edges(leaf) is None for leaf in [*leaves, template_leaf()])
    assert np.array_equal(leaves, leaf_outlines(20, seed=3))
    assert not np.array_equal(leaves, leaf_outlines(20, seed=4))


def test_the_population_differs_from_the_template_and_lies_in_the_public_ball() -> None:
    space = dp.PlanarShapes(40)
    center = space.require(resample_outline(template_leaf(), 40))
    leaves = np.array([resample_outline(leaf, 40) for leaf in leaf_outlines(200, seed=1)])
    distances = space.dist(center, space.require(leaves))
    assert np.mean(distances < 0.2) > 0.98
    assert space.dist(center, dp.frechet_mean(space, space.require(leaves)).point) > 0.02


def test_an_empty_sample_is_refused() -> None:
    with pytest.raises(GeomdpError, match="n >= 1"):
        leaf_outlines(0, seed=1)
