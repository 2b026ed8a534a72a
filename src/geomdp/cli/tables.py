"""The table over budgets that ``geomdp plan --table`` shows."""

from typing import Any

from geomdp.cli.inputs import budget_kind
from geomdp.errors import MechanismRefusedError
from geomdp.planning import plan
from geomdp.plans import SinglePlan

#: Epsilon, mu or rho of the rows.
LADDER = ("0.1", "0.2", "0.5", "1", "2", "5", "10")


def budget_rows(made: SinglePlan, delta: str | None) -> list[dict[str, Any]]:
    """SinglePlan again for every budget of the ladder, of the plan's own kind.

    Examples
    --------
    >>> import geomdp as dp
    >>> rows = budget_rows(dp.plan(dp.Summary(dp.Sphere(2), 0.01), budget=dp.Pure(1)), None)
    >>> [row["budget"] for row in rows][:2]
    ['Pure(epsilon=0.1)', 'Pure(epsilon=0.2)']
    """
    request = made.calibration.request
    kind = "pure" if request.budget.kind == "approximate" else request.budget.kind
    make = budget_kind(kind, delta)
    rows = []
    for number in LADDER:
        budget = make(number)
        row: dict[str, Any] = {"budget": repr(budget)}
        try:
            best = plan(request.statistic, n=made.n, budget=budget, bound=request.bound)
        except MechanismRefusedError as error:
            rows.append({**row, "refused": str(error)})
            continue
        row |= {"mechanism": best.mechanism, "expected_error": best.expected_error}
        row["error_95"] = best.error_quantile(0.95)
        served = (o for o in best.runners_up if o.expected_error is not None)
        rows.append({**row, "others": {o.name: o.expected_error for o in served}})
    return rows


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print the rows for people: one column a mechanism, the best in bold.

    Examples
    --------
    >>> print_table([{"budget": "Pure(epsilon=1)", "refused": "no"}])  # doctest: +ELLIPSIS
    <BLANKLINE>
    ...
    """
    from rich.console import Console
    from rich.table import Table

    served = [row for row in rows if "refused" not in row]
    names = sorted({name for row in served for name in (row["mechanism"], *row["others"])})
    table = Table(title="Expected error by mechanism, and what 95 of 100 releases stay below")
    table.add_column("budget", no_wrap=True)
    for name in ("95 of 100", *names):
        # Rich breaks lines at spaces only, and would cut a long name anywhere.
        table.add_column(name.replace("-", "-\n"), justify="right", overflow="fold")
    for row in rows:
        table.add_row(row["budget"], *_cells(row, names))
    console = Console()
    console.print()
    console.print(table)


def _cells(row: dict[str, Any], names: list[str]) -> list[str]:
    if "refused" in row:
        return ["refused"]
    errors = {name: f"{error:.3g}" for name, error in row["others"].items()}
    errors[row["mechanism"]] = f"[bold]{row['expected_error']:.3g}[/bold]"
    return [f"{row['error_95']:.3g}", *(errors.get(name, "") for name in names)]
