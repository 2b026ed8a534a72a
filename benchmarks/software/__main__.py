"""Ask general privacy libraries for the mean of tensors and of outlines, beside geomdp.

``python -m benchmarks.software manuscript/software.json [LIBRARY ...]``: each library runs in an
environment of its own below ``build/``; one that cannot be installed is left out and said. With
names, their rows alone are made again.
Errors are distances of the space to the mean of the clipped records: medians with their standard
errors (1.2533 times that of a mean, as for a normal law).
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import geomdp as dp
from benchmarks.peers.environments import python_of
from benchmarks.software.questions import (
    DELTA,
    EPSILON,
    Task,
    outline_ball,
    outlines,
    tasks,
    tensor_ball,
    tensors,
)

HERE = Path(__file__).parent
#: How often each is asked, and for how many numbers at most: Spark takes ten seconds a number.
TIMES = {"OpenDP": 200, "diffprivlib": 200, "jax-privacy": 200, "Tumult": 3}
MOST_NUMBERS = {"Tumult": 10}


def asked(name: str, task: Task) -> np.ndarray | None:
    """Return a library's answers as vectors; None where it cannot be installed or fails."""
    python = python_of(name)
    if python is None:
        return None
    script = HERE / f"of_{name.lower().replace('-', '_')}.py"
    with tempfile.TemporaryDirectory() as folder:
        question, answers = Path(folder) / "question.npz", Path(folder) / "answers.npy"
        task.question(TIMES[name]).write(str(question))
        command = [str(python), str(script), str(question), str(answers)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            print(f"{name} failed: {done.stderr[-300:]}", flush=True)
            return None
        return np.load(answers)


def judged(space: dp.Space, mean: np.ndarray, points: list[np.ndarray]) -> dict[str, float]:
    """Return the median distance to the mean, with its standard error."""
    far = np.array([float(space.dist(mean, point)) for point in points])
    error = 1.2533 * far.std(ddof=1) / np.sqrt(len(far))
    return {"error": float(np.median(far)), "se": float(error), "times": len(far)}


def others(names: Collection[str] = TIMES) -> Iterator[dict[str, Any]]:
    """Yield a row for each library and each chart."""
    means = {"tensors": mean_of(tensor_ball(), tensors()), "outlines": _outline_mean()}
    spaces = {"tensors": tensor_ball().space, "outlines": outline_ball().space}
    for task in tasks():
        for name in names:
            if task.vectors.shape[1] > MOST_NUMBERS.get(name, np.inf):
                continue
            answers = asked(name, task)
            if answers is None:
                continue
            points = [task.back(answer) for answer in answers]
            row = judged(spaces[task.data], means[task.data], points)
            usable = float(np.mean([task.usable(answer) for answer in answers]))
            promise = "approximate" if name == "jax-privacy" else "pure"
            yield _row(name, task.data, task.chart, promise, usable, row)


def mean_of(ball: dp.Ball, records: np.ndarray) -> np.ndarray:
    """Return the Fréchet mean without noise, to judge by."""
    return np.asarray(dp.frechet_mean(ball.space, records).point)


def _outline_mean() -> np.ndarray:
    return mean_of(outline_ball(), outlines())


def ours(times: int = 200) -> Iterator[dict[str, Any]]:
    """Ask the same of geomdp: Fréchet means in the same public balls."""
    budgets = {"pure": dp.Pure(EPSILON), "approximate": dp.Approximate(EPSILON, DELTA)}
    for data, ball, records in (
        ("tensors", tensor_ball(), tensors()),
        ("outlines", outline_ball(), outlines()),
    ):
        mean = mean_of(ball, records)
        for promise, budget in budgets.items():
            plan = dp.plan(dp.FrechetMean(ball), n=len(records), budget=budget)
            releases = [plan.release(records) for _ in range(times)]
            for value in ("value", "denoised"):
                points = [np.asarray(getattr(release, value)) for release in releases]
                row = judged(ball.space, mean, points)
                yield _row("geomdp", data, value, promise, 1.0, row)


def _row(
    software: str, data: str, chart: str, promise: str, usable: float, judged: dict[str, float]
) -> dict[str, Any]:
    named = {"software": software, "data": data, "chart": chart, "promise": promise}
    row = {**named, "usable": usable, **judged}
    print(json.dumps(row), flush=True)
    return row


def main() -> None:
    file, names = Path(sys.argv[1]), sys.argv[2:]
    if names:
        kept = json.loads(file.read_text(encoding="utf-8"))["rows"]
        rows = [row for row in kept if row["software"] not in names]
    else:
        rows = list(ours())
    rows += others(names or TIMES)
    settings = {"epsilon": EPSILON, "delta": DELTA, "version": dp.__version__}
    text = json.dumps({"settings": settings, "rows": rows}, indent=1)
    file.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
