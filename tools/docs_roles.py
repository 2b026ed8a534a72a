"""MkDocs hook: Sphinx roles in docstrings, such as :func:`plan`, are shown as plain code."""

import re
from typing import Any

ROLE = re.compile(
    r":(?:func|class|meth|mod|data|attr):<code>(?P<hidden>~[\w.]*\.)?(?P<name>.*?)</code>"
)


def on_page_content(content: str, **_: Any) -> str:
    """Drop the role, and the modules that a leading ``~`` hides."""
    return ROLE.sub(r"<code>\g<name></code>", content)
