"""MkDocs hook: each executed notebook becomes a page, with its outputs as they were written."""

import html
import json
from collections.abc import Iterator
from typing import Any


def on_files(files: Any, config: Any) -> Any:
    """Add a page beside each notebook, which stays to be downloaded."""
    from mkdocs.structure.files import File

    for file in [one for one in files if one.src_uri.endswith(".ipynb")]:
        book = json.loads(file.content_string)
        page = file.src_uri.removesuffix(".ipynb") + ".md"
        text = page_of(book, file.src_uri.rpartition("/")[2])
        files.append(File.generated(config, page, content=text))
    return files


def page_of(book: dict[str, Any], name: str) -> str:
    r"""Return a notebook as Markdown: its title, where to get it, its cells.

    >>> cell = {"cell_type": "markdown", "source": ["# A\n", "word"]}
    >>> print(page_of({"cells": [cell]}, "a.ipynb").splitlines()[0])
    # A
    """
    title, *others = [part for cell in book["cells"] for part in _cell(cell)]
    head, _, rest = title.partition("\n")
    where = f"*A notebook, as it was executed: [{name}]({name}).*"
    return "\n\n".join([head, where, rest.strip(), *others]) + "\n"


def _cell(cell: dict[str, Any]) -> Iterator[str]:
    source = "".join(cell["source"])
    if cell["cell_type"] == "markdown":
        yield source
        return
    yield f"```python\n{source}\n```"
    for output in cell["outputs"]:
        yield _output(output)


def _output(output: dict[str, Any]) -> str:
    """Return the richest form of an output that a page can show."""
    data = output.get("data", {})
    if "image/png" in data:
        packed = "".join(data["image/png"]).replace("\n", "")
        return f'<img alt="What the cell draws." src="data:image/png;base64,{packed}">'
    if "text/html" in data:  # in one line: Markdown takes a block for what it is
        return f"<div>{' '.join(''.join(data['text/html']).split())}</div>"
    text = "".join(output.get("text") or data.get("text/plain", ""))
    return f"<pre>{html.escape(text.rstrip()).replace(chr(10), '&#10;')}</pre>"


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Let the list of notebooks lead to their pages; as a file it leads to the notebooks."""
    return markdown.replace(".ipynb)", ".md)") if page.file.name == "index" else markdown
