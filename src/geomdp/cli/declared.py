"""From declared options to commands: their parameters, their help, and what a person typed."""

import inspect
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import Annotated, Any, ClassVar, Literal

import typer
from typer.core import TyperCommand

from geomdp.cli.study_file import with_file
from geomdp.options import Option, OptionError
from geomdp.typed.inputs import Typed

Json = Annotated[bool, typer.Option("--json", help="Print JSON for machines instead of text.")]

#: What lists the options of a command, when it is asked for: spaces and statistics are heavy.
Lists = Callable[[], Iterable[Option]]


class DeclaredCommand(TyperCommand):
    """A command whose options are declared elsewhere, and looked up when it is run or explained."""

    function: ClassVar[Callable[..., None]]
    options: ClassVar[Lists]

    @cached_property
    def whole(self) -> Any:
        """The command with all its parameters."""
        alone = typer.Typer(add_completion=False)
        alone.command()(with_options(type(self).function, tuple(type(self).options())))
        return typer.main.get_command(alone)

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Parse what was typed, behind what a file says that it names."""
        whole = with_file(args, str(self.name), type(self).options())
        if self.name != PLANNING:
            self._refuse_of_plan(ctx, whole)
        return super().parse_args(ctx, whole)

    def _refuse_of_plan(self, ctx: Any, args: list[str]) -> None:
        """Say where an option belongs that the plan takes, and this command does not."""
        own = {name for one in self.get_params(ctx) for name in one.opts}
        typed = (arg.partition("=")[0] for arg in args if arg.startswith("--"))
        for name in (name for name in typed if name not in own):
            if _is_of_a_plan(name):
                raise typer.BadParameter(
                    f"{name} belongs to the plan, which says what is asked and what a record is: "
                    f"geomdp plan {name} ...",
                    ctx=ctx,
                )

    def get_params(self, ctx: Any) -> Any:
        """Return the parameters, for parsing, help and completion."""
        return self.whole.get_params(ctx)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; options that do not go together are wrong usage."""
        try:
            return self.whole.invoke(ctx)
        except OptionError as error:
            raise typer.BadParameter(str(error), ctx=ctx) from error


#: The command that says what is asked.
PLANNING = "plan"


def _is_of_a_plan(name: str) -> bool:
    """Tell whether ``geomdp plan`` takes an option."""
    from geomdp.typed.options import plan_options

    return any(one.name == name for one in plan_options())


def add_command(
    app: typer.Typer, name: str, help: str, function: Callable[..., None], options: Lists
) -> None:
    """Add a command that takes its own parameters and, as ``given``, declared options."""
    parts = {"function": staticmethod(function), "options": staticmethod(options)}
    app.command(name, help=help, cls=type("Command", (DeclaredCommand,), parts))(_nothing)


def _nothing() -> None:
    """Stand for a command whose parameters are not known yet."""


def with_options(function: Callable[..., None], options: tuple[Option, ...]) -> Callable[..., None]:
    """Give a function these options as parameters; it gets them together, as ``given``."""
    keys = [option.key for option in options]

    def run(**typed: Any) -> None:
        values = {key: typed.pop(key) for key in keys}
        function(**typed, given=Typed(options, values))

    own = inspect.signature(function, eval_str=True)
    kept = [one for one in own.parameters.values() if one.name != "given"]
    kept += [_parameter(option) for option in options]
    ordered = sorted(kept, key=lambda one: one.default is not one.empty)
    run.__signature__ = own.replace(parameters=ordered)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in ordered}
    return run


def _parameter(option: Option) -> inspect.Parameter:
    """Return an option as a parameter that typer understands."""
    kind: Any = Any if option.read is not None else option.type
    if option.choices:
        kind = Literal[option.choices]
    if option.many:
        kind = list[kind]
    if option.default is None:
        kind = kind | None if option.read is None else Any
    told = typer.Option(
        option.name,
        help=option.help,
        metavar=option.metavar,
        autocompletion=_completion(option.examples) if option.examples else None,
        parser=None if option.read is None else _parser(option.read),
        min=option.least,
        rich_help_panel=option.panel,
    )
    return inspect.Parameter(
        option.key,
        inspect.Parameter.KEYWORD_ONLY,
        default=option.default,
        annotation=Annotated[kind, told],
    )


def _completion(examples: tuple[str, ...]) -> Callable[[str], list[str]]:
    def offer(incomplete: str) -> list[str]:
        return [text for text in examples if text.startswith(incomplete)]

    return offer


def _parser(read: Callable[[str], Any]) -> Callable[[str], Any]:
    def parse(text: Any) -> Any:
        try:
            return read(text) if isinstance(text, str) else text  # a default is read already
        except OptionError as error:
            raise typer.BadParameter(str(error)) from error

    return parse
