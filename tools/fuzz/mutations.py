"""Ways to damage bytes, texts and JSON documents, from a given source of randomness."""

import json
import re
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

#: Texts that readers meet where a number should stand.
ODD_NUMBERS = (
    *("0", "-0", "1", "-1", "2", "3", "0.5", "1e-300", "5e-324", "1e308", "1e309", "-1e400"),
    *("nan", "inf", "-inf", "NA", "null", "none", "", " ", "1e-17", "1e999999999", "1_000", "0x10"),
    *("12345678", "99999999999999999999", "9223372036854775808", "4294967296", "2147483647"),
    *("-2147483648", "1,5", "50%", "１２", "−3", "½", "1/3", "1/0", "1e", "+", ".", "true", "'1'"),
    *('"', '"1', "1j", "2026-01-01", "\u0000", "\ufeff", "\u2028", "a" * 300, "1" * 400),
)
_NUMBER = re.compile(rb"[-+]?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?")
_EDGES = (0, 1, 2, 0x7F, 0x80, 0xFE, 0xFF)


def random_bytes(rng: Random, most: int = 400) -> bytes:
    """Return bytes without structure."""
    return rng.randbytes(rng.randrange(most))


def cut(rng: Random, data: bytes) -> bytes:
    """Leave out the end."""
    return data[: rng.randrange(len(data) + 1)]


def damage(rng: Random, data: bytes, first: int = 0) -> bytes:
    """Change, insert, repeat or leave out a few bytes at or after the place ``first``."""
    held = bytearray(data)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        if len(held) <= first:
            return bytes(held)
        place = rng.randrange(first, len(held))
        kind = rng.randrange(6)
        if kind == 0:
            held[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            held[place] = rng.choice(_EDGES)
        elif kind == 2:
            held[place : place + 4] = rng.choice((b"\xff" * 4, b"\0" * 4, rng.randbytes(4)))
        elif kind == 3:
            held[place:place] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 4:
            del held[place : place + rng.randrange(1, 9)]
        else:
            end = place + rng.randrange(1, 60)
            held[place:place] = held[place:end]
    return bytes(held)


def damage_text(rng: Random, text: bytes) -> bytes:
    """Replace numbers by odd ones, and swap, repeat, join or leave out lines."""
    for _ in range(rng.choice((1, 1, 2, 3))):
        lines = text.split(b"\n")
        place = rng.randrange(len(lines))
        kind = rng.randrange(8)
        if kind < 4:
            text = _odd_number(rng, text)
        elif kind == 4:
            lines[place:place] = [lines[rng.randrange(len(lines))]]
            text = b"\n".join(lines)
        elif kind == 5:
            del lines[place]
            text = b"\n".join(lines)
        elif kind == 6:
            text = b"\n".join(lines[:place]) + rng.choice((b",", b" ", b"\r\n", b";", b"\t")).join(
                [b"", *lines[place:]]
            )
        else:
            text = damage(rng, text)
    return text


def _odd_number(rng: Random, text: bytes) -> bytes:
    found = list(_NUMBER.finditer(text))
    if not found:
        return text
    hit = rng.choice(found)
    return text[: hit.start()] + rng.choice(ODD_NUMBERS).encode() + text[hit.end() :]


def damage_document(rng: Random, document: Any) -> Any:
    """Change one entry somewhere in a JSON document: its value, its type, its key, its place."""
    document = json.loads(json.dumps(document))
    places = list(_places(document))
    for _ in range(rng.choice((1, 1, 1, 2))):
        if not places:
            break
        holder, key = rng.choice(places)
        kind = rng.randrange(8)
        if isinstance(holder, dict) and kind == 0:
            holder.pop(key, None)
        elif isinstance(holder, dict) and kind == 1:
            holder[rng.choice(("", "x", "format", key + " "))] = holder.get(key)
        elif kind == 2:
            other, name = rng.choice(places)
            if name in other if isinstance(other, dict) else name < len(other):
                _put(holder, key, json.loads(json.dumps(other[name])))
        else:
            _put(holder, key, rng.choice(_ODD_VALUES)(rng))
    return document


def _put(holder: Any, key: Any, value: Any) -> None:
    if isinstance(holder, dict) or key < len(holder):
        holder[key] = value


def _places(item: Any) -> list[tuple[Any, Any]]:
    keys: Sequence[Any] = ()
    if isinstance(item, dict):
        keys = list(item)
    elif isinstance(item, list):
        keys = range(len(item))
    return [(item, key) for key in keys] + [p for key in keys for p in _places(item[key])]


def _nested(rng: Random) -> Any:
    item: Any = 0
    for _ in range(rng.choice((3, 300))):
        item = [item] if rng.random() < 0.5 else {"a": item}
    return item


_ODD_VALUES: tuple[Callable[[Random], Any], ...] = (
    lambda _: None,
    lambda rng: rng.choice((True, False)),
    lambda rng: rng.choice((0, 1, 2, 3, -1, 7, 10**6, 2**31, 2**63, 10**30, 10**400)),
    lambda rng: rng.choice((0.0, -0.0, 0.5, 1e-300, 5e-324, 1e300, float("nan"), float("inf"))),
    lambda rng: rng.choice(ODD_NUMBERS),
    lambda rng: rng.choice(("laplace", "kng", "sphere:2", "spd:3", "../x", "/", "paper", "gdp")),
    lambda rng: rng.choice(([], {}, [1], {"a": 1}, [None], [[1.0, 2.0]])),
    _nested,
)
