"""Names that may be published: a name that could be somebody's number is none.

The value is written under the names of the records' columns. A table without a header, or one whose
first line is damaged, would publish a person's numbers there; so a line counts as a header only if
no cell of it can be data, and a name that does not pass is replaced by a neutral one.
"""

import re
import unicodedata
from collections.abc import Sequence

#: What people and programs write where a number is missing or is a truth value, letters alone.
_NO_NUMBER = frozenset(
    (
        *("na", "nan", "nanind", "inf", "infinity", "infty", "null", "none", "nil", "missing"),
        *("undefined", "undef", "unknown", "empty", "nd", "bdl", "lod", "tbd", "true", "false"),
        "error",
    )
)
#: Five digits in a row, or digits around a decimal mark: an identifier or a measurement.
_LIKE_DATA = re.compile(r"\d{5}|\d[.,]\d")
_LONGEST = 64


def cannot_be_data(cell: str) -> bool:
    """Tell whether a cell is a word: neither a number in any spelling, nor a mark for none.

    What counts is the first letter or digit: numbers begin with a digit behind whatever signs,
    quotes, brackets or currencies; names begin with a letter.

    Examples
    --------
    >>> [cannot_be_data(cell) for cell in ("t_xx", "x1", "n.a.", "−3", "12 kg", "'0,5'", "")]
    [True, True, False, False, False, False, False]
    """
    text = unicodedata.normalize("NFKC", cell).casefold().strip()
    if text.startswith("#") and text.endswith(("!", "?")):
        return False  # what spreadsheets write where a formula fails
    core = "".join(character for character in text if character.isalnum())
    if not core or core in _NO_NUMBER:
        return False
    return core[0].isalpha() and unicodedata.numeric(core[0], None) is None


def published_names(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names under which a value is written: these, or neutral ones for all columns.

    Examples
    --------
    >>> published_names(["north", "east"]), published_names(["1", "2"])
    (('north', 'east'), ('column 1', 'column 2'))
    >>> published_names(["P12345678"])
    ('column 1',)
    """
    if len(set(names)) == len(names) and all(_publishable(name) for name in names):
        return tuple(names)
    return tuple(f"column {i + 1}" for i in range(len(names)))


def _publishable(name: str) -> bool:
    text = unicodedata.normalize("NFKC", name)
    plain = name.isprintable() and len(name) <= _LONGEST
    return plain and cannot_be_data(name) and not _LIKE_DATA.search(text)
