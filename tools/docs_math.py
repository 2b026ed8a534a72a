"""MkDocs hook: formulas become MathML when the site is built, so that pages need no script."""

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(
    r'<(?P<tag>span|div) class="arithmatex">'
    r"(?P<open>\\\(|\\\[)(?P<tex>.*?)(?:\\\)|\\\])</(?P=tag)>",
    re.DOTALL,
)


def on_page_content(content: str, **_: Any) -> str:
    """Replace each formula of a page."""

    def mathml(found: re.Match[str]) -> str:
        display = "block" if found["open"] == r"\[" else "inline"
        return convert(html.unescape(found["tex"]), display=display)

    return FORMULA.sub(mathml, content)
