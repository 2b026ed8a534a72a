"""What notebooks show of an object: the lines that it prints, escaped."""

from html import escape

#: Columns of the label that begins a line.
LABEL = 13


class Shown:
    """An object whose notebook view is a table of its printed lines: a label, and what it says."""

    def _repr_html_(self) -> str:
        rows = "".join(_row(line) for line in str(self).splitlines())
        return f'<table style="text-align:left">{rows}</table>'


def _row(line: str) -> str:
    label, text = line[:LABEL], line[LABEL:]
    if label[-1:].strip():  # a sentence, and no line with a label
        label, text = "", line
    return f"<tr><th>{escape(label.strip())}</th><td>{escape(text.strip())}</td></tr>"
