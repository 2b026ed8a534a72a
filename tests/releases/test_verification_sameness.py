"""Two pages say the same but for last digits: what another machine rounds is no forgery."""

import base64
import io

import numpy as np
import pytest
from matplotlib.image import imsave

from geomdp.releases.verification.pages import first_difference, says_the_same


def picture(dots, **options):
    buffer = io.BytesIO()
    imsave(buffer, dots, format="png", **options)
    data = base64.b64encode(buffer.getvalue()).decode()
    return f'<img src="data:image/png;base64,{data}">'


def mesh(steps):
    data = base64.b64encode(np.asarray(steps, dtype="<i2").tobytes()).decode()
    return f'<canvas data-vertices="{data}">'


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("0.123456", "0.123457", True),
        ("0.123456", "0.123556", False),
        ("1e-300", "1e-300", True),
        ("1.500e-07", "1.501e-07", True),
        ("1.5e-07", "1.6e-07", False),
        ("epsilon 0.1", "epsilon 0.3", False),
        ("1e6 records", "200 records", False),
        ("600 records", "601 records", False),
        ("600000000 records", "600000001 records", False),
        ("M 12 5", "M 11.999999 5", True),
        ("M -0.000001", "M 0.000001", True),
        ("epsilon 1.0", "delta 1.0", False),
        ("1.0 2.0", "1.0", False),
    ],
)
def test_numbers_and_words(one, two, same):
    assert says_the_same(one, two) == same
    assert says_the_same(two, one) == same


def test_further_digits_are_no_last_digits():
    assert not says_the_same("0.12345678901234567890123456789", "0.123456789")


def test_pictures_agree_dot_by_dot():
    dots = np.random.default_rng(0).random((40, 40, 3)).round(1)
    assert says_the_same(picture(dots), picture(dots, pil_kwargs={"compress_level": 1}))
    assert says_the_same(picture(dots), picture(np.clip(dots + 0.004, 0, 1)))
    assert not says_the_same(picture(dots), picture(dots[::-1]))
    assert not says_the_same(picture(dots), picture(dots[:20]))
    assert not says_the_same(picture(dots), picture(dots).replace("base64,", "base64,AAAA"))
    assert not says_the_same(picture(dots), picture(dots) + picture(dots))


def test_meshes_agree_step_by_step():
    steps = np.arange(60) * 100
    assert says_the_same(mesh(steps), mesh(steps + 1))
    assert not says_the_same(mesh(steps), mesh(steps + 100))
    assert not says_the_same(mesh(steps), mesh(steps[:-3]))


def test_a_damaged_picture_is_another_one():
    good = picture(np.zeros((4, 4, 3)))
    head = base64.b64encode(base64.b64decode(good.split("base64,")[1][:-2])[:40]).decode()
    assert not says_the_same(good, f'<img src="data:image/png;base64,{head}">')


def test_the_first_difference_is_named_and_cannot_fool_a_terminal():
    assert (
        first_difference("<p>a b\x1b[2J</p>", "<p>a c</p>")
        == r"it says 'b\x1b[2J' where 'c' follows"
    )
    assert "pictures" in first_difference("<p>a</p><i>", "<p>a</p>")
    assert first_difference("a b", "a") == "it says 'b' where '' follows"
