"""Arrays inside XML files, within bounds: what GIFTI and VTK files share."""

import base64
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any
from xml.parsers import expat

import numpy as np
from numpy.typing import NDArray

from geomdp.runtime.limits import LARGEST_RATIO


@dataclass
class Node:
    """An element: its name, its attributes, its text, and the elements inside."""

    name: str
    attributes: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    children: list["Node"] = field(default_factory=list)

    def all(self, name: str) -> list["Node"]:
        """Return the elements of this name anywhere inside, in the order of the file."""
        found = []
        for child in self.children:
            found += ([child] if child.name == name else []) + child.all(name)
        return found


#: Elements within elements, of which files of meshes have a handful, and elements in all.
_DEEPEST, _MOST = 50, 10_000
#: Bytes that are unpacked from however few.
_ALWAYS_UNPACKED = 1 << 22


def parse_xml(data: bytes) -> Node:
    """Parse a document; one that declares entities is refused: they can grow without bound."""
    root = Node("")
    stack, seen = [root], [0]
    parser = expat.ParserCreate()
    texts: list[list[str]] = [[]]

    def start(name: str, attributes: dict[str, str]) -> None:
        seen[0] += 1
        if len(stack) > _DEEPEST or seen[0] > _MOST:
            raise ValueError("it has too many elements, or nests them too deeply")
        node = Node(name, attributes)
        stack[-1].children.append(node)
        stack.append(node)
        texts.append([])

    def end(_: str) -> None:
        stack.pop().text = "".join(texts.pop())

    def characters(text: str) -> None:
        texts[-1].append(text)

    def refuse(*_: object) -> None:
        raise ValueError("it declares entities")

    parser.StartElementHandler = start
    parser.EndElementHandler = end
    parser.CharacterDataHandler = characters
    parser.EntityDeclHandler = refuse
    parser.Parse(data, True)
    return root.children[0]


def require_plausible_size(size: int, packed: int) -> None:
    """Refuse content that so few bytes cannot hold."""
    if size > max(_ALWAYS_UNPACKED, LARGEST_RATIO * packed):
        raise ValueError(f"{packed} bytes announce {size} unpacked")


def unpacked(data: bytes, size: int, wbits: int = 15) -> bytes:
    """Decompress what must come to ``size`` bytes, and no more."""
    require_plausible_size(size, len(data))
    inside = zlib.decompressobj(wbits).decompress(data, size + 1)
    if len(inside) != size:
        raise ValueError(f"{size} bytes were announced, and another number unpacked")
    return inside


def decoded(text: str) -> bytes:
    """Decode base64, whatever blanks are in it."""
    return base64.b64decode("".join(text.split()), validate=True)


def numbers_in(text: str, dtype: str) -> NDArray[Any]:
    """Read numbers written as text."""
    return np.array(text.split(), dtype=dtype)
