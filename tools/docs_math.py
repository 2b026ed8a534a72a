"""MkDocs hook: formulas become MathML when the site is built, so that pages need no script."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

#: What the converter does not know, by what it does.
SYNONYMS = {
    r"\arg": r"\operatorname{arg}",
    r"\lVert": "\u2016",
    r"\rVert": "\u2016",
    r"\lfloor": "\u230a",
    r"\rfloor": "\u230b",
}
FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"(?P<open>\\\(|\\\[)(?P<tex>.*?)(?:\\\)|\\\])</(?P=tag)>",
    re.DOTALL,
)


def _plain(tex: str) -> str:
    """Replace names that the converter leaves as they are; words that only begin alike stay."""
    for name, other in SYNONYMS.items():
        tex = re.sub(re.escape(name) + r"(?![A-Za-z])", lambda _, other=other: other, tex)
    return tex


def on_page_content(content: str, **_: Any) -> str:
    """Replace each formula of a page."""

    def mathml(found: re.Match[str]) -> str:
        display = "block" if found["open"] == r"\[" else "inline"
        return convert(_plain(html.unescape(found["tex"])), display=display)

    return FORMULA.sub(mathml, content)
