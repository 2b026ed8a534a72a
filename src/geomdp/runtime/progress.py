"""How far long work is: a bar on a terminal, a line in a notebook, nothing elsewhere."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from html import escape
from typing import Any

#: How often a notebook's line is written again, at most: each time is a message.
UPDATES = 100


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """Show how many of ``total`` are done; what is given is called after each."""
    if in_notebook():
        yield _line(what, total)
    elif sys.stderr.isatty():
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True)) as bar:
            task = bar.add_task(what, total=total)
            yield lambda: bar.advance(task)
    else:
        yield lambda: None


@contextmanager
def status(text: str) -> Iterator[Callable[[str], None]]:
    """Show on a terminal that work goes on, and nothing elsewhere; what is given tells how far."""
    if not sys.stderr.isatty():
        yield lambda more: None
        return
    from rich.console import Console

    with Console(stderr=True).status(text) as shown:
        yield lambda more: shown.update(f"{text}: {more}")


def in_notebook() -> bool:
    """Tell whether a kernel runs this; nothing is imported to find out."""
    found = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(found, "kernel", None) is not None


def _line(what: str, total: int) -> Callable[[], None]:
    """Show a line that is written again: the browser's own bar, which needs no widgets."""
    from IPython import display

    handle: Any = display.DisplayHandle()  # type: ignore[no-untyped-call]
    step = max(1, total // UPDATES)
    done = 0

    def shown() -> dict[str, Any]:
        words = f"{what}: {done} of {total}"
        bar = f'<progress value="{done}" max="{total}"></progress>'
        return {"text/plain": words, "text/html": f"{bar} {escape(words)}"}

    def advance() -> None:
        nonlocal done
        done += 1
        if done % step == 0 or done == total:
            handle.update(shown(), raw=True)

    handle.display(shown(), raw=True)
    return advance
