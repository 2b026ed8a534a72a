"""Run the speed benchmarks: ``python -m benchmarks [name ...]``.

The studies of faces (``faces_batch``, ``faces_elastic``) write figures into a folder and have
commands of their own, such as ``python -m benchmarks.faces_batch FOLDER``; so has ``audit``, which
prints a table. Figures of the papers are run again by ``geomdp study``.
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
    "disk_map",
    "registration",
)


def main() -> None:
    for name in sys.argv[1:] or SPEED:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
