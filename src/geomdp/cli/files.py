"""That work goes on, on a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that work goes on, and nothing elsewhere; what is given tells how far."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as shown:
        yield lambda more: shown.update(f"{text}: {more}")
