"""Options from a file: ``geomdp plan --from study.toml``, and ``geomdp new``, which begins one."""

import difflib
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import typer

from geomdp.errors import GeomdpError, InvalidRecordError
from geomdp.options import Option, quoted

#: How the option is typed.
FROM = "--from"
#: The parameter of every command that takes options from a file.
From = Annotated[
    Path | None,
    typer.Option(
        FROM,
        metavar="FILE",
        help="Take options from this command's section of a TOML file, such as geomdp new writes; "
        "what is typed beside it counts.",
    ),
]
#: Bytes of such a file, at most.
LONGEST = 1 << 20

NEW_HELP = """Write a commented file to fill in, for a field of study.

The file holds the options of [bold]geomdp plan[/bold] and [bold]geomdp release[/bold]. Whatever
it says is public: fill it in from published sources, never from records.

[bold]Example[/bold]

\b
  geomdp new connectome --out study.toml
  geomdp plan --from study.toml --out plan.json
  geomdp release --from study.toml plan.json DATA --out mean
"""


def fields() -> dict[str, str]:
    """Return the files to begin with, by field."""
    folder = files("geomdp") / "data" / "studies"
    found = sorted(one.name for one in folder.iterdir() if one.name.endswith(".toml"))
    return {name[:-5]: (folder / name).read_text("utf-8") for name in found}


def new_command(
    field: Annotated[
        str, typer.Argument(metavar="FIELD", help="Left out: the fields that there are.")
    ] = "",
    out: Annotated[Path, typer.Option("--out", metavar="FILE", help="New TOML file.")] = Path(
        "study.toml"
    ),
) -> None:
    """Begin a study."""
    from geomdp.io.atomic import write_new

    known = fields()
    if not field:
        for name, text in known.items():
            typer.echo(f"{name:14}{text.splitlines()[0].lstrip('# ')}")
        return
    if field not in known:
        near = difflib.get_close_matches(field, known, 1)
        meant = f" did you mean {near[0]}?" if near else ""
        raise GeomdpError(f"There is no field {field!r};{meant} There are {', '.join(known)}.")
    write_new(out, known[field])
    file = quoted(out)
    typer.echo(f"Written      {out}; fill it in, then: geomdp plan --from {file} --out plan.json")


def with_file(args: Sequence[str], section: str, options: Iterable[Option]) -> list[str]:
    """Return what was typed behind the options of a file that it names, if it names one.

    So what is typed counts where both say something, as the last of two does; and a file is read
    as if its lines had been typed: nothing else knows of it.
    """
    name = _named(args)
    if name is None:
        return list(args)
    return [*_typed(_section(Path(name), section), {one.key: one for one in options}), *args]


def _named(args: Sequence[str]) -> str | None:
    for place, arg in enumerate(args):
        if arg == FROM:
            return args[place + 1] if place + 1 < len(args) else None
        if arg.startswith(f"{FROM}="):
            return arg.removeprefix(f"{FROM}=")
    return None


def _section(file: Path, section: str) -> Mapping[str, Any]:
    """Read the options of one command."""
    from geomdp.runtime.limits import require_plain_file

    if not file.is_file():
        raise GeomdpError(f"There is no file {str(file)!r}; geomdp new FIELD writes one.")
    require_plain_file(file, LONGEST)
    try:
        document = tomllib.loads(file.read_text("utf-8"))
    except (ValueError, InvalidRecordError) as error:
        raise GeomdpError(f"{file.name} is no TOML file: {error}.") from error
    found = document.get(section)
    if not isinstance(found, dict):
        raise GeomdpError(f"{file.name} has no section [{section}]; add one, or leave out --from.")
    return found


def _typed(section: Mapping[str, Any], options: Mapping[str, Option]) -> Iterator[str]:
    """Yield options as they would have been typed."""
    for name, content in section.items():
        option = options.get(name.replace("-", "_"))
        if option is None:
            near = difflib.get_close_matches(name.replace("-", "_"), options, 1)
            meant = f"; did you mean {options[near[0]].name[2:]}?" if near else "."
            raise GeomdpError(f"There is no option {name!r} that a file could hold{meant}")
        if option.type is bool:
            yield from (option.name,) * bool(content)
            continue
        for text in _texts(content, option.many):
            yield from (option.name, text)


def _texts(content: Any, many: bool) -> list[str]:
    """Return the texts of a value: of a table NAME=VALUE each, of a list one or one each."""
    if isinstance(content, dict):
        return [f"{name}={_text(one)}" for name, one in content.items()]
    if isinstance(content, list):
        texts = [_text(one) for one in content]
        return texts if many else [",".join(texts)]
    return [_text(content)]


def _text(content: Any) -> str:
    if isinstance(content, list):
        return (":" if all(isinstance(one, int | float) for one in content) else ",").join(
            map(_text, content)
        )
    return repr(content) if isinstance(content, float) else str(content)
