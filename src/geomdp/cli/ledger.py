"""``geomdp ledger``: what has been spent on a data set, by whom, and what is left."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from geomdp.cli.declared import Json, add_command
from geomdp.typed.inputs import Typed
from geomdp.typed.options import KEY, budget_options

if TYPE_CHECKING:
    from geomdp.ledger import Account, Entry, Ledger

#: Exit code when the ledger was altered.
NOT_INTACT = 3

HELP = """Keep account of what was spent on a data set.

[bold]Example[/bold]

\b
  geomdp ledger init study.db
  geomdp ledger grant study.db patients --epsilon 5
  geomdp release plan.json patients.csv --ledger study.db \\
      --dataset patients --out mean
  geomdp ledger show study.db

LEDGER is a path (SQLite) or a URL such as postgresql://host/database. Its key
lies outside of it, in ~/.config/geomdp/ledgers unless --key says otherwise:
who holds it can write to the ledger and check it.

Exit codes: 3 if the ledger was altered, 5 if not enough budget is left.
"""

Where = Annotated[
    str, typer.Argument(metavar="LEDGER", help="Path, or URL of a PostgreSQL database.")
]
Key = Annotated[
    Path | None,
    typer.Option(KEY.name, metavar=KEY.metavar, help=KEY.help, rich_help_panel=KEY.panel),
]

ledger_app = typer.Typer(
    help=HELP, no_args_is_help=True, rich_markup_mode="rich", add_completion=False
)


@ledger_app.command("init")
def init_command(where: Where, key: Key = None) -> None:
    """Make a ledger and its key."""
    from geomdp.ledger import Ledger

    made = Ledger.create(where, key)
    typer.echo(f"Ledger       {made.where}")
    typer.echo(f"Key          {made.key.file}: keep it, apart from the ledger")


def grant_command(
    where: Where,
    dataset: Annotated[str, typer.Argument(metavar="DATASET", help="Name of the data set.")],
    given: Typed,
) -> None:
    """Grant a budget to a data set; grants of one kind add up."""
    from geomdp.ledger import Ledger
    from geomdp.privacy.budgets import budget_from_options

    budget = budget_from_options(given)
    book = Ledger(where, given["key"])
    book.grant(dataset, budget)
    typer.echo(f"Granted      {book.account(dataset).granted.words()} to {dataset}")


_GRANT_HELP = "Grant a budget to a data set; grants of one kind add up."
add_command(ledger_app, "grant", _GRANT_HELP, grant_command, lambda: (*budget_options(), KEY))


@ledger_app.command("show")
def show_command(where: Where, key: Key = None, as_json: Json = False) -> None:
    """Show what is left of every budget, and whether anybody altered the ledger.

    The exit code is 3 if an entry was altered, deleted, moved or added.
    """
    from geomdp.ledger import Ledger

    book = Ledger(where, key)
    problems = book.problems()
    if problems:
        _tell_problems(book.where, problems, as_json)
        raise typer.Exit(NOT_INTACT)
    entries = book.history()
    if as_json:
        typer.echo(json.dumps(_overview(book, entries[-1]), indent=2))
        return
    head = entries[-1].link
    typer.echo(f"Ledger       {book.where}: intact, {len(entries)} entries, head {head}")
    typer.echo(f"Heads        {_heads(book.known_heads)}")
    for account in book.accounts().values():
        _tell_account(account)


@ledger_app.command("history")
def history_command(where: Where, key: Key = None, as_json: Json = False) -> None:
    """List every entry: who, when, for what."""
    from geomdp.ledger import Ledger

    entries = Ledger(where, key).history()
    if as_json:
        typer.echo(json.dumps([{**e.body, "link": e.link} for e in entries], indent=2))
        return
    for entry in entries:
        typer.echo(f"{entry.number:>6}  {entry.at}  {entry.by}  {_words(entry)}")


@ledger_app.command("resolve")
def resolve_command(
    where: Where,
    entry: Annotated[int, typer.Argument(metavar="ENTRY", help="Number of an unpublished debit.")],
    folder: Annotated[
        Path | None,
        typer.Option("--folder", metavar="FOLDER", help="The release that was written already."),
    ] = None,
    abandon: Annotated[
        bool, typer.Option("--abandon", help="There is no release; the budget stays spent.")
    ] = False,
    key: Key = None,
) -> None:
    """Complete a debit whose release was interrupted, or abandon it. Nothing is refunded."""
    from geomdp.ledger import Ledger

    if (folder is None) is not abandon:
        raise typer.BadParameter("give --folder FOLDER or --abandon")
    book = Ledger(where, key)
    if folder is None:
        book.abandon(entry)
    else:
        book.attach(entry, folder)
    typer.echo(f"Entry {entry}      {'abandoned: it stays spent' if abandon else 'published'}")


def _heads(known: int) -> str:
    """Say how far it would be noticed that the ledger was cut back."""
    if not known:
        return (
            "no head was known here, so that a ledger which was cut back would look intact; the "
            "present one is known from now on"
        )
    number = "1 head was" if known == 1 else f"{known} heads were"
    return f"{number} known here, and all of them are in the ledger"


def _overview(book: "Ledger", last: "Entry") -> dict[str, Any]:
    return {
        "intact": True,
        "entries": last.number + 1,
        "head": last.link,
        "known_heads": book.known_heads,
        "datasets": {name: _account(account) for name, account in book.accounts().items()},
    }


def _account(account: "Account") -> dict[str, Any]:
    return {
        "granted": account.granted.to_json(),
        "spent": account.spent.to_json(),
        "remaining": account.remaining.to_json(),
        "warning": account.warning,
        "debits": {s.entry.number: s.state for s in account.spendings},
    }


def _tell_account(account: "Account") -> None:
    typer.echo("")
    typer.echo(f"Data set     {account.dataset}")
    typer.echo(f"Granted      {account.granted.words()}")
    count = len(account.spendings)
    typer.echo(
        f"Spent        {account.spent.words()} by {count} {'debit' if count == 1 else 'debits'}"
    )
    typer.echo(f"Remaining    {account.remaining.words()}")
    if account.warning:
        typer.echo(f"Warning      {account.warning}")
    for number in account.unpublished:
        typer.echo(
            f"Unpublished  entry {number}: geomdp ledger resolve LEDGER {number} --folder FOLDER "
            "if its release was written, --abandon if not"
        )


def _tell_problems(where: str, problems: list[str], as_json: bool) -> None:
    if as_json:
        typer.echo(json.dumps({"intact": False, "problems": problems}, indent=2))
        return
    for problem in problems:
        typer.echo(f"{where}: NOT INTACT: {problem}.", err=True)


def _words(entry: "Entry") -> str:
    match entry.kind:
        case "grant":
            return f"granted {entry.budget.words()} to {entry.dataset}"
        case "debit":
            return f"debited {entry.cost.words()} from {entry.dataset} for {entry.body['for']}"
        case "published" | "abandoned":
            return f"{entry.kind} entry {entry.about}"
        case _:
            return "made the ledger"
