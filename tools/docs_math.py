"""MkDocs hook: formulas become MathML when the site is built, so that pages need no script."""

import html
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree

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
#: A letter set upright, which the converter writes as a number and browsers would slant.
UPRIGHT = re.compile(r"<mi>(&#x000(?:[46][1-9A-F]|[57][0-9A]);)</mi>")
MATHML = "http://www.w3.org/1998/Math/MathML"
ElementTree.register_namespace("", MATHML)
#: Elements that carry their first child's name: a function with an index or a power.
DRESSED = {"msub", "msup", "msubsup"}


def _plain(tex: str) -> str:
    """Replace names that the converter leaves as they are; words that only begin alike stay."""
    for name, other in SYNONYMS.items():
        tex = re.sub(re.escape(name) + r"(?![A-Za-z])", lambda _, other=other: other, tex)
    tex = tex.replace(r"\tag{", r"\qquad\tag{")
    return re.sub(r"\\mathbb ([A-Z])", r"\\mathbb{\1}", tex)


def _kind(element: ElementTree.Element) -> str:
    return element.tag.removeprefix(f"{{{MATHML}}}")


def _is_function(element: ElementTree.Element) -> bool:
    """Tell whether an element is a name of several letters, such as ``cos``, or one dressed up."""
    if _kind(element) in DRESSED:
        return _is_function(element[0])
    name = element.text or ""
    return _kind(element) == "mi" and len(name) > 1 and name.isalpha()


def _spaced(row: ElementTree.Element) -> None:
    """Put a thin space between a function and a neighbour that is neither bracket nor sign."""
    for left, right in pairwise(list(row)):
        if not (_is_function(left) or _is_function(right)):
            continue
        if {_kind(left), _kind(right)}.isdisjoint({"mo", "mspace", "mtext"}):
            space = ElementTree.Element(f"{{{MATHML}}}mspace", {"width": "0.167em"})
            row.insert(list(row).index(right), space)


def polished(mathml: str) -> str:
    """Set what the converter leaves rough: function names, upright letters, boxes.

    Examples
    --------
    >>> math = f'<math xmlns="{MATHML}"><mrow><mi>cos</mi><mi>t</mi></mrow></math>'
    >>> polished(math).removeprefix(f'<math xmlns="{MATHML}">')
    '<mrow><mi>cos</mi><mspace width="0.167em" /><mi>t</mi></mrow></math>'
    """
    tree = ElementTree.fromstring(UPRIGHT.sub(r'<mi mathvariant="normal">\1</mi>', mathml))
    for element in tree.iter():
        if (
            _kind(element) == "mo"
            and len(element.text or "") > 1
            and (element.text or "").isalpha()
        ):
            element.tag = f"{{{MATHML}}}mi"  # a name, not a sign: no room before its index
        if _kind(element) == "menclose":  # which browsers draw no longer
            element.tag = f"{{{MATHML}}}mrow"
            element.attrib = {"class": "boxed"}
    for element in tree.iter():
        if _kind(element) not in {*DRESSED, "mfrac", "munder", "mover", "munderover", "mroot"}:
            _spaced(element)
    return ElementTree.tostring(tree, encoding="unicode")


def on_page_content(content: str, **_: Any) -> str:
    """Replace each formula of a page."""
    from latex2mathml.converter import convert

    def mathml(found: re.Match[str]) -> str:
        display = "block" if found["open"] == r"\[" else "inline"
        return polished(convert(_plain(html.unescape(found["tex"])), display=display))

    return FORMULA.sub(mathml, content)
