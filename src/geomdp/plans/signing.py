"""Signatures of plans: who approved which hash, on which day, and if wanted by which key.

A signature is a small file beside a plan. Without a key it is a statement, as good as the way it
came; with one (Ed25519) nobody else can have made it. It signs the hash of the plan, which covers
every setting and word of it.
"""

from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from geomdp.errors import GeomdpError, MissingExtraError
from geomdp.io.atomic import write_new
from geomdp.io.documents import read_json
from geomdp.serial import Document, as_text, canonical

if TYPE_CHECKING:
    from geomdp.plans.base import Plan

#: How the names of signatures end.
SIGNATURE = ".signature.json"
#: Version of the file; no other is read.
SIGNATURE_FORMAT = 1
#: Characters of a name or a role.
MOST_CHARACTERS = 200


@dataclass(frozen=True)
class Signature:
    """One person's approval of one plan.

    Attributes
    ----------
    plan
        Hash of the plan.
    name, role
        Who signed, and as what.
    date
        The day, in UTC.
    key, signed
        Public key and Ed25519 signature of all the rest, in hex; empty where there is no key.
    """

    plan: str
    name: str
    role: str = ""
    date: str = ""
    key: str = ""
    signed: str = ""

    def __post_init__(self) -> None:
        for field, text in asdict(self).items():
            if not isinstance(text, str) or len(text) > MOST_CHARACTERS or not text.isprintable():
                raise GeomdpError(
                    f"The {field} of a signature is a line of at most {MOST_CHARACTERS} characters."
                )
        if not self.name.strip():
            raise GeomdpError("A signature needs the name of whoever signs.")

    @property
    def message(self) -> bytes:
        """What a key signs: all but the signature itself."""
        said = {**asdict(self), "format": SIGNATURE_FORMAT}
        said.pop("signed")
        return canonical(said).encode()

    def problem(self, plan: "Plan", key: str = "") -> str:
        """Say why it does not approve a plan; empty where it does.

        Parameters
        ----------
        plan
            Must have the hash that was signed.
        key
            Public key that must have signed, in hex; any, or none, if left out.
        """
        if self.plan != plan.hash:
            return "it signs another plan, or an earlier version of this one"
        if key and self.key != key:
            return "it was not signed by this key"
        return self.forgery

    @property
    def forgery(self) -> str:
        """Say that it is not what its key signed; empty where it is, or has no key."""
        if not self.key and not self.signed:
            return ""
        keys = _ed25519()
        try:
            public = keys.Ed25519PublicKey.from_public_bytes(bytes.fromhex(self.key))
            public.verify(bytes.fromhex(self.signed), self.message)
        except Exception:  # a number that is none, or a signature of something else
            return "its key did not sign what it says"
        return ""

    def save(self, file: str | Path) -> None:
        """Write it to a new file."""
        said = {name: text for name, text in asdict(self).items() if text}
        write_new(file, as_text({"format": SIGNATURE_FORMAT, **said}))


def sign_plan(plan: "Plan", name: str, role: str = "", key: str | Path | None = None) -> Signature:
    """Sign a plan.

    Parameters
    ----------
    plan
        What was read and approved.
    name, role
        Who signs, and as what.
    key
        File of an Ed25519 private key without a password (PEM), as
        ``openssl genpkey -algorithm ed25519`` writes it.

    Examples
    --------
    >>> import geomdp as dp
    >>> made = dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1))
    >>> signed = sign_plan(made.described(dp.About(title="A field")), "A. Reader")
    >>> signed.problem(made)
    'it signs another plan, or an earlier version of this one'
    """
    today = datetime.now(UTC).date().isoformat()
    made = Signature(plan.hash, name.strip(), role.strip(), today)
    if key is None:
        return made
    private = _private_key(Path(key))
    made = replace(made, key=private.public_key().public_bytes_raw().hex())
    return replace(made, signed=private.sign(made.message).hex())


def load_signature(file: str | Path) -> Signature:
    """Read a signature."""
    return signature_from_json(read_json(Path(file)))


def signature_from_json(document: Document) -> Signature:
    """Read a signature's document."""
    if not isinstance(document, dict) or document.get("format") != SIGNATURE_FORMAT:
        raise GeomdpError("This is no signature of a plan; make one with: geomdp sign.")
    said = {name: text for name, text in document.items() if name != "format"}
    if not said.keys() <= {field.name for field in fields(Signature)}:
        raise GeomdpError("This signature says what no signature says.")
    try:
        return Signature(**said)
    except TypeError as error:
        raise GeomdpError("This signature does not say who signed what.") from error


def public_key(file: str | Path) -> str:
    """Return the public key in a PEM file, private or public, in hex."""
    loading = _loading()
    content = _content(Path(file))
    try:
        found = loading.load_pem_public_key(content)
    except ValueError:
        return str(_private_key(Path(file)).public_key().public_bytes_raw().hex())
    if not isinstance(found, _ed25519().Ed25519PublicKey):
        raise GeomdpError(f"{Path(file).name} holds no Ed25519 key.")
    return str(found.public_bytes_raw().hex())


def _private_key(file: Path) -> Any:
    keys, loading = _ed25519(), _loading()
    try:
        found = loading.load_pem_private_key(_content(file), password=None)
    except (ValueError, TypeError) as error:
        raise GeomdpError(
            f"{file.name} is no private key without a password; make one with: openssl genpkey "
            "-algorithm ed25519."
        ) from error
    if not isinstance(found, keys.Ed25519PrivateKey):
        raise GeomdpError(f"{file.name} holds a key of another kind; Ed25519 is needed.")
    return found


def _content(file: Path) -> bytes:
    try:
        return file.read_bytes()
    except OSError as error:
        raise GeomdpError(f"The key {file.name} cannot be read: {error.strerror}.") from error


def _ed25519() -> Any:
    try:
        from cryptography.hazmat.primitives.asymmetric import ed25519
    except ImportError as error:
        raise MissingExtraError(_MISSING) from error
    return ed25519


def _loading() -> Any:
    try:
        from cryptography.hazmat.primitives import serialization
    except ImportError as error:
        raise MissingExtraError(_MISSING) from error
    return serialization


_MISSING = "Keys need cryptography: pip install 'geomdp[studio]'."
