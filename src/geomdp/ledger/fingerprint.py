"""Recognise records without storing them: a keyed hash that forgets file names and row order."""

from tempfile import TemporaryFile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from geomdp.io.record_bytes import bytes_of
from geomdp.ledger.keys import Key
from geomdp.sources.records import as_records

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

    Examples
    --------
    >>> from pathlib import Path
    >>> key = Key(bytes(32), Path("study.key"))
    >>> one = fingerprint(key, np.array([[0.0, 1.0], [2.0, 3.0]]))
    >>> one == fingerprint(key, np.array([[2, 3], [-0.0, 1]], dtype=np.float32))
    True
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
