"""Many processes at one ledger, in a program of its own that forks without threads.

Prints one JSON object. Run by test_ledger_races.py: ``ledger_crowd.py race|kill ARGUMENTS``.
"""

import json
import os
import random
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from ledger_tools import line_plan, line_records

import geomdp as dp
import geomdp.plans.release
from geomdp.errors import BudgetSpentError
from geomdp.ledger import engines

PAID, REFUSED, BROKEN = 0, 4, 1


def child(work):
    """Fork, work, and leave with a code, whatever happens."""
    process = os.fork()
    if process:
        return process
    try:
        work()
    except BudgetSpentError:
        os._exit(REFUSED)
    except BaseException:
        traceback.print_exc()
        os._exit(BROKEN)
    os._exit(PAID)


def slow_page(*_):
    """Take so long that most kills come while the report is made, as they do with pictures."""
    time.sleep(0.05)
    return "a page"


def warm_up(plan, where, key):
    """Import all that a release needs once, and not in every child."""
    geomdp.plans.release.PAGES = {"report.html": slow_page}  # drawing one takes a second
    dp.Ledger(where, key).history()
    with tempfile.TemporaryDirectory() as folder:
        ledger = dp.Ledger.create(Path(folder) / "db", Path(folder) / "key")
        ledger.grant("study", dp.Pure(1))
        plan.release(line_records(), ledger=ledger, dataset="study", folder=Path(folder) / "out")


def race_unlocked(*arguments):
    """Race as writers do who do not wait for one another."""
    engines.take_lock = lambda _: None
    return race(*arguments)


def race(where, key, count):
    """Release as many times at once as is said, and count how it went."""
    plan = line_plan()
    warm_up(plan, where, key)
    gate, opener = os.pipe()

    def work(which):
        os.close(opener)
        os.read(gate, 1)  # returns when the parent opens the gate for all
        plan.release(line_records(which), ledger=dp.Ledger(where, key), dataset="study")

    children = [child(lambda which=which: work(which)) for which in range(int(count))]
    os.close(gate)
    os.close(opener)
    codes = Counter(os.waitstatus_to_exitcode(os.waitpid(one, 0)[1]) for one in children)
    return {"paid": codes[PAID], "refused": codes[REFUSED], "broken": codes[BROKEN]}


def kill(where, key, count, folder, seed):
    """Kill releases into folders at random moments; each notes its debit before it draws."""
    plan, moments, out = line_plan(), random.Random(int(seed)), Path(folder)
    warm_up(plan, where, key)

    def work(which):
        ledger = dp.Ledger(where, key)
        charge = ledger.debit

        def noted(*arguments):
            receipt = charge(*arguments)
            with (out / "debited.txt").open("a") as log:
                log.write(f"{which} {receipt.entry}\n")
            return receipt

        ledger.debit = noted
        records = line_records(which)
        plan.release(records, ledger=ledger, dataset="study", folder=out / str(which) / "release")

    start = time.monotonic()
    os.waitpid(child(lambda: work(-1)), 0)
    usual = time.monotonic() - start
    codes = Counter()
    for which in range(int(count)):
        process = child(lambda which=which: work(which))
        time.sleep(moments.uniform(0, 1.2 * usual))
        os.kill(process, signal.SIGKILL)
        codes[os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])] += 1
    return {"killed": codes[-signal.SIGKILL], "paid": codes[PAID], "broken": codes[BROKEN]}


if __name__ == "__main__":
    print(json.dumps(globals()[sys.argv[1]](*sys.argv[2:])))
