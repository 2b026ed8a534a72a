"""Live any number of cases: ``make crossings COUNT=2000 SEED=1``; or one, by number or values."""

import argparse
import os
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from warnings import catch_warnings, simplefilter
from zlib import crc32

from geomdp.audit.floats import replayed

from .covering import Case
from .life import Outcome, describe, live
from .table import TABLE, case_of, line_of


def lived(case: Case, seed: int = 0, pictures: bool = False) -> Outcome:
    """Live one case in a folder of its own, with noise that repeats."""
    noise = replayed(crc32(line_of(case).encode()) + seed)
    with tempfile.TemporaryDirectory(prefix="crossing-") as folder, noise, catch_warnings():
        simplefilter("error")
        return live(case, Path(folder), pictures)


def main() -> int:
    """Run the cases and print what became of them."""
    parser = argparse.ArgumentParser(prog="python -m tests.crossings", description=__doc__)
    parser.add_argument("--count", type=int, default=300, help="how many cases")
    parser.add_argument("--seed", type=int, default=0, help="which cases, and which noise")
    parser.add_argument("-n", type=int, default=os.cpu_count(), help="processes")
    parser.add_argument("--only", type=int, help="the one case with this number, from 0")
    parser.add_argument("--case", help="the one case with these values, as a failure prints them")
    parser.add_argument("--pictures", action="store_true", help="draw the pictures of one case")
    chosen = parser.parse_args()
    if chosen.case is not None or chosen.only is not None:
        case = case_of(chosen.case or line_of(TABLE.first(chosen.only + 1, chosen.seed)[-1]))
        outcome = lived(case, chosen.seed, chosen.pictures)
        print(describe(outcome), outcome.refused or ("failed" if outcome.troubles else "passed"))
        return int(bool(outcome.troubles))
    cases = TABLE.first(chosen.count, chosen.seed)
    outcomes = dict(_run(cases, chosen.seed, chosen.n))
    print(_table(outcomes, chosen.seed))
    return int(any(outcome.troubles for outcome in outcomes.values()))


def _run(cases: list[Case], seed: int, processes: int) -> Iterator[tuple[int, Outcome]]:
    """Live all cases in processes of their own, telling how far they are."""
    from rich.console import Console
    from rich.progress import track

    shown = Console(stderr=True)
    with ProcessPoolExecutor(processes) as pool:
        jobs = {pool.submit(lived, case, seed): i for i, case in enumerate(cases)}
        done = as_completed(jobs)
        for job in track(done, "Crossings", total=len(jobs), console=shown):
            yield jobs[job], job.result()


def _table(outcomes: dict[int, Outcome], seed: int) -> str:
    """Return counts: passed, refused by reason, failures by signature with a case to run again."""
    refused = Counter(o.refused for o in outcomes.values() if o.refused and not o.troubles)
    failed = {number: o for number, o in sorted(outcomes.items()) if o.troubles}
    by_signature: dict[str, list[int]] = defaultdict(list)
    for number, outcome in failed.items():
        for signature in dict.fromkeys(outcome.signatures):
            by_signature[signature].append(number)
    passed = len(outcomes) - sum(refused.values()) - len(failed)
    seconds = sum(outcome.seconds for outcome in outcomes.values())
    lines = [
        f"{len(outcomes)} cases of seed {seed}, {seconds:.0f} s of work",
        f"{passed:6} passed",
        f"{sum(refused.values()):6} refused while planning",
        *(f"{times:12} {reason}" for reason, times in refused.most_common()),
        f"{len(failed):6} failed, in {len(by_signature)} ways",
    ]
    for signature, numbers in sorted(by_signature.items(), key=lambda item: -len(item[1])):
        again = f"python -m tests.crossings --seed {seed} --only {numbers[0]}"
        lines.append(f"{len(numbers):12} {signature}\n{'':13}{again}")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
