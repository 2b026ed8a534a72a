from dataclasses import dataclass
from typing import ClassVar

import pytest
from report_checks import Page

from geomdp.report.rendering import (
    Block,
    Captioned,
    Figure,
    Folded,
    Html,
    Items,
    Note,
    Section,
    Table,
    Tiles,
    part,
    picture_or_words,
    render,
)

EVIL = "</p><script>alert('x')</script>\" onload=\"alert(1)"


@pytest.mark.parametrize(
    "block",
    [
        Note(EVIL),
        Items([EVIL]),
        Figure(EVIL, EVIL),
        Table([EVIL], [[EVIL]]),
        Table([EVIL], [[EVIL]], "stack"),
        Tiles([(EVIL, EVIL)]),
        Captioned([(EVIL, EVIL)]),
        Folded(EVIL, EVIL),
        Section(EVIL, [EVIL]),
        part("pairs", [(EVIL, EVIL)]),
        part("warnings", [EVIL]),
        part("opening", EVIL, EVIL, EVIL, [EVIL], [(EVIL, EVIL)]),
        part("image", EVIL, EVIL),
        part("turn", EVIL, EVIL, EVIL, EVIL),
        part("titled", [(EVIL, EVIL)]),
        part("panels", [EVIL, EVIL]),
        part("hashed", EVIL, EVIL),
        part("light", EVIL, EVIL),
        part("cite", [EVIL]),
    ],
    ids=lambda block: getattr(block, "macro", "part"),
)
def test_text_and_attributes_are_escaped(block: Block) -> None:
    parsed = Page(str(block))
    assert parsed.problems == []
    assert "<script>" not in str(block)
    names = {name for _, name, _ in parsed.attributes}
    assert "onload" not in names


def test_html_is_not_escaped_twice() -> None:
    assert "<p><i>a &amp; b</i></p>" in str(Section("x", [Note(Html("<i>a &amp; b</i>"), "")]))


def test_text_is_a_paragraph_and_blocks_are_themselves() -> None:
    text = str(Section("x", ["a < b", "", Note("small")]))
    assert "<p>a &lt; b</p>" in text
    assert text.count("<p") == 2


def test_a_picture_that_fails_is_a_sentence() -> None:
    assert "beyond what a picture can show" in str(picture_or_words(lambda: Html(1 / 0)))

    @dataclass(frozen=True)
    class Broken(Block):
        macro: ClassVar[str] = "figure"

    assert "beyond what a picture can show" in str(picture_or_words(Broken))


def test_what_a_template_names_must_be_there() -> None:
    with pytest.raises(Exception, match="undefined"):
        render("combined", title="x", script="")


@pytest.mark.parametrize("title", ["A < B", "</title><script>"])
def test_a_page_is_whole_and_forbids_requests(title: str) -> None:
    text = render("audit", title=title, audits=[], passed=True, script="")
    parsed = Page(text)
    assert parsed.problems == []
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
