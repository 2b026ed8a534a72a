"""The table over budgets that ``geomdp plan --table`` shows."""

from typing import Any

from geomdp.errors import MechanismRefusedError
from geomdp.options import OptionError
from geomdp.plans import Plan, SinglePlan
from geomdp.plans.planning import plan
from geomdp.privacy.budgets import budget_from_json

#: Epsilon, mu or rho of the rows.
LADDER = ("0.1", "0.2", "0.5", "1", "2", "5", "10")


def budget_rows(made: Plan, delta: str | None) -> list[dict[str, Any]]:
    """Plan again for every budget of the ladder, of the plan's own kind."""
    if made.part_labels and not made.parts:
        raise OptionError("--table needs --radius, since one that is found differs by budget")
    request = _singles(made)[0].calibration.request
    sizes: Any = {label: part.n for label, part in made.parts.items()} or made.n
    kind: Any = type(made.guarantee.budget)
    rows = []
    for number in LADDER:
        budget = kind(number) if delta is None else kind(number, delta)
        row: dict[str, Any] = {"budget": budget.to_json()}
        try:
            best = plan(
                request.statistic, n=sizes, budget=budget, bound=request.bound, unit=made.unit
            )
        except MechanismRefusedError as error:
            rows.append({**row, "refused": str(error)})
            continue
        rows.append({**row, **_forecasts(best)})
    return rows


def _singles(made: Plan) -> list[SinglePlan]:
    """Return the plans of the groups, or the plan itself where there are none."""
    return [part.single for part in made.parts.values()] or [made.single]


def _forecasts(best: Plan) -> dict[str, Any]:
    """Return the errors of a plan; of groups, each one's, and the mechanisms compared once."""
    row = {"mechanism": best.describe_mechanism(), "expected_error": best.expected_error}
    row["error_95"] = best.error_quantile(0.95)
    if best.parts:
        row["groups"] = {label: part.expected_error for label, part in best.parts.items()}
    compared = next((one.runners_up for one in _singles(best) if one.runners_up), ())
    served = (o for o in compared if o.expected_error is not None)
    return {**row, "others": {o.name: o.expected_error for o in served}}


def print_table(rows: list[dict[str, Any]]) -> None:
    """Print the rows for people: one column a mechanism, the best in bold."""
    from rich.console import Console
    from rich.table import Table

    served = [row for row in rows if "refused" not in row]
    names = sorted({name for row in served for name in (row["mechanism"], *row["others"])})
    groups = list(dict.fromkeys(label for row in served for label in row.get("groups", ())))
    of_which = " (of the smallest group)" if groups else ""
    title = f"Expected error by mechanism{of_which}, and what 95 of 100 releases stay below"
    table = Table(title=title)
    table.add_column("budget", no_wrap=True)
    for name in ("95 of 100", *names, *(f"group {label}" for label in groups)):
        # Rich breaks lines at spaces only, and would cut a long name anywhere.
        table.add_column(name.replace("-", "-\n"), justify="right", overflow="fold")
    for row in rows:
        table.add_row(
            budget_from_json(row["budget"]).words(), *_cells(row, names), *_of_groups(row, groups)
        )
    console = Console()
    console.print()
    console.print(table)


def _of_groups(row: dict[str, Any], groups: list[str]) -> list[str]:
    return [f"{row['groups'][label]:.3g}" for label in groups] if "groups" in row else []


def _cells(row: dict[str, Any], names: list[str]) -> list[str]:
    if "refused" in row:
        return ["refused"]
    errors = {name: f"{error:.3g}" for name, error in row["others"].items()}
    errors[row["mechanism"]] = f"[bold]{row['expected_error']:.3g}[/bold]"
    return [f"{row['error_95']:.3g}", *(errors.get(name, "") for name in names)]
