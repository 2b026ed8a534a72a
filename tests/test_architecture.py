"""The folder tree is the architecture: who may import whom, imports inside functions included."""

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import geomdp

ROOT = Path(geomdp.__file__).parent

#: From the ground up: a folder, or a module of the root, imports those of lower rows alone.
#: docs/architecture.md says what each is for; one that is new must be given its place.
LAYERS = (
    ("typing", "errors", "version"),
    ("runtime", "registry", "serial", "options"),
    ("intervals",),
    ("spaces", "privacy"),
    ("sources", "noise"),
    ("statistics",),
    ("readings", "curves", "shapes"),
    ("images", "surfaces"),
    ("io",),
    ("mechanisms", "testing"),
    ("plans",),
    ("ledger",),
    ("releases",),
    ("consortia",),
    ("datasets",),
    ("sklearn",),
    ("report",),
    ("audit",),
    ("typed",),
    ("studio",),
    ("cli",),
    ("", "__main__"),
)
#: Arrows that point up, from folder to folder: there are none left, and none may be added.
UPWARD: set[tuple[str, str]] = set()


def modules() -> dict[str, Path]:
    """Names and files of all modules; a package is its ``__init__``."""
    found = {}
    for file in ROOT.rglob("*.py"):
        parts = ("geomdp", *file.relative_to(ROOT).with_suffix("").parts)
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below one, without the branches that only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from statements(child)


def imported(source: str, known: set[str]) -> set[str]:
    """Names that a source imports: of a module where it is one, else of the module it is from."""
    names = set()
    for node in statements(ast.parse(source)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "imports are absolute"
            inner = {f"{node.module}.{alias.name}" for alias in node.names}
            names |= {name if name in known else str(node.module) for name in inner}
    return names


@cache
def graph() -> dict[str, set[str]]:
    known = modules()
    return {
        name: imported(file.read_text(encoding="utf-8"), set(known)) for name, file in known.items()
    }


def find_cycle(arrows: dict[str, set[str]]) -> list[str]:
    """Return the modules of one cycle, or nothing: take away what imports nothing that is left."""
    left = {name: others & arrows.keys() - {name} for name, others in arrows.items()}
    while free := {name for name, others in left.items() if not others}:
        left = {name: others - free for name, others in left.items() if name not in free}
    if not left:
        return []
    path = [next(iter(left))]
    while (following := min(left[path[-1]])) not in path:
        path.append(following)
    return path[path.index(following) :]


def folder(module: str) -> str:
    return module.split(".")[1] if "." in module else ""


def test_python_flint_is_named_in_one_file():
    users = [name for name, others in graph().items() if any(o.startswith("flint") for o in others)]
    assert users == ["geomdp.intervals.numbers"]


def test_the_library_does_not_know_the_papers():
    """They are a plug-in: found by its entry points, or not there."""
    wrong = {name for name, file in modules().items() if "geomdp_papers" in file.read_text("utf-8")}
    assert not wrong


def test_no_module_imports_itself_through_others():
    assert find_cycle(graph()) == []


def loaded_first(name: str, others: set[str], known: set[str]) -> set[str]:
    """What Python runs before a module: its imports, and the packages that these stand in."""
    inside = {".".join(o.split(".")[:i]) for o in others for i in range(2, o.count(".") + 1)}
    around = {".".join(name.split(".")[:i]) for i in range(2, name.count(".") + 1)}
    return (others | inside) & known - around


def test_any_module_can_be_the_first_that_is_imported():
    """A package's own page runs before its modules: it must not need whoever imports them."""
    known = modules()
    at_once = {
        name: loaded_first(name, imported_at_once(file.read_text(encoding="utf-8")), set(known))
        for name, file in known.items()
    }
    assert find_cycle(at_once) == []


def imported_at_once(source: str) -> set[str]:
    """Names that a source imports while it is loaded: not inside functions."""
    tree = ast.parse(source)
    tree.body = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return imported(ast.unparse(tree), set(modules()))


def test_a_package_that_needs_its_user_would_be_seen():
    """As rows once needed spaces, and spaces rows."""
    known = {"geomdp.a", "geomdp.a.base", "geomdp.a.few", "geomdp.b.rows"}
    arrows = {
        "geomdp.a": {"geomdp.a.base"},
        "geomdp.a.base": {"geomdp.b.rows"},
        "geomdp.b.rows": {"geomdp.a.few"},
        "geomdp.a.few": set(),
    }
    assert find_cycle(arrows) == []
    found = {name: loaded_first(name, others, known) for name, others in arrows.items()}
    assert set(find_cycle(found)) == {"geomdp.a", "geomdp.a.base", "geomdp.b.rows"}


def test_cycles_would_be_seen():
    arrows = {"a": {"b"}, "b": {"c"}, "c": {"b", "numpy"}, "d": {"a"}}
    assert sorted(find_cycle(arrows)) == ["b", "c"]
    assert find_cycle(arrows | {"c": {"numpy"}}) == []
    source = (
        "def f():\n    from geomdp.plans import base\nif TYPE_CHECKING:\n    import geomdp.cli\n"
    )
    assert imported(source, {"geomdp.plans.base"}) == {"geomdp.plans.base"}


def arrows() -> dict[tuple[str, str], list[str]]:
    """Imports from one folder to another, by the two folders."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, others in graph().items():
        for other in sorted(others):
            pair = folder(name), folder(other)
            if other.split(".")[0] == "geomdp" and pair[0] != pair[1]:
                found.setdefault(pair, []).append(f"{name} imports {other}")
    return found


def rank(name: str) -> int:
    return next(i for i, row in enumerate(LAYERS) if name in row)


def test_every_folder_has_a_place():
    placed = [name for row in LAYERS for name in row]
    assert len(placed) == len(set(placed))
    assert {folder(name) for name in modules()} <= set(placed)


def test_imports_point_down():
    wrong = {
        pair: found
        for pair, found in arrows().items()
        if rank(pair[0]) <= rank(pair[1]) and pair not in UPWARD
    }
    assert not wrong


def test_a_mended_arrow_is_struck_from_the_list():
    assert set(arrows()) >= UPWARD
    assert all(rank(low) <= rank(high) for low, high in UPWARD)
