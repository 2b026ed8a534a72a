"""An image is what its own pixels say, whatever lies beside it and whatever holds them all."""

import numpy as np
import pytest

from geomdp.images.reading import Descriptors

READING, SHAPE = Descriptors(6, 5), (6, 5)
PIXELS = np.random.default_rng(0).integers(0, 256, (4, *SHAPE), dtype=np.uint8)
EXPECTED = READING.points(PIXELS)


def as_objects(kind):
    """Hold each image as one object, of its own type."""
    held = np.empty(len(PIXELS), dtype=object)
    held[:] = [kind(image) for image in PIXELS]
    return held


def with_one(raw, what):
    """Put something else in the place of the second image's first pixel."""
    raw[1, 0, 0] = what
    return raw


HOLD = {
    "list": lambda: [*PIXELS[:1], None, *PIXELS[2:]],
    "lists": lambda: [PIXELS[0].tolist(), "north", *PIXELS[2:].tolist()],
    "objects": lambda: with_one(PIXELS.astype(object), None),
    "objects of NumPy": lambda: with_one(np.array([[[*r] for r in i] for i in PIXELS], "O"), None),
    "text among objects": lambda: with_one(PIXELS.astype(object), "north"),
    "masked": lambda: with_one(np.ma.array(PIXELS), np.ma.masked),
    "masked objects": lambda: with_one(np.ma.array(PIXELS.astype(object)), np.ma.masked),
    "images of objects": lambda: [PIXELS[0].astype(object), None, *PIXELS[2:].astype(object)],
    "masked images": lambda: [
        np.ma.array(PIXELS[0]),
        np.ma.array(PIXELS[1], mask=PIXELS[1] > 3),
        *PIXELS[2:],
    ],
}


@pytest.mark.parametrize("name", HOLD)
def test_one_gap_does_not_make_other_images_of_integers_dark_or_bright(name):
    found = READING.points(HOLD[name](), SHAPE)
    assert np.isnan(found[1]).all()
    others = [0, 2, 3]
    assert found[others].tobytes() == EXPECTED[others].tobytes()


@pytest.mark.parametrize(
    "hold",
    [
        lambda: PIXELS.astype(object),
        lambda: np.ma.array(PIXELS),
        lambda: np.ma.array(PIXELS, mask=False),
        lambda: as_objects(np.array),
        lambda: as_objects(np.ma.array),
        PIXELS.tolist,
        lambda: (PIXELS / 255.0).astype(object),
    ],
    ids=["objects", "no mask", "mask", "one object each", "masked each", "lists", "floats"],
)
def test_the_same_pixels_are_the_same_records(hold):
    assert READING.points(hold(), SHAPE).tobytes() == EXPECTED.tobytes()


def test_an_image_that_is_too_large_or_raises_is_its_own_trouble():
    class Angry:
        def __array__(self, *_, **__):
            raise RuntimeError

    huge = np.broadcast_to(np.uint8(1), (10**7, 10**6))
    found = READING.points([PIXELS[0], huge, Angry(), PIXELS[3]], SHAPE)
    assert np.isnan(found[1:3]).all()
    assert found[[0, 3]].tobytes() == EXPECTED[[0, 3]].tobytes()
