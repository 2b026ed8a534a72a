"""Run the benchmarks, all or some: ``python -m benchmarks [name ...]``."""

import importlib
import pkgutil
import sys
from pathlib import Path


def main() -> None:
    names = sys.argv[1:] or sorted(
        module.name
        for module in pkgutil.iter_modules([str(Path(__file__).parent)])
        if not module.name.startswith("_")
    )
    for name in names:
        print(f"== {name}", flush=True)
        importlib.import_module(f"benchmarks.{name}").main()


if __name__ == "__main__":
    main()
