"""The life of a study, typed as new users would: three people, one budget, one release.

The curator plans, the board reads and signs, the curator checks and releases, and a third party
without the data verifies against the signed plan and the ledger.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.system

#: As on the web: what a person types, and what must come back.
PLAN = (
    "geomdp plan --space sphere:2 --center 1,0,-9.41 --radius 0.5236 --n 121 --epsilon 1"
    " --mechanism laplace --title 'Ancient field' --purpose 'One mean direction for a map'"
    " --data-description '121 sites of basalt flows' --institution 'An institute'"
    " --contact curator@example.org --out plan.json"
)


class Desk:
    """A folder with a shell in it, and ``geomdp`` on its path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / ".tools"
        tools.mkdir(parents=True)
        command = tools / "geomdp"
        command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m geomdp "$@"\n')
        command.chmod(0o755)
        self.environment = {
            **os.environ,
            "PATH": f"{tools}:{os.environ['PATH']}",
            "HOME": str(folder),
            "XDG_CONFIG_HOME": str(folder / ".config"),
            "COLUMNS": "120",
        }

    def types(self, line: str, code: int = 0) -> str:
        """Type a line; return what was printed, if the exit code is the one expected."""
        done = subprocess.run(
            line,
            shell=True,
            cwd=self.folder,
            env=self.environment,
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert done.returncode == code, f"{line}\n{said}"
        assert "Traceback" not in said
        return said


def test_the_life_of_a_study(tmp_path: Path) -> None:
    curator, public = Desk(tmp_path / "curator"), Desk(tmp_path / "public")

    # Plan, and never over another plan.
    curator.types("geomdp data directions --out directions.npy")
    curator.types(PLAN)
    assert "exists; choose a new name" in curator.types(PLAN, code=1)

    # The board reads, and signs a hash.
    read = curator.types("geomdp show plan.json")
    for words in (
        "ANCIENT FIELD",
        "WHAT A RELEASE MAY TELL ABOUT ONE RECORD",
        "30°",
        "One mean direction for a map",
    ):
        assert words in read
    signed = re.findall(r"^Hash\s+([0-9a-f]{64})$", read, flags=re.MULTILINE)
    assert len(signed) == 1

    # The curator looks at the data, and only the curator.
    looked = curator.types("geomdp check plan.json directions.npy")
    assert looked.startswith("For the curator alone.")
    assert "121 records; the plan is for 121 records" in looked
    assert "would not be refused" in looked

    # A budget for one release and a half; one is made.
    curator.types("geomdp ledger init study.db --key study.key")
    curator.types("geomdp ledger grant study.db basalt --epsilon 1.5 --key study.key")
    release = "geomdp release plan.json directions.npy --ledger study.db --dataset basalt"
    pay = f"{release} --key study.key --out {{out}}"
    assert "Left         ε = 0.5, pure for basalt" in curator.types(pay.format(out="mean"))

    # A second one is refused, and says what is missing.
    refused = curator.types(pay.format(out="again") + " --again", code=5)
    assert "remaining ε = 0.5, pure; difference ε = 0.5, pure" in refused
    assert not (curator.folder / "again").exists()

    # A third party has the release, the signed plan and the ledger, and no data.
    for name in ("mean", "plan.json", "study.db", "study.key", "study.key.heads"):
        source = curator.folder / name
        copy = shutil.copytree if source.is_dir() else shutil.copy
        copy(source, public.folder / name)
    said = public.types("geomdp verify mean --plan plan.json --ledger study.db --key study.key")
    assert "It used the approved plan." in said
    assert "It was paid for." in said
    assert signed[0] in (public.folder / "mean" / "manifest.json").read_text()

    # Whoever alters the plan after it was signed is found.
    text = (public.folder / "plan.json").read_text().replace("One mean", "Any mean")
    (public.folder / "plan.json").write_text(text)
    assert "altered after it was made" in public.types("geomdp show plan.json", code=1)
