"""Names of data sets that look alike: a second budget for the same people under a twin name."""

import unicodedata
from collections.abc import Iterable

from geomdp.errors import LedgerError

#: Letters of other alphabets, and digits, each with the small Latin letter that it looks like.
_CYRILLIC = "аa вb сc ԁd еe һh іi јj кk ӏl мm пn оo рp ԛq гr ѕs тt уy ѵv ԝw хx ӡz"
_GREEK = "αa βb γy εe ζz ηn ιi κk νv οo ρp τt υu χx ωw"
_OTHERS = "ıi ɑa ɡg ɩi ʟl ոn սu օo 0o 1l |l"
_LOOKS_LIKE = str.maketrans(
    {pair[0]: pair[1] for text in (_CYRILLIC, _GREEK, _OTHERS) for pair in text.split()}
)


def skeleton(name: str) -> str:
    """Return what a reader sees of a name: without case, width, alphabet and number of spaces.

    Examples
    --------
    >>> skeleton("Study  1") == skeleton("study l"), skeleton("study") == skeleton("studies")
    (True, False)
    """
    text = unicodedata.normalize("NFKC", name).casefold().translate(_LOOKS_LIKE)
    return " ".join(unicodedata.normalize("NFKC", text).split())


def require_name(name: str, known: Iterable[str]) -> None:
    """Refuse a new name that cannot be printed, or that a reader takes for one that is known.

    Examples
    --------
    >>> require_name("Study", ["study"])
    Traceback (most recent call last):
    geomdp.errors.LedgerError: 'Study' looks like the data set 'study'; write that name, ...
    """
    if not name.strip() or not name.isprintable():
        raise LedgerError("A data set needs a name of printable characters.")
    names = tuple(known)
    if name in names:
        return
    for other in names:
        if skeleton(other) == skeleton(name):
            raise LedgerError(
                f"{name!a} looks like the data set {other!r}; write that name, or choose one "
                "that nobody takes for it."
            )
