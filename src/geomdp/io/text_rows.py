"""The rows of a text table in parts: found in one walk over the file, read one part at a time.

Parts end where rows end, so that each is read by itself, here or on another machine, and no more of
the file is in memory. A quoted cell may hold the ends of lines: where a part has quotes, its rows
are counted by parsing them.
"""

import codecs
import csv
import gzip
import hashlib
import io
import re
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, NamedTuple, Protocol

from geomdp.errors import InvalidRecordError
from geomdp.runtime.limits import ALWAYS_READ, LARGEST_RATIO, read_as, require_plain_file

#: Bytes of a part, about: as texts its cells take a tenfold.
PART_BYTES = 1 << 22
#: Bytes at the beginning that tell what ends a line, and what separates its cells.
HEAD_BYTES = 1 << 20
#: Bytes of a line, at most.
LONGEST_LINE = 1 << 28
#: A first line as all but old Macintosh programs end it; it is a header where records may be odd.
_FIRST_LINE = re.compile(r"[^\r\n]*\r?(?:\n|\Z)")
#: What is neither a quote nor perhaps a delimiter.
_TEXT = re.compile(r'[^",;\t]+')
#: A number with a decimal comma.
_COMMA = re.compile(r"[+-]?\d*,\d+(?:[eE][+-]?\d+)?")


class Span(NamedTuple):
    """Where a part lies in its file, how many rows it has, and what tells it from others."""

    start: int
    length: int
    rows: int
    digest: bytes


class Rows(Protocol):
    """Rows of a table as texts, in parts: of a text file, or of a sheet."""

    @property
    def path(self) -> Path:
        """The file."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """The parts, each with a row at least."""

    @property
    def above(self) -> int:
        """Rows of the file that stand before these."""

    def read(self, number: int) -> list[list[str]]:
        """Return the rows of a part."""


@dataclass(frozen=True)
class TextRows:
    """Rows of cells, in parts.

    ``apart``: whether every line is a row whatever it holds, so that none
    changes how others are read. ``comma``: whether numbers have a decimal comma. ``end``,
    ``delimiter``: what ends a line, and what separates its cells; where that is empty, each line
    tells. ``spans``: the parts, each with a row at least.
    """

    path: Path
    apart: bool
    comma: bool
    end: str
    delimiter: str
    spans: tuple[Span, ...] = ()
    #: A text table begins with its first row.
    above: int = 0

    def read(self, number: int) -> list[list[str]]:
        """Return the rows of a part, or refuse a file that is not the one of the walk."""
        span = self.spans[number]
        with read_as(self.path, "text table"):
            with _opened(self.path) as stream:
                stream.seek(span.start)
                data = stream.read(span.length)
            if _digest(data) != span.digest:
                raise InvalidRecordError(
                    f"{self.path.name} is not the file whose rows were counted: it was changed "
                    "meanwhile, or a worker has another; release again when it is at rest."
                )
            return list(self.rows_of(data.decode("utf-8", "replace")))

    def rows_of(self, text: str) -> Iterator[list[str]]:
        """Parse lines; empty ones are no rows, unless each line is one."""
        if self.apart:
            rows: Iterator[list[str]] = map(self._cells, self._lines(text))
        else:
            parsed = csv.reader(text.split(self.end), delimiter=self.delimiter or ",")
            rows = (row for row in parsed if row)
        return ([with_point(cell) for cell in row] for row in rows) if self.comma else rows

    def count(self, text: str, last: bool) -> tuple[int, int]:
        """Count the rows of whole lines, and the characters of those that do not go on after them.

        The last lines of a file end its last row, also within quotes.
        """
        if self.apart:
            return len(self._lines(text)), len(text)
        lines = text.split(self.end)
        if '"' not in text:
            return sum(1 for line in lines if line.strip("\r\n")), len(text)
        count, ended = 0, 0
        reader = csv.reader(lines if last else [*lines, ""], delimiter=self.delimiter or ",")
        for row in reader:
            if reader.line_num > len(lines):  # it took what comes after the lines
                break
            count, ended = count + bool(row), reader.line_num
        whole = sum(len(line) + 1 for line in lines[:ended])
        return count, min(whole, len(text))

    def require_closed(self, text: str, first: int) -> None:
        """Refuse lines of which one leaves a quote open; the first of them has this number."""
        for number, line in enumerate(self._lines(text) if '"' in text else (), first):
            if '"' in line and (line.count('"') % 2 or self._goes_on(line)):
                raise InvalidRecordError(
                    f"Line {number} of {self.path.name} opens a quotation mark that it does not "
                    "close, so that a cell may hold lines of other persons; write cells without "
                    "line breaks, or leave columns of free text out of the file."
                )

    def _goes_on(self, line: str) -> bool:
        """Tell whether a line ends within quotes: a reader then asks for the next one."""
        delimiter = self.delimiter or _delimiter(line, self.comma)
        # Without what stands in the cells, of which none is then an error by its length.
        reader = csv.reader([_TEXT.sub("x", line), ""], delimiter=delimiter)
        try:
            next(reader)
        except csv.Error:  # a cell of nothing but very many delimiters
            return True
        return reader.line_num > 1

    def _lines(self, text: str) -> list[str]:
        """Return all lines, empty ones too; what ends the last one begins no other."""
        return text.removesuffix(self.end).split(self.end) if text else []

    def _cells(self, line: str) -> list[str]:
        """Parse a line by itself: a quote left open ends with it, and nothing in it is an error."""
        delimiter = self.delimiter or _delimiter(line, self.comma)
        line = line.removesuffix("\r")
        try:
            return next(csv.reader([line], delimiter=delimiter), []) or [""]
        except csv.Error:  # a cell of unusual length, or the end of a line within it
            return line.split(delimiter)


def find_rows(
    path: Path,
    apart: bool = False,
    comma: bool = False,
    header: bool = True,
    closed: bool = False,
) -> TextRows:
    """Walk over a file, and find the parts of its rows.

    ``path``: a text table, gzipped if its name ends so; then it is one part. ``apart``, ``comma``:
    as :class:`TextRows` says. ``header``: whether the first line may tell how the others are to be
    read; where records lie apart and it is one of them, it may not. ``closed``: whether each line
    must close the quotes it opens.

    Raises ``InvalidRecordError`` if it is no text in UTF-8, or a line leaves a quote open that must
    not.
    """
    with read_as(path, "text table"), _opened(path) as stream:
        head = stream.read(HEAD_BYTES)
        start = len(codecs.BOM_UTF8) if head.startswith(codecs.BOM_UTF8) else 0
        shape = TextRows(path, apart, comma, "\n", "")
        if header or not apart:
            require_narrow(head, path.name)
            shape = _shape(path, apart, comma, head[start:].decode("utf-8", "replace"))
        stream.seek(start)
        step = -1 if is_packed(path) else PART_BYTES
        spans = tuple(_spans(shape, stream, head, start, step, closed))
    return TextRows(path, apart, comma, shape.end, shape.delimiter, spans)


def first_row(rows: Rows) -> list[str]:
    """Return the cells of the first row, without blanks around them; none of an empty file."""
    return [cell.strip() for cell in rows.read(0)[0]] if rows.spans else []


def _shape(path: Path, apart: bool, comma: bool, text: str) -> TextRows:
    """Say how the beginning of a file is to be cut into rows and cells."""
    end = "\n" if _FIRST_LINE.match(text) else "\r"
    return TextRows(path, apart, comma, end, _delimiter(text.partition(end)[0], comma))


def _delimiter(line: str, comma: bool) -> str:
    """Return what separates the cells of a line: the most frequent of those that may."""
    return max(";\t" if comma else ",;\t", key=line.count)


def _spans(
    shape: TextRows, stream: IO[bytes], head: bytes, start: int, step: int, closed: bool
) -> Iterator[Span]:
    """Cut the rest of a stream into parts of whole rows; those without rows are left out."""
    line, held, end = 1, b"", shape.end.encode()
    for block, last in _blocks(stream, end, step):
        held += block
        text = decoded(held, shape.path.name, head, line, shape.apart)
        if "\0" in text and not shape.apart:
            raise ValueError("it has zero bytes")
        if closed:
            shape.require_closed(text, line)
        count, characters = shape.count(text, last)
        whole = held if characters == len(text) else text[:characters].encode()
        if count:
            yield Span(start, len(whole), count, _digest(whole))
        start, line, held = start + len(whole), line + whole.count(end), held[len(whole) :]


def _blocks(stream: IO[bytes], end: bytes, step: int) -> Iterator[tuple[bytes, bool]]:
    """Yield whole lines, about so many bytes at a time, and whether they are the last."""
    held, more = b"", stream.read(step)
    while more:
        held, more = held + more, stream.read(step)
        cut = len(held) if not more else held.rfind(end) + 1
        if cut:
            yield held[:cut], not more
        held = held[cut:]
        if len(held) > LONGEST_LINE:
            raise ValueError(f"it has a line of more than {LONGEST_LINE} bytes")


def _opened(path: Path) -> AbstractContextManager[IO[bytes]]:
    return io.BytesIO(unpacked(path)) if is_packed(path) else path.open("rb")


def _digest(data: bytes) -> bytes:
    return hashlib.blake2b(data, digest_size=16).digest()


def with_point(cell: str) -> str:
    """Write a number with a decimal comma with a point; leave all else as it is."""
    return cell.replace(",", ".") if _COMMA.fullmatch(cell.strip()) else cell


#: Bytes of text that are decompressed however small the file: as a table they take a tenfold.
ALWAYS_UNPACKED = ALWAYS_READ >> 3


def read_text(path: Path, replace: bool = False) -> str:
    """Read a text file, gzipped if its name ends so, in UTF-8.

    Where told to ``replace``, bytes that are no UTF-8 become question marks, so that they spoil
    their own record alone.

    Raises ``InvalidRecordError`` if it is in another encoding, which is named, or unpacks to
    implausibly much.
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
    """Return some lines of a file as text.

    ``head`` is how the file begins: it tells what it is if it is no text.
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
    """Tell whether a file is gzipped, by its name."""
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
