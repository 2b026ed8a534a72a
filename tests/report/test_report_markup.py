import pytest
from report_checks import Page

from geomdp.report.markup import Html, join, pairs, table, tag
from geomdp.report.page import page


def test_text_and_attributes_are_escaped() -> None:
    evil = "</p><script>alert('x')</script>\" onload=\"alert(1)"
    for element in (
        tag("p", evil),
        tag("p", title=evil),
        table([evil], [[evil]]),
        pairs([(evil, evil)]),
    ):
        parsed = Page(element)
        assert parsed.problems == []
        assert "<script>" not in element
        assert {name for _, name, _ in parsed.attributes} <= {"title", "class", "scope"}


def test_html_is_not_escaped_twice() -> None:
    assert tag("b", tag("i", "a & b")) == "<b><i>a &amp; b</i></b>"
    assert join(["<", Html("<br>"), 1.5]) == "&lt;<br>1.5"


def test_plain_text_operations_do_not_make_html() -> None:
    # A str method returns a plain str, which is escaped again: never trusted by accident.
    assert not isinstance(Html("<b>").upper(), Html)


@pytest.mark.parametrize("title", ["A < B", "</title><script>"])
def test_a_page_is_whole_and_forbids_requests(title: str) -> None:
    text = page(title, "hello")
    parsed = Page(text)
    assert parsed.problems == []
    assert "default-src 'none'" in text
    assert "<script" not in text
    assert "prefers-color-scheme: dark" in text
    assert "@media print" in text
