"""Does a mesh file hold all that its header announces? Parsers often read a stump in silence."""

from __future__ import annotations

import struct
from pathlib import Path

from geomdp.errors import InvalidRecordError
from geomdp.serial import parse_json


def require_complete(path: Path) -> None:
    r"""Compare an off, ply, stl or glb file with its own announcement; other formats pass.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "triangle.off"
    >>> _ = path.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n")
    >>> require_complete(path)
    Traceback (most recent call last):
    ...
    geomdp.errors.InvalidRecordError: it announces 4 lines of vertices and faces and has 2
    """
    check = {".off": _off, ".ply": _ply, ".stl": _stl, ".glb": _glb}.get(path.suffix.lower())
    if check is not None:
        check(path.read_bytes())


def _off(content: bytes) -> None:
    lines = [line.split(b"#")[0].split() for line in content.splitlines()]
    words = [line for line in lines if line]
    if words and words[0] == [b"OFF"]:
        words = words[1:]
    counts = [int(word) for word in words[0] if word.isdigit()] if words else []
    if len(counts) < 2:
        raise InvalidRecordError("it has no line with the number of vertices and faces")
    _require_lines(sum(counts[:2]), [b" ".join(line) for line in words[1:]])


def _ply(content: bytes) -> None:
    header, end, body = content.partition(b"end_header")
    if not end:
        raise InvalidRecordError("its header does not end")
    elements = [line.split() for line in header.splitlines() if line.startswith(b"element")]
    announced = sum(int(line[2]) for line in elements)
    if announced > len(body):
        raise InvalidRecordError(f"it announces {announced} elements in {len(body)} bytes")
    if b"format ascii" in header:
        _require_lines(announced, body.split(b"\n")[1:])


def _stl(content: bytes) -> None:
    if len(content) >= 84 and len(content) == 84 + 50 * struct.unpack("<I", content[80:84])[0]:
        return
    if not content.lstrip().startswith(b"solid"):
        raise InvalidRecordError("its length is not that of the number of triangles it announces")
    if b"endsolid" not in content[-1000:]:
        raise InvalidRecordError("its last line is not 'endsolid'")


def _glb(content: bytes) -> None:
    """Add up what arrays claim: one without bytes in the file is made of zeros by its length."""
    length = struct.unpack("<I", content[12:16])[0]
    if length > len(content) - 20:
        raise InvalidRecordError("its description is cut short")
    document = parse_json(content[20 : 20 + length])
    counts = [abs(int(one["count"])) for one in document.get("accessors", ())]
    if sum(counts) > len(content):  # a number takes a byte at least
        raise InvalidRecordError(f"it announces {sum(counts)} entries in {len(content)} bytes")


def _require_lines(announced: int, lines: list[bytes]) -> None:
    found = [line.split() for line in lines if line.strip()]
    if len(found) < announced:
        raise InvalidRecordError(
            f"it announces {announced} lines of vertices and faces and has {len(found)}"
        )
    last = found[announced - 1]
    if last[0].isdigit() and len(last) < int(last[0]) + 1:
        raise InvalidRecordError("its last face is not complete")
