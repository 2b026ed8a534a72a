"""What links a release to the debit that paid for it: receipts and hashes of public things."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from geomdp.ledger.entries import Entry
from geomdp.plans.reading import read_content
from geomdp.releases.release import Release
from geomdp.serial import Document, digest_of

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

    >>> plan_hash({"n": 9, "derived": {"scale": 0.5}}) == plan_hash({"n": 9})
    True
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
