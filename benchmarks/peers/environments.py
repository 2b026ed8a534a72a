"""Where each library runs: an environment of its own, with pinned versions, below ``build/``."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
#: What is installed for each library.
PINS = {
    "pyRiemann": ("pyriemann==0.12", "numpy<2.5"),
    "geomstats": ("geomstats==2.8.0", "numpy<2.4"),
    "Morphomatics": ("morphomatics==4.2", "numpy<2.4"),
    "OpenDP": ("opendp==0.16.0", "numpy<2.5"),
    "diffprivlib": ("diffprivlib==0.6.5", "scikit-learn<1.5", "numpy<2"),
    "Tumult": ("tmlt.analytics==0.21.0",),
    "jax-privacy": ("jax-privacy==2.0.0",),
}


def python_of(name: str) -> Path | None:
    """Python of a library's environment, made on the first call; None where it cannot be made."""
    folder = Path("build") / f"peers-{name.lower()}"
    python, done = folder / "bin" / "python", folder / "installed"
    if not done.exists():
        try:
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
            subprocess.run([str(python), "-m", "pip", "install", "-q", *PINS[name]], check=True)
        except subprocess.CalledProcessError:
            print(f"{name} cannot be installed here and is left out", flush=True)
            return None
        done.touch()
    return python


@dataclass
class Library:
    """A process that answers with the seconds of one run."""

    name: str
    process: subprocess.Popen

    @classmethod
    def start(cls, name: str) -> "Library | None":
        """Start a library in its environment; None where that cannot be made."""
        python = sys.executable if name == "geomdp" else python_of(name)
        return None if python is None else cls.start_by(name, python)

    @classmethod
    def start_by(cls, name: str, python: str | Path) -> "Library":
        """Start a library by a Python, with one BLAS thread; ours makes its own threads."""
        script = ["-m", "benchmarks.peers.of_geomdp"]
        if name != "geomdp":
            script = [str(HERE / f"of_{name.lower()}.py")]
        environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "PYTHONWARNINGS": "ignore"}
        if name != "geomdp":
            environment.pop("PYTHONPATH", None)
        process = subprocess.Popen(
            [str(python), *script],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env=environment,
        )
        return cls(name, process)

    def run(self, task: str, file: Path) -> tuple[float, float] | None:
        """Seconds of wall clock and CPU of one run; None where the library has no such task."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            print(
                json.dumps({"task": task, "file": str(file)}), file=self.process.stdin, flush=True
            )
            answer: Any = json.loads(self.process.stdout.readline() or "null")
        except OSError:  # it died on an earlier task
            return None
        return None if answer is None else (answer[0], answer[1])

    def stop(self) -> None:
        """End the process."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(timeout=60)
