"""Write ``docs/glossary.md`` from the words that the architecture page defines."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "glossary.md"
_HEAD = """# Glossary

One word, one meaning, in these pages, in the code and in what the command prints. The search field
above finds each of them; the pages that tell more are linked.

| word | means |
|---|---|
"""
#: Where more is told, by the word.
MORE = {
    "reading": "how-to/your-files.md",
    "public": "how-to/choose-a-ball.md",
    "unit": "theory/persons.md",
    "group": "how-to/group-means.md",
    "budget": "how-to/choose-epsilon.md",
    "law": "theory/radial-sampling.md",
    "envelope": "theory/kng-envelope.md",
    "manifest": "reference/verification.md",
    "curator": "how-to/who-signs-what.md",
    "caveat": "limits.md",
    "door": "theory/clipping.md",
}


def rows() -> list[tuple[str, str]]:
    """Return the words with their meanings, by the alphabet.

    >>> dict(rows())["point"]
    'an element of a space'
    """
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    words = text.partition("## Words")[2]
    found = re.findall(r"^\| ([^|]+?) \| (.+) \|$", words, re.MULTILINE)
    return sorted((word, meaning) for word, meaning in found if word != "word")


def page() -> str:
    """Return the page."""
    lines = []
    for word, meaning in rows():
        first = word.partition(",")[0]
        more = f" ([more]({MORE[first]}))" if first in MORE else ""
        lines.append(f"| **{word}** | {meaning}{more} |\n")
    return _HEAD + "".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
