"""What every page must satisfy: balanced, self-contained, and readable by a strict parser."""

import re
from html.parser import HTMLParser

VOID = {"br", "hr", "img", "input", "link", "meta"}
#: SVG shapes that close themselves.
SELF_CLOSING = {"path", "use", "rect", "circle", "line", "image"}


class Page(HTMLParser):
    """Collects tags, text and ids, and notes every tag that is not closed in order."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.problems: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()
        self.problems += [f"<{name}> is not closed" for name in self.open]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.attributes += [(tag, name, value or "") for name, value in attrs]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.problems.append(f"</{tag}> closes something else")

    def handle_data(self, data: str) -> None:
        if not self.open or self.open[-1] not in ("style", "script"):
            self.words.append(data)

    @property
    def text(self) -> str:
        return re.sub(r"\s+", " ", " ".join(self.words))


def check_page(text: str) -> Page:
    """Parse a page and assert what holds for all of them."""
    page = Page(text)
    assert page.problems == []
    assert "://" not in text, "a page must not name anything outside itself"
    for tag, name, value in page.attributes:
        if name in ("src", "href", "xlink:href"):
            allowed = value.startswith(("#", "data:")) or tag == "a"
            assert allowed, f"{tag} asks for {value}"
    ids = [value for _, name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids)), "ids must not repeat"
    return page
