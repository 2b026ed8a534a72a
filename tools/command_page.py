"""Write the option tables of docs/reference/command.md from the declarations.

``python -m tools.command_page`` writes them; a test compares, so that an option that is declared,
renamed or explained anew stands on the page as it stands in ``--help``.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

from geomdp.cli.release import release_options
from geomdp.options import Option
from geomdp.typed.options import ball_options, plan_options

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "command.md"

#: The tables of the page, by the name that its marks give.
TABLES: dict[str, Callable[[], Iterable[Option]]] = {
    "plan": plan_options,
    "ball": ball_options,
    "release": release_options,
}
#: What stands for a value of a type, where an option does not say it.
VALUES = {bool: "", int: "INTEGER", str: "TEXT", Path: "FILE"}
_MARKED = re.compile(r"(<!-- options of (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def tables(options: Iterable[Option]) -> str:
    r"""Return one table a panel, in the order of the help.

    >>> print(tables([Option("--by", "With --person: 'a|b'.", metavar="COLUMN")]))
    | options | |
    |---|---|
    | `--by COLUMN` | With `--person`: 'a\|b'. |
    """
    panels: dict[str, list[Option]] = {}
    for option in options:
        panels.setdefault(option.panel or "options", []).append(option)
    texts = (
        "\n".join([f"| {panel.lower()} | |", "|---|---|", *map(_row, found)])
        for panel, found in panels.items()
    )
    return "\n\n".join(texts)


def _row(option: Option) -> str:
    value = option.metavar or "|".join(option.choices) or VALUES[option.type]
    told = option.help.replace("*", r"\*")
    told = re.sub(r"(?<![\w`-])(--[a-z][a-z-]*)", r"`\1`", told)
    if option.default not in (None, False, ""):
        told = f"{told} Default: `{option.default}`."
    cells = (f"`{option.name} {value}".rstrip() + "`", told)
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def written(page: str) -> str:
    """Return the page with all its tables written anew."""
    return _MARKED.sub(lambda m: f"{m[1]}\n{tables(TABLES[m[2]]())}\n\n{m[3]}", page)


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
