"""What the command says when it is told to stop; imports next to nothing, to be there at once."""

import sys
from typing import NoReturn

#: Exit code of a command that Ctrl-C or SIGTERM ended.
STOPPED = 130


def say_stopped() -> NoReturn:
    """Say that the command was stopped, and end."""
    sys.stderr.write("geomdp: Stopped; no unfinished file is left.\n")
    raise SystemExit(STOPPED)
