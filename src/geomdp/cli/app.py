"""The command and what all its parts share: help, errors as sentences, exit codes."""

import codecs
import errno
import io
import signal
import sys
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from geomdp.cli import (
    audit,
    ball,
    check,
    data,
    estimates,
    plan,
    release,
    show,
    sign,
    studio,
    study,
    study_file,
    verify,
)
from geomdp.cli.consortium import consortium_app
from geomdp.cli.declared import add_command
from geomdp.cli.ledger import ledger_app
from geomdp.errors import BudgetSpentError, GeomdpError, MachinesError
from geomdp.runtime.stopping import STOPPED, say_stopped
from geomdp.typed.options import KEY, LEDGER, ball_options, data_options, plan_options

#: Exit codes: 0 done, 1 refused or invalid input, 2 wrong usage, 3 verification failed, 4 an audit
#: exceeded a claim, 5 not enough budget left, 130 Ctrl-C or SIGTERM.
REFUSED, SPENT = 1, 5

HELP = """Differential privacy for data on curved spaces.

Plan before you spend, release once, and let anyone check it:

\b
  geomdp data tensors --out tensors.npy
  geomdp plan --space spd:3 --center identity --radius 2 --n 972 \\
      --epsilon 1 --out plan.json
  geomdp show plan.json
  geomdp check plan.json tensors.npy
  geomdp release plan.json tensors.npy --out mean-tensor
  geomdp verify mean-tensor

A plan touches no data: a review board can approve its file.
New here? Try: geomdp demo
"""


class SentenceGroup(TyperGroup):
    """Turns the errors that a person can act on into one sentence and an exit code."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        code = REFUSED
        try:
            return super().invoke(ctx)
        except BudgetSpentError as error:
            sentence, code = str(error), SPENT
        except (GeomdpError, MachinesError) as error:
            sentence = str(error)
        except OSError as error:
            if error.errno == errno.EPIPE:  # the reader went away, as in `geomdp ... | head`
                raise
            sentence = os_sentence(error)
        typer.echo(f"geomdp: {sentence}", err=True)
        raise typer.Exit(code)


def os_sentence(error: OSError) -> str:
    """Say what the operating system refused."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return (
            "The disk is full; nothing was written. Make room or choose another folder, and start "
            "again."
        )
    where = f" ({error.filename})" if error.filename else ""
    return f"The system refused: {error.strerror or error}{where}; nothing was written."


#: Of a command that hands its arguments on.
AS_GIVEN = {"allow_extra_args": True, "ignore_unknown_options": True}

app = typer.Typer(
    cls=SentenceGroup,
    help=HELP,
    no_args_is_help=True,
    rich_markup_mode="rich",
    add_completion=True,
    pretty_exceptions_enable=False,  # never prints local variables: they may be records
    context_settings={"help_option_names": ["-h", "--help"]},
)
add_command(app, "plan", plan.HELP, plan.plan_command, plan_options)
app.command("new", help=study_file.NEW_HELP)(study_file.new_command)
app.command("show", help=show.HELP)(show.show_command)
add_command(app, "check", check.HELP, check.check_command, data_options)
add_command(app, "release", release.HELP, release.release_command, release.release_options)
add_command(app, "verify", verify.HELP, verify.verify_command, lambda: (LEDGER, KEY))
app.command("sign", help=sign.HELP)(sign.sign_command)
app.command("report", help=show.REPORT_HELP)(show.report_command)
app.add_typer(ledger_app, name="ledger")
app.add_typer(consortium_app, name="consortium")
add_command(app, "ball", ball.HELP, ball.ball_command, ball_options)
app.command("compare", help=estimates.COMPARE_HELP)(estimates.compare_command)
app.command("combine", help=estimates.COMBINE_HELP)(estimates.combine_command)
app.command("audit", help=audit.HELP)(audit.audit_command)
app.command("data", help=data.HELP)(data.data_command)
app.command("demo", help=data.DEMO_HELP)(data.demo_command)
app.command("studio", help=studio.HELP)(studio.studio_command)
app.command("study", help=study.HELP, add_help_option=False, context_settings=AS_GIVEN)(
    study.study_command
)


def _version(wanted: bool) -> None:
    if wanted:
        from geomdp.version import software

        typer.echo(software())
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Options of the command itself."""


#: Signals that stop the command, with what Python does about them by itself.
USUAL = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}


def stop_once() -> None:
    """Let the first Ctrl-C or SIGTERM stop the work, and no further one disturb the cleaning.

    For as long as the process lives: what is cleaned up last is the interpreter itself. SIGTERM is
    how a scheduler ends a job or a container; unheard, it would leave a begun folder behind, and a
    debit that nobody was told of.
    """

    def stop(*_: object) -> NoReturn:
        for heard in USUAL:
            signal.signal(heard, signal.SIG_IGN)
        raise KeyboardInterrupt

    for heard, usual in USUAL.items():
        if signal.getsignal(heard) is usual:  # nohup, say, decides itself
            signal.signal(heard, stop)


#: What is printed where a letter cannot be.
NAMES = {"ε": "epsilon", "δ": "delta", "μ": "mu", "ρ": "rho"}


def _named(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(NAMES.get(letter, "?") for letter in lost), error.end


def print_whatever_the_encoding() -> None:
    """Let no character of a message end the command: it may stand after a draw."""
    codecs.register_error("geomdp-names", _named)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="geomdp-names")


def main() -> None:
    """Run the command."""
    try:
        stop_once()
        print_whatever_the_encoding()
        app()
    except KeyboardInterrupt:
        say_stopped()
    except SystemExit as end:
        if end.code == STOPPED:  # typer makes this of Ctrl-C, and says nothing
            say_stopped()
        raise
