"""Run the speed benchmarks: ``python -m benchmarks [name ...]``.

What is measured on many faces stands beside the papers, goes into a folder and has commands of its
own, such as ``python -m papers.benchmarks.faces_table FOLDER``; so has ``audit``, which prints a
table. Figures of the papers are run again by ``geomdp study``. ``python -m benchmarks error`` runs
what docs/less-error.md says of errors.
"""

import importlib
import sys

SPEED = (
    "speed_page",
    "mean",
    "kng",
    "log_euclidean",
    "functions",
    "descriptors",
    "papers.benchmarks.disk_map",
    "papers.benchmarks.faces_speed",
)


#: What errors are made less by, on data that defaults were tuned on and on others.
ERROR = (
    "denoising",
    "untuned",
    "denoised_stacks",
    "leading_directions",
    "many_dimensions",
    "clipping",
)


def main() -> None:
    for name in ERROR if sys.argv[1:] == ["error"] else sys.argv[1:] or SPEED:
        print(f"== {name}", flush=True)
        importlib.import_module(name if "." in name else f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
