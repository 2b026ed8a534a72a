"""Which lines of its modules a reader's inputs reach (needs the package coverage).

``python -m tools.fuzz.line_coverage 2000`` prints a row a reader; imports run before the count, so
that only what input reaches is counted, with the definitions themselves left out.
"""

import ast
import signal
import sys
import tempfile
import warnings
from pathlib import Path

import coverage
from tools.fuzz.contract import check, on_alarm, source
from tools.fuzz.targets import TARGETS, Target

import geomdp

PACKAGE = Path(geomdp.__file__).parent


def main() -> None:
    """Print covered lines of all lines for each reader and module."""
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGALRM, on_alarm)
    most = int(sys.argv[1])
    for target in TARGETS.values():
        count = most if target.share >= 1 else max(most // 20, 1)
        lines = _reached(target, count)
        for module in target.modules:
            body = _lines_of_functions(PACKAGE / module)
            hit = body & lines.get(module, set())
            missed = ", ".join(map(str, sorted(body - hit)))
            share = len(hit) / max(len(body), 1)
            print(f"{target.name:10} {module:32} {len(hit)}/{len(body)} {share:.0%}  {missed}")


def _reached(target: Target, count: int) -> dict[str, set[int]]:
    with tempfile.TemporaryDirectory() as folder:
        check(target, source(0, target, 0), Path(folder), 60.0)
        watch = coverage.Coverage(data_file=None, include=[f"{PACKAGE}/*"])
        watch.start()
        for index in range(count):
            check(target, source(1, target, index), Path(folder), 60.0)
        watch.stop()
    data = watch.get_data()
    found = {Path(file): set(data.lines(file) or ()) for file in data.measured_files()}
    return {str(file.relative_to(PACKAGE)): lines for file, lines in found.items()}


def _lines_of_functions(path: Path) -> set[int]:
    """Return the first lines of the statements inside functions, docstrings left out."""
    functions = [
        node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.FunctionDef)
    ]
    return {
        node.lineno
        for function in functions
        for node in ast.walk(function)
        if isinstance(node, ast.stmt)
        and node is not function
        and not (isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant))
        and not isinstance(node, ast.Try)
    }


if __name__ == "__main__":
    main()
