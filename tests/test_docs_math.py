"""Formulas of the documentation: names of functions stand apart, boxes are drawn."""

from tools.docs_math import MATHML, polished


def set_as(inside: str) -> str:
    head = f'<math xmlns="{MATHML}">'
    return polished(f"{head}<mrow>{inside}</mrow></math>").removeprefix(head)[6:-14]


SPACE = '<mspace width="0.167em" />'
OPEN = '<mo stretchy="false">(</mo>'


def test_a_function_stands_apart_from_its_argument_but_not_from_a_bracket():
    assert set_as("<mn>2</mn><mi>ln</mi><mn>3</mn>") == (
        f"<mn>2</mn>{SPACE}<mi>ln</mi>{SPACE}<mn>3</mn>"
    )
    index = "<msub><mi>log</mi><mi>c</mi></msub>"
    assert set_as(f"{index}<mi>x</mi>") == f"{index}{SPACE}<mi>x</mi>"
    assert set_as(f"<mi>cos</mi>{OPEN}") == f"<mi>cos</mi>{OPEN}"
    assert set_as("<mi>a</mi><mi>b</mi>") == "<mi>a</mi><mi>b</mi>"


def test_an_operator_of_letters_is_a_name():
    assert set_as("<msub><mo>clip</mo><mi>r</mi></msub>") == (
        "<msub><mi>clip</mi><mi>r</mi></msub>"
    )


def test_upright_letters_stay_upright():
    assert set_as("<mi>&#x00064;</mi><mi>d</mi>") == '<mi mathvariant="normal">d</mi><mi>d</mi>'


def test_a_box_is_drawn_by_the_style_sheet():
    box = '<menclose notation="box"><mi>x</mi></menclose>'
    assert set_as(box) == '<mrow class="boxed"><mi>x</mi></mrow>'
