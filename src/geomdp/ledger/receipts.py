"""What links a release to its debit: receipts, hashes of public things, fingerprints of records."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.io.record_bytes import bytes_of
from geomdp.ledger.chain import Entry
from geomdp.ledger.keys import Key
from geomdp.plans.loading import read_content
from geomdp.plans.release import Release
from geomdp.serial import Document, digest_of
from geomdp.sources.records import as_records

#: The field of a manifest that holds the receipt.
FIELD = "ledger"
#: What calibrates nothing in a plan's document.
_NO_INPUTS = frozenset({"derived", "about", "hash"})


@dataclass(frozen=True)
class Receipt:
    """What a manifest says of its debit. Public, and independent of the data.

    Attributes
    ----------
    entry
        Number of the debit.
    head
        Head of the chain just after it.
    commitment
        To the records' fingerprint: uniformly random.

    Examples
    --------
    >>> Receipt(3, "ab", "cd").to_json()
    {'entry': 3, 'head': 'ab', 'commitment': 'cd'}
    """

    entry: int
    head: str
    commitment: str

    def to_json(self) -> Document:
        """Return the field of the manifest."""
        return asdict(self)


def plan_hash(document: Any) -> str:
    """Hash the public inputs of a plan, given as its JSON.

    Without what follows from them: forecasts improve, and last digits differ between machines. Nor
    what is said about it: the same release under another title is the same release.
    """
    return digest_of(_inputs(document))


def release_hash(release: Release) -> str:
    """Hash the values and manifests of a release: the same in memory and read from its folder."""
    parts = {label: release_hash(part) for label, part in release.parts.items()}
    return _content_hash(release.manifest, parts)


def folder_hash(folder: Path) -> str:
    """Hash a release in its folder, as :func:`release_hash` does."""
    manifest, _ = read_content(folder)
    listed = manifest.pop("parts", {})
    manifest.pop("files", None)
    parts = {label: folder_hash(folder / entry["folder"]) for label, entry in listed.items()}
    return _content_hash(manifest, parts)


def receipt_problem(debit: Entry, manifest: Mapping[str, Any]) -> str | None:
    """Say why a manifest is not that of a release which this debit paid for; None if it is."""
    receipt = Receipt(debit.number, debit.link, debit.body["commitment"])
    if FIELD not in manifest:
        return "its manifest names no ledger"
    if manifest[FIELD] != receipt.to_json():
        return "its receipt is another one than the ledger's"
    if plan_hash(manifest["plan"]) != debit.body["plan"]:
        return "another plan was paid for"
    if manifest["plan"]["derived"]["cost"] != debit.body["cost"]:
        return "another cost was paid for"
    return None


def _content_hash(manifest: Mapping[str, Any], parts: Mapping[str, str]) -> str:
    return digest_of({"manifest": dict(manifest), "parts": dict(parts)})


def _inputs(item: Any) -> Any:
    if not isinstance(item, dict):
        return item
    return {key: _inputs(part) for key, part in item.items() if key not in _NO_INPUTS}


# --- Recognise records without storing them: a keyed hash that forgets file names and row order.


HASH_BYTES = 32
#: Fixed length, so that NumPy's padding of texts with zeros loses nothing.
KIND = f"S{HASH_BYTES}"
#: Hashes up to this size are sorted in memory, others in a file without a name: keyed hashes alone
#: are written there, and nobody finds them but this process.
KEPT_BYTES = 1 << 25
#: Hashes that are read back at once.
PIECE = 1 << 15


def fingerprint(key: Key, records: Any) -> str:
    """Return the keyed hash of a multiset of records. It never leaves the ledger.

    Each record is hashed as its doubles, the hashes are sorted, and the whole is hashed again.
    Groups, persons and names of files do not count: the same points are the same data.
    """
    data = as_records(records)
    hashes = (key.mac("record", part) for chunk in data.chunks() for part in bytes_of(chunk))
    if HASH_BYTES * len(data) <= KEPT_BYTES:
        return _of_sorted(key, np.sort(np.frombuffer(b"".join(hashes), dtype=KIND)))
    with TemporaryFile() as file:
        file.writelines(hashes)
        file.flush()
        ordered = np.memmap(file, dtype=KIND, mode="r+")
        ordered.sort()
        return _of_sorted(key, ordered)


def _of_sorted(key: Key, hashes: NDArray[np.bytes_]) -> str:
    pieces = (hashes[i : i + PIECE].tobytes() for i in range(0, len(hashes), PIECE))
    return key.mac_of_pieces("fingerprint", hashes.nbytes, pieces).hex()
