"""Errors that a curator can act on: one sentence with the way out.

Every class but the last derives from :class:`ValueError`; all are raised before any noise is drawn,
and cost no budget unless they say so.
"""

import difflib
import re
from collections.abc import Iterable


class GeomdpError(ValueError):
    """Base of all errors raised on purpose by this package."""


class InvalidRecordError(GeomdpError):
    """A record (or public point) is not what the space expects; shown to the curator only.

    ``record`` is the row of the first record that is refused, where one is.
    """

    def __init__(self, sentence: str = "", record: int | None = None) -> None:
        super().__init__(sentence)
        self.record = record


class MissingExtraError(InvalidRecordError):
    """An optional package that a format needs is not installed: nothing is wrong with the file."""


class InvalidBallError(GeomdpError):
    """A ball's centre or radius is outside what the theory covers."""


class BudgetError(GeomdpError):
    """A budget is not positive, not finite, or not of the kind needed."""


class LedgerError(GeomdpError):
    """A ledger cannot be used as asked: it is not there, not intact, or the entry is not."""


class BudgetSpentError(LedgerError):
    """Not enough budget is left; the sentence says requested, remaining and difference."""


class AlreadyReleasedError(LedgerError):
    """The same plan was charged for the same records before."""


class MechanismRefusedError(GeomdpError):
    """A mechanism cannot give the guarantee asked for; the sentence says what would help."""


class MachinesError(RuntimeError):
    """Machines that hold the records are not fit to answer, or failed; it says if noise was drawn.

    No :class:`ValueError`, so that no solver takes it for a failure of its method and goes on.
    """


#: A number, and its unit behind it.
_WITH_UNIT = re.compile(r"[+-]?\d+(?:[.,]\d+)?\s*(%|[^\W\d_]{1,6}\.?)")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the end of a sentence about a name that is not known: a full stop, or what is meant.

    >>> did_you_mean("F", ["f", "m"]), did_you_mean("age", ["f", "m"])
    ('; did you mean f?', '.')
    """
    folded = {name.strip().casefold(): name for name in known}
    within = [name for name in folded.values() if word in name.split("-") and word != name]
    if len(within) > 1:
        return f"; did you mean one of {', '.join(within)}?"
    near = difflib.get_close_matches(word.strip().casefold(), folded, 1)
    return f"; did you mean {folded[near[0]]}?" if near else "."


def way_out_of_unit(cell: str) -> str | None:
    """Say what to do about a number with a unit behind it; None of any other text.

    >>> way_out_of_unit("50%")
    'write it as a share, 0.5 for 50%, without the sign'
    >>> way_out_of_unit("20 yr")
    "write the number alone, and its unit 'yr' in the column's name"
    """
    found = _WITH_UNIT.fullmatch(cell.strip())
    if found is None:
        return None
    if found[1] == "%":
        return "write it as a share, 0.5 for 50%, without the sign"
    return f"write the number alone, and its unit {found[1]!r} in the column's name"


def reason_of(error: Exception) -> str:
    r"""Return what a parser said, on one line and not more than a person reads.

    Examples
    --------
    >>> reason_of(ValueError("bad\x00 byte\n in line.")), reason_of(KeyError())
    ('bad? byte in line', 'KeyError')
    """
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    words = " ".join(said.split()) or type(error).__name__
    return "".join(c if c.isprintable() else "?" for c in words[:120]).rstrip(". ")
