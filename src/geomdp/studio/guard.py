"""Who may ask the studio, and how much: another page in the same browser may do neither.

Each request passes, in this order: the name of the host (so that no other name can be bound to
this address), the secret part of the address, where the browser says it comes from, the cookie,
and of a form its origin, its size and its token. What does not pass is answered without a word on
what there is.
"""

import hmac
import secrets
from collections.abc import Awaitable, Callable, MutableMapping
from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any, TypeAlias

Scope: TypeAlias = MutableMapping[str, Any]
Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]
App: TypeAlias = Callable[[Scope, Receive, Send], Awaitable[None]]

#: Bytes of a form, and of a release that is dropped.
LARGEST_FORM, LARGEST_DROP = 1 << 20, 64 << 20
#: Where a release, a plan or a signature is dropped.
DROPS = "/drop"
#: Name of the field that carries the token of a form.
TOKEN = "form-token"

#: What every answer says to the browser. Styles stand in pictures; scripts are files of our own.
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    ),
    "cache-control": "no-store",
    # Nothing to others; to ourselves the origin, which forms must show.
    "referrer-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}


@dataclass(frozen=True)
class Keys:
    """The secrets of one studio: new with each start, and never written down.

    ``address``: first part of every address. ``door``: part of the address that is opened first,
    and sets the cookie. ``cookie``: what the browser must send; no page can read it, so that an
    address that somebody sees over a shoulder is not enough. ``form``: what every form must carry.
    """

    address: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    door: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    cookie: str = field(default_factory=lambda: secrets.token_urlsafe(24))
    form: str = field(default_factory=lambda: secrets.token_urlsafe(24))

    @property
    def root(self) -> str:
        """What all addresses begin with."""
        return f"/{self.address}"


def equal(one: str, other: str) -> bool:
    """Compare secrets in a time that does not depend on where they differ."""
    return hmac.compare_digest(one.encode(), other.encode())


class TooLargeError(Exception):
    """More bytes came than are taken."""


class Guard:
    """Stands before an application, and lets through what comes from its own pages alone."""

    def __init__(self, app: App, keys: Keys, port: int) -> None:
        self._app, self._keys = app, keys
        self._hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        asked = Asked(scope)
        if scope["path"] == f"/{self._keys.door}" and not self._refusal(asked, at_the_door=True):
            await self._open(send)
            return
        refusal = self._refusal(asked)
        if refusal:
            await _answer(send, refusal)
            return
        scope = {**scope, "path": scope["path"].removeprefix(self._keys.root) or "/"}
        scope["raw_path"] = scope["path"].encode()
        limit = LARGEST_DROP if scope["path"] == DROPS else LARGEST_FORM
        if asked.length > limit:
            await _answer(send, 413)
            return
        await self._app(scope, limited(receive, limit), with_headers(send))

    def _refusal(self, asked: "Asked", at_the_door: bool = False) -> int:
        """Return the status of a request that is refused; 0 of one that is not."""
        if asked.one("host") not in self._hosts:
            return 421
        comes_from = asked.one("sec-fetch-site", "none")
        if at_the_door:  # opened from a terminal, or typed: no page leads there
            return 0 if (asked.method, comes_from) == ("GET", "none") else 403
        if not equal(asked.path.split("/")[1], self._keys.address):
            return 404
        own = comes_from in ("none", "same-origin")
        if not own or not equal(asked.cookie(self._keys.address), self._keys.cookie):
            return 403
        return self._refusal_of_method(asked)

    def _refusal_of_method(self, asked: "Asked") -> int:
        """Let forms in from our own pages alone."""
        if asked.method in ("GET", "HEAD"):
            return 0
        if asked.method != "POST":
            return 405
        return 0 if asked.one("origin") == f"http://{asked.one('host')}" else 403

    async def _open(self, send: Send) -> None:
        """Give the browser its cookie, and lead it in."""
        root = self._keys.root
        # Of this path alone: a server on another port, to which browsers send cookies as well, does
        # not know it.
        cookie = f"{name_of(self._keys.address)}={self._keys.cookie}; Path={root}"
        cookie += "; HttpOnly; SameSite=Strict"
        await _answer(send, 303, {"location": f"{root}/", "set-cookie": cookie})


def name_of(address: str) -> str:
    """Return the name of a studio's cookie, so that two of them do not share one."""
    return f"geomdp-{address[:8]}"


class Asked:
    """What the head of a request says."""

    def __init__(self, scope: Scope) -> None:
        self.method, self.path = scope["method"], scope["path"]
        self._said: dict[str, list[str]] = {}
        for name, value in scope["headers"]:
            self._said.setdefault(name.decode("latin-1").lower(), []).append(
                value.decode("latin-1")
            )

    def one(self, name: str, otherwise: str = "") -> str:
        """Return what a header says; nothing where two disagree."""
        values = self._said.get(name, [otherwise])
        return values[0] if len(values) == 1 else ""

    @property
    def length(self) -> int:
        """Bytes that it says will come; a word in place of a number is too many."""
        text = self.one("content-length", "0")
        return int(text) if text.isascii() and text.isdecimal() else LARGEST_DROP + 1

    def cookie(self, address: str) -> str:
        """Return the studio's cookie; empty where there is none."""
        try:
            found = SimpleCookie(self.one("cookie")).get(name_of(address))
        except CookieError:
            return ""
        return "" if found is None else found.value


def limited(receive: Receive, limit: int) -> Receive:
    """Take no more than so many bytes, whatever was said before."""
    taken = 0

    async def take() -> Message:
        nonlocal taken
        message = await receive()
        taken += len(message.get("body", b""))
        if taken > limit:
            raise TooLargeError
        return message

    return take


def with_headers(send: Send) -> Send:
    """Add to an answer what every one says; a page may say something stricter itself."""

    async def say(message: Message) -> None:
        if message["type"] == "http.response.start":
            own = {name.lower() for name, _ in message["headers"]}
            more = [
                (name.encode(), value.encode())
                for name, value in HEADERS.items()
                if name.encode() not in own
            ]
            message = {**message, "headers": [*message["headers"], *more]}
        await send(message)

    return say


async def _answer(send: Send, status: int, headers: dict[str, str] | None = None) -> None:
    """Answer without a page."""
    words = b"" if status < 400 else b"The studio does not answer this request."
    said = {**HEADERS, "content-type": "text/plain", "connection": "close", **(headers or {})}
    listed = [(name.encode(), value.encode()) for name, value in said.items()]
    await send({"type": "http.response.start", "status": status, "headers": listed})
    await send({"type": "http.response.body", "body": words})
