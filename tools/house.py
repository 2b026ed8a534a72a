"""Count the house: files, lines, fan-out, name checks and sizes, and hold the limits.

``python -m tools.house`` prints the totals and the largest of each kind, and ends with 1 if a
limit is passed: what is added must fit, or something old must go. Limits only ever go down.
"""

import ast
import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import NamedTuple

SOURCE = Path(__file__).parents[1] / "src" / "geomdp"

# Capabilities that came after the house was put in order, each with the files and lines that it
# may add. The house itself only ever shrinks: what a capability needs beyond its line here must be
# taken from something old.
ADDED = {
    "embedded means, axes and subspaces": (4, 1_326),
    "denoised releases, and what they are better than": (5, 960),
    "covariances and tests in many dimensions": (3, 500),
    "clipping, told": (2, 430),
    "classes": (4, 908),
    "distributions, and less noise on functions that never fall": (4, 1_257),
    "normative regions": (3, 600),
    "releases over time": (4, 1_430),
    "consortium": (21, 3_628),
    "wide spectra, and the Hessian that spares passes": (3, 640),
    "long ledgers": (1, 310),
    "records let in at a glance": (1, 190),
    "studio": (14, 2_568),
    "curves of regressions, drawn and in numbers": (1, 200),
    "files of other tools, values for them": (19, 3_412),
}

#: The most there may be of each; see :func:`counts` for what they count.
LIMITS = {
    "files": 344 + sum(files for files, _ in ADDED.values()),
    "lines": 57_250 + sum(lines for _, lines in ADDED.values()),
    "lines of a file": 460,
    "lines of a function": 44,
    "parameters of a function": 11,
    "modules that one imports": 21,
    "checks of a class of ours": 107,
    "checks of a name": 14,
}


class Found(NamedTuple):
    """How much there is of something, and where."""

    size: int
    where: str


@dataclass(frozen=True)
class Module:
    """One file of the package."""

    name: str
    text: str

    @property
    def tree(self) -> ast.Module:
        """Its syntax."""
        return ast.parse(self.text)

    def at(self, node: ast.AST) -> str:
        """Say where a piece of syntax stands."""
        return f"{self.name}:{getattr(node, 'lineno', 1)}"


def modules(root: Path = SOURCE) -> list[Module]:
    """Read all files of the package."""
    return [
        Module(str(file.relative_to(root)), file.read_text(encoding="utf-8"))
        for file in sorted(root.rglob("*.py"))
    ]


def functions(module: Module) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Walk over the functions and methods of a module."""
    for node in ast.walk(module.tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def length(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    r"""Lines of a function's body, its docstring left out: what a reader must hold in mind.

    >>> length(ast.parse('def f():\n    "A word."\n    x = 1\n    return x').body[0])
    2
    """
    body = node.body
    first = body[0]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
        body = body[1:]
    return 0 if not body else (body[-1].end_lineno or 0) - body[0].lineno + 1


def parameters(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Count the parameters of a function.

    >>> parameters(ast.parse("def f(a, /, b, *, c): pass").body[0])
    3
    """
    given = node.args
    return len(given.posonlyargs) + len(given.args) + len(given.kwonlyargs)


def imports(module: Module) -> set[str]:
    """Return the modules of ours that one imports, inside functions too."""
    found = set()
    for node in ast.walk(module.tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("geomdp"):
            found.add(str(node.module))
        elif isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names if alias.name.startswith("geomdp")}
    return found


def own_classes(all_modules: Iterable[Module]) -> set[str]:
    """Return the names of all classes that the package defines."""
    return {
        node.name
        for module in all_modules
        for node in ast.walk(module.tree)
        if isinstance(node, ast.ClassDef)
    }


def class_checks(module: Module, ours: set[str]) -> Iterator[ast.AST]:
    r"""Find ``isinstance`` with classes of ours: the object should have been asked.

    >>> module = Module("a.py", "isinstance(x, Ball | int)\nisinstance(x, str)")
    >>> len(list(class_checks(module, {"Ball"})))
    1
    """
    for node in ast.walk(module.tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id in ("isinstance", "issubclass")
            and len(node.args) == 2
            and ours & {n.id for n in ast.walk(node.args[1]) if isinstance(n, ast.Name)}
        ):
            yield node


#: What holds the name of a kind of thing.
NAMES = ("name", "tag", "mechanism", "spec", "kind", "shape_name")


def name_checks(module: Module) -> Iterator[ast.AST]:
    r"""Find decisions by a name or by the words of an error.

    >>> source = 'm.name == "laplace"\nn.endswith("laplace")\n"norm" in str(error)\nx == "a"'
    >>> source += '\nx.dtype.kind == "f"'
    >>> len(list(name_checks(Module("a.py", source))))
    3
    """
    for node in ast.walk(module.tree):
        if _compares_a_name(node) or _looks_into_a_name(node):
            yield node


def _looks_into_a_name(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and node.func.attr in ("endswith", "startswith")
        and _is_name(node.func.value)
    )


def _compares_a_name(node: ast.AST) -> bool:
    if not isinstance(node, ast.Compare):
        return False
    sides = [node.left, *node.comparators]
    if any(_is_text(side) for side in sides) and any(_is_words_of_error(side) for side in sides):
        return True
    texts = any(_is_text(side) or _holds_texts(side) for side in sides)
    return texts and any(_holds_a_name(side) for side in sides)


def _holds_a_name(node: ast.AST) -> bool:
    """Tell whether a piece of syntax is the name of one of our things; NumPy's types have kinds."""
    if not isinstance(node, ast.Attribute) or node.attr not in NAMES:
        return False
    return "dtype" not in ast.unparse(node.value)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _holds_texts(node: ast.AST) -> bool:
    return isinstance(node, ast.Tuple | ast.Set | ast.List) and any(map(_is_text, node.elts))


def _is_words_of_error(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "str"
        and len(node.args) == 1
        and isinstance(node.args[0], ast.Name)
        and node.args[0].id in ("error", "exc", "reason")
    )


def _is_name(node: ast.AST) -> bool:
    named = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return named in ("name", "mechanism", "tag", "n")


def counts(all_modules: list[Module]) -> dict[str, list[Found]]:
    """Return what there is of each kind, largest first; totals have one entry."""
    ours = own_classes(all_modules)
    made = [
        (node, f"{module.at(node)} {node.name}")
        for module in all_modules
        for node in functions(module)
    ]
    lines = {module.name: module.text.count("\n") for module in all_modules}
    classes = [m.at(node) for m in all_modules for node in class_checks(m, ours)]
    named = [m.at(node) for m in all_modules for node in name_checks(m)]
    found = {
        "files": [Found(len(all_modules), "src")],
        "lines": [Found(sum(lines.values()), "src")],
        "lines of a file": [Found(size, name) for name, size in lines.items()],
        "lines of a function": [Found(length(node), where) for node, where in made],
        "parameters of a function": [Found(parameters(node), where) for node, where in made],
        "modules that one imports": [Found(len(imports(m)), m.name) for m in all_modules],
        "checks of a class of ours": [Found(len(classes), _most_in(classes))],
        "checks of a name": [Found(len(named), _most_in(named))],
    }
    return {kind: sorted(sizes, reverse=True) for kind, sizes in found.items()}


def _most_in(places: list[str]) -> str:
    """Name the folders with the most.

    >>> _most_in(["cli/a.py:3", "cli/b.py:4", "io/c.py:1"])
    'cli 2, io 1'
    """
    folders = [place.split("/")[0] for place in places]
    by_size = sorted(set(folders), key=lambda name: (-folders.count(name), name))
    return ", ".join(f"{name} {folders.count(name)}" for name in by_size[:5])


def passed(found: dict[str, list[Found]]) -> list[str]:
    """Say which limits are passed, and by what."""
    return [
        f"{kind}: {one.size} ({one.where}), where the limit is {LIMITS[kind]}"
        for kind, sizes in found.items()
        for one in sizes
        if one.size > LIMITS[kind]
    ]


def main() -> int:
    """Print the counts; 1 if a limit is passed."""
    all_modules = modules()
    found = counts(all_modules)
    for kind, sizes in found.items():
        largest = sizes[0]
        print(f"{kind:<26} {largest.size:>7} of {LIMITS[kind]:<7} {largest.where}")
    middle = median(one.size for one in found["lines of a function"])
    print(f"{'median of a function':<26} {middle:>7g}")
    problems = passed(found)
    for problem in problems:
        print(f"Too much: {problem}", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
