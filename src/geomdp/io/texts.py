"""Text files as people have them: the encoding named where it is the cause, gzip in bounds."""

import codecs
import gzip
import zlib
from pathlib import Path

from geomdp.errors import InvalidRecordError
from geomdp.io.limits import ALWAYS_READ, LARGEST_RATIO, require_plain_file

#: Bytes of text that are decompressed however small the file: as a table they take a tenfold.
ALWAYS_UNPACKED = ALWAYS_READ >> 3


def read_text(path: Path, replace: bool = False) -> str:
    r"""Read a text file, gzipped if its name ends so, in UTF-8.

    Parameters
    ----------
    path
        The file.
    replace
        Whether bytes that are no UTF-8 become question marks, so that they spoil their own record
        alone.

    Raises
    ------
    InvalidRecordError
        If it is in another encoding, which is named, or unpacks to implausibly much.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "a.csv"
    >>> _ = path.write_text("site,x,y\nMálaga,1,2\n", encoding="latin-1")
    >>> read_text(path)
    Traceback (most recent call last):
    geomdp.errors.InvalidRecordError: a.csv is not in UTF-8: line 2 has the byte 0xe1, as files ...
    """
    require_plain_file(path)
    data = unpacked(path) if is_packed(path) else path.read_bytes()
    require_narrow(data, path.name)
    return decoded(data.removeprefix(codecs.BOM_UTF8), path.name, data, replace=replace)


def require_narrow(head: bytes, file: str) -> None:
    """Refuse a file whose first bytes say that its characters are wider than UTF-8's."""
    wide = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
    if wide is not None or _looks_wide(head):
        name = wide or "UTF-16LE"
        like = "" if name == "UTF-32" else ", as Excel's 'Unicode text' is"
        raise InvalidRecordError(
            f"{file} is in {name}{like}; save it as CSV UTF-8, or convert it: iconv -f {name} "
            "-t UTF-8."
        )


def decoded(data: bytes, file: str, head: bytes, line: int = 1, replace: bool = False) -> str:
    r"""Return some lines of a file as text.

    Parameters
    ----------
    data
        The lines, in UTF-8.
    file
        Its name.
    head
        How the file begins: tells what it is if it is no text.
    line
        Number of the first line.
    replace
        As :func:`read_text` says.

    Examples
    --------
    >>> decoded(b"1,2\n", "a.csv", b"x,y\n")
    '1,2\n'
    """
    try:
        return data.decode("utf-8", "replace" if replace else "strict")
    except UnicodeDecodeError as error:
        if head.startswith(b"\x1f\x8b"):
            raise ValueError("it is gzipped: let its name end in .gz") from None
        if any(byte < 32 and byte not in b"\t\r\n" for byte in head[:4096]):
            raise  # no text at all
        line += data.count(b"\n", 0, error.start)
        raise InvalidRecordError(
            f"{file} is not in UTF-8: line {line} has the byte 0x{data[error.start]:02x}, as "
            "files in Latin-1 (Western European) have; save it as CSV UTF-8, or convert it: iconv "
            "-f LATIN1 -t UTF-8."
        ) from None


#: Marks at the beginning of files in other encodings; none of them begins a text in UTF-8.
_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def _looks_wide(data: bytes) -> bool:
    """Tell whether every second byte of the beginning is zero: UTF-16 without a mark."""
    start = data[:64]
    return len(start) >= 4 and not any(start[1::2]) and all(start[0::2])


def is_packed(path: Path) -> bool:
    """Tell whether a file is gzipped, by its name.

    >>> is_packed(Path("a.csv")), is_packed(Path("a.csv.GZ"))
    (False, True)
    """
    return path.name.lower().endswith(".gz")


def unpacked(path: Path) -> bytes:
    """Return the content of a gzipped file, or refuse an implausible one."""
    most = max(ALWAYS_UNPACKED, LARGEST_RATIO * path.stat().st_size)
    try:
        with gzip.open(path) as stream:
            data = stream.read(most + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise ValueError(f"gzip: {error}") from error
    if len(data) > most:
        raise InvalidRecordError(
            f"{path.name} unpacks to more than {most} bytes; it is damaged, or unpack it first."
        )
    return data
