"""The contract of a reader, checked for one input."""

import json
import signal
import time
import traceback
from dataclasses import dataclass
from pathlib import Path
from random import Random
from types import FrameType

from tools.fuzz.seeds import Bomb
from tools.fuzz.targets import Target

from geomdp.errors import GeomdpError

#: Longest sentence a refusal may be.
LONGEST = 2000


class TooSlowError(BaseException):
    """One input took longer than its limit; no reader can swallow it by mistake."""


@dataclass(frozen=True)
class Outcome:
    """What became of one input.

    ``result`` is "read", "refused" or the kind of a finding; ``where`` tells findings apart.
    """

    result: str
    passed_first: bool
    where: str = ""

    @property
    def finding(self) -> bool:
        """Whether the contract was broken."""
        return self.result not in ("read", "refused")


def source(seed: int, target: Target, index: int) -> Random:
    """Return the randomness of one input, so that it can be made again alone."""
    return Random(f"{seed}:{target.name}:{index}")


def check(target: Target, rng: Random, folder: Path, limit: float) -> Outcome:
    """Make one input, read it in an empty folder and compare with the contract."""
    data = target.make(rng)
    return check_data(target, data, rng, folder, limit)


def check_data(target: Target, data: bytes, rng: Random, folder: Path, limit: float) -> Outcome:
    """Read given input: a result or one sentence, in time, and nothing left behind."""
    first = target.first(data)
    started = time.monotonic()
    try:
        signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            target.read(data, folder, rng)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        outcome = Outcome("read", first)
    except GeomdpError as error:
        outcome = _refusal(error, first)
    except TooSlowError as error:
        outcome = Outcome("too slow", first, _place(error))
    except Exception as error:
        outcome = Outcome(type(error).__name__, first, _place(error))
    if not outcome.finding and time.monotonic() - started > limit:
        outcome = Outcome("too slow", first)
    left = clear(folder)
    if not outcome.finding and left > 1:
        outcome = Outcome("files left behind", first)
    if Bomb.exploded:
        Bomb.exploded = False
        outcome = Outcome("pickle loaded", first)
    return outcome


def _refusal(error: GeomdpError, first: bool) -> Outcome:
    sentence = str(error)
    clear_enough = sentence.endswith((".", ")", "?")) and len(sentence) <= LONGEST
    if clear_enough and sentence.isprintable():
        return Outcome("refused", first)
    return Outcome("no sentence", first, f"{_place(error)} {json.dumps(sentence[:120])}")


def _place(error: BaseException) -> str:
    frames = [f for f in traceback.extract_tb(error.__traceback__) if "/geomdp/" in f.filename]
    frames = frames or list(traceback.extract_tb(error.__traceback__))
    last = frames[-1]
    return f"{Path(last.filename).name}:{last.lineno} {last.name}"


def clear(folder: Path) -> int:
    """Empty the folder and return how many files lay in it."""
    found = list(folder.iterdir())
    for file in found:
        file.unlink()
    return len(found)


def on_alarm(_: int, __: FrameType | None) -> None:
    """Stop an input that takes too long."""
    raise TooSlowError
