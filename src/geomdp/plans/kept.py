"""What a curator keeps of releases over time, apart from everything published.

A folder that only its owner can read: which steps of a plan were begun, keyed digests of the
records that entered in each, and of what was published. So no step is drawn twice, and records that
changed are noticed. Never published: a digest tells who knows the key whether a record is there.
"""

import hashlib
import hmac
import json
import logging
import os
import secrets
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from geomdp.errors import AlreadyReleasedError, GeomdpError
from geomdp.io.atomic import sync
from geomdp.io.record_bytes import bytes_of
from geomdp.serial import Document, parse_json
from geomdp.sources.records import Records

_log = logging.getLogger(__name__)
#: File of the key, digits of a step in the names of the others, and length of the key.
_KEY, _DIGITS, _KEY_BYTES = "key", 4, 32


@dataclass(frozen=True)
class Kept:
    """The private memory of one plan over time.

    The folder is of this plan alone, and made where it is missing.
    """

    folder: Path

    @classmethod
    def of_plan(cls, hashed: str, where: str | Path | None = None) -> "Kept":
        """Return the memory of the plan with this hash, in a folder or where the owner's lie."""
        if where is None:
            home = os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config"
            where = Path(home) / "geomdp" / "over-time"
        return cls(Path(where) / hashed[:32])

    def digests(self, entered: Iterable[Records]) -> list[str]:
        """Return a keyed digest of the records of each step: their numbers and what is beside."""
        return [_digest(self.key, records) for records in entered]

    def attempts(self, step: int) -> list[Document]:
        """Return what was noted of a step, one entry each time that it was begun."""
        found = []
        for file in sorted(self.folder.glob(f"{step:0{_DIGITS}d}-*.json")):
            try:
                noted = parse_json(file.read_text(encoding="utf-8"))
            except (OSError, ValueError, GeomdpError):  # begun, and killed before it was written
                noted = {}
            done = file.with_suffix(".done")
            published = done.read_text(encoding="utf-8") if done.is_file() else None
            found.append({"digests": None, **noted, "published": published})
        return found

    def require_new(self, step: int, again: bool) -> None:
        """Refuse a step that was begun before."""
        self._require_new(step, len(self.attempts(step)), again)

    def _require_new(self, step: int, attempts: int, again: bool) -> None:
        if attempts and not again:
            raise AlreadyReleasedError(
                f"Release {step} of this plan was begun before, and a step is drawn once. "
                "If its folder is there, that is the release. If it was stopped before there was "
                "one, its part is spent; a ledger can pay for a second draw, at the price of a "
                "whole release (--ledger, --again; again=True)."
            )

    def require_unchanged(self, step: int, published: str, digests: Sequence[str]) -> None:
        """Refuse records that differ from those of the step that is continued.

        ``published`` is the digest of what it published, ``digests`` those of the records now.
        """
        noted = self.attempts(step)
        fitting = [one for one in noted if one["published"] in (published, None)]
        if not fitting:
            reason = (
                "what it published is not what was noted when it was drawn: take the folder from "
                "its source"
                if noted
                else f"nothing is kept of it in {str(self.folder)!r}; say where it lies (kept=..., "
                "--kept)"
            )
            raise GeomdpError(f"Release {step} cannot be continued: {reason}.")
        exact = [one for one in fitting if one["published"] == published] or fitting
        before = exact[-1]["digests"]
        changed = [
            str(number)
            for number, pair in enumerate(zip(before or [], digests, strict=False), start=1)
            if pair[0] != pair[1]
        ]
        if before is None or changed:
            raise GeomdpError(
                f"Records that entered in release {', '.join(changed) or step} were changed, moved "
                "or withdrawn since, or are not known here: this plan is for records that stay as "
                "they entered. Put them back, or plan for changes (changes='charged', --changes "
                "charged)."
            )

    def begin(self, step: int, digests: Sequence[str] | None, again: bool) -> Path:
        """Note that a step is drawn now: alone, whoever else tries, and kept by the disk."""
        before = len(self.attempts(step))  # counted once: what comes between takes the same number
        self._require_new(step, before, again)
        file = self.folder / f"{step:0{_DIGITS}d}-{before + 1}.json"
        self.keep_key()
        text = json.dumps({"digests": None if digests is None else list(digests)})
        try:
            _write_new(file, text)
        except FileExistsError:
            raise AlreadyReleasedError(
                f"Release {step} of this plan is being drawn by another process."
            ) from None
        sync(self.folder)
        return file

    def finish(self, begun: Path, published: str) -> None:
        """Note what was published. The value is drawn: what fails now is told, never raised."""
        try:
            _write_new(begun.with_suffix(".done"), published)
        except OSError as error:
            _log.warning("What was published could not be noted (%s).", error.strerror)

    @cached_property
    def key(self) -> bytes:
        """The secret of the digests: that of the folder, or a new one, not written yet."""
        file = self.folder / _KEY
        try:
            found = bytes.fromhex(file.read_text(encoding="ascii")) if file.exists() else None
        except (OSError, ValueError) as error:
            raise self._unusable from error
        if found is not None and len(found) != _KEY_BYTES:
            raise self._unusable
        return secrets.token_bytes(_KEY_BYTES) if found is None else found

    def keep_key(self) -> None:
        """Write the key down, unless it is there; another process may have made another."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with suppress(FileExistsError):
                _write_new(self.folder / _KEY, self.key.hex())
            same = (self.folder / _KEY).read_text(encoding="ascii") == self.key.hex()
        except OSError as error:
            raise self._unusable from error
        if not same:
            raise AlreadyReleasedError("Another process draws a release of this plan just now.")

    @property
    def _unusable(self) -> GeomdpError:
        return GeomdpError(
            f"What is kept of releases over time cannot be read or written in "
            f"{str(self.folder)!r}; say where it may lie (kept=..., --kept)."
        )


def _write_new(file: Path, text: str) -> None:
    handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _digest(key: bytes, records: Records) -> str:
    """Digest a multiset of records with what stands beside them; the order of rows is nothing."""
    beside = {"person": records.person, **records.beside}
    named = sorted(
        ((name, column) for name, column in beside.items() if column is not None),
        key=lambda one: one[0],
    )
    key = _mac(key, *(name.encode() for name, _ in named))
    found: list[bytes] = []
    for chunk in records.chunks():
        for row, part in enumerate(bytes_of(chunk, left=0), start=len(found)):
            found.append(_mac(key, part, *(_cell(column[row]) for _, column in named)))
    return _mac(key, *sorted(found)).hex()


def _cell(cell: Any) -> bytes:
    number = isinstance(cell, float | np.floating | int | np.integer)
    return (repr(float(cell)) if number else str(cell)).encode(errors="replace")


def _mac(key: bytes, *parts: bytes) -> bytes:
    message = b"".join(len(part).to_bytes(8, "big") + part for part in parts)
    return hmac.digest(key, message, hashlib.sha256)
