"""HTML that is safe by construction: text is escaped unless it was built here."""

import html
from collections.abc import Iterable
from typing import TypeAlias

#: Elements without content or end tag.
VOID = frozenset({"br", "hr", "img", "input", "link", "meta"})


class Html(str):
    """Text that is HTML already: made by :func:`tag`, or our own constants."""

    __slots__ = ()


#: What an element may contain: plain text is escaped.
Content: TypeAlias = "Html | str | float | Iterable[Content]"


def tag(name: str, /, *content: Content, **attributes: str | int) -> Html:
    """Return an element; ``class_`` stands for class, ``data_x`` for data-x.

    Examples
    --------
    >>> tag("p", "1 < 2 ", tag("b", "& more"), class_="note")
    '<p class="note">1 &lt; 2 <b>&amp; more</b></p>'
    """
    named = {key.rstrip("_").replace("_", "-"): value for key, value in attributes.items()}
    opening = "".join(f' {key}="{html.escape(str(value))}"' for key, value in named.items())
    if name in VOID:
        return Html(f"<{name}{opening}>")
    return Html(f"<{name}{opening}>{join(content)}</{name}>")


def join(content: Content) -> Html:
    """Concatenate content, escaping what is not HTML.

    Examples
    --------
    >>> join(["a < b", tag("br")])
    'a &lt; b<br>'
    """
    if isinstance(content, Html):
        return content
    if isinstance(content, str | int | float):
        return Html(html.escape(str(content)))
    return Html("".join(join(part) for part in content))


def table(head: Iterable[Content], rows: Iterable[Iterable[Content]], **attributes: str) -> Html:
    """Return a table with one header row, in a box that scrolls on narrow screens.

    With the class ``stack`` its rows become lists there, each cell below the name of its column.

    Examples
    --------
    >>> table(["x"], [[1.5]])
    '<div class="scroll"><table><thead><tr><th scope="col">x</th></tr></thead><tbody>...
    """
    names = list(head)
    header = tag("tr", [tag("th", cell, scope="col") for cell in names])
    stacked = "stack" in attributes.get("class_", "").split()
    labels = [{"data_label": name} if stacked and isinstance(name, str) else {} for name in names]
    body = [
        tag("tr", [tag("td", cell, **label) for cell, label in zip(row, labels, strict=False)])
        for row in rows
    ]
    inner = tag("table", tag("thead", header), tag("tbody", body), **attributes)
    return tag("div", inner, class_="scroll")


def pairs(items: Iterable[tuple[Content, Content]]) -> Html:
    """Return a description list of names and values.

    Examples
    --------
    >>> pairs([("n", 7)])
    '<dl><div><dt>n</dt><dd>7</dd></div></dl>'
    """
    return tag("dl", [tag("div", tag("dt", name), tag("dd", value)) for name, value in items])
