"""Recognise records without storing them: a keyed hash that forgets file names and row order."""

from typing import Any

import numpy as np

from geomdp.ledger.keys import Key
from geomdp.record_bytes import bytes_of
from geomdp.records import as_records


def fingerprint(key: Key, records: Any) -> str:
    """Return the keyed hash of a multiset of records. It never leaves the ledger.

    Each record is hashed as its doubles, the hashes are sorted, and the whole is hashed again.
    Groups, persons and names of files do not count: the same points are the same data.

    Examples
    --------
    >>> from pathlib import Path
    >>> key = Key(bytes(32), Path("study.key"))
    >>> one = fingerprint(key, np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> one == fingerprint(key, np.array([[2, 3], [-0.0, 1]], dtype=np.float32))
    True
    """
    chunks = as_records(records).chunks()
    hashes = [key.mac("record", part) for chunk in chunks for part in bytes_of(chunk)]
    # Fixed length, so that NumPy's padding of texts with zeros loses nothing.
    ordered = np.sort(np.frombuffer(b"".join(hashes), dtype="S32"))
    return key.mac("fingerprint", ordered.tobytes()).hex()
