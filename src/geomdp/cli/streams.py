"""Output on terminals and in files that have no Greek letters: their names instead."""

import codecs
import io
import sys

#: What is printed where a letter cannot be.
NAMES = {"ε": "epsilon", "δ": "delta", "μ": "mu", "ρ": "rho"}


def _named(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(NAMES.get(letter, "?") for letter in lost), error.end


def print_whatever_the_encoding() -> None:
    """Let no character of a message end the command: it may stand after a draw.

    Examples
    --------
    >>> print_whatever_the_encoding()
    >>> "ε = 1, pure; 30°".encode("ascii", "geomdp-names")
    b'epsilon = 1, pure; 30?'
    """
    codecs.register_error("geomdp-names", _named)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="geomdp-names")
