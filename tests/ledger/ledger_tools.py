"""What the tests of the ledger share: cheap plans, records, and raw access to the tables."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sqlalchemy import text

import geomdp as dp
from geomdp.ledger.engines import open_engine, url_of

KEY = "study.key"
N = 4


@dataclass(frozen=True)
class Place:
    """Where a ledger and its key lie."""

    where: str
    key: Path

    def open(self):
        return dp.Ledger(self.where, self.key)

    def execute(self, statement, **parameters):
        """Run SQL behind the ledger's back."""
        with open_engine(url_of(self.where)).begin() as connection:
            result = connection.execute(text(statement), parameters)
            return result.fetchall() if result.returns_rows else None


def line_plan(budget=None, n=N, **options):
    """A mean on the line: the cheapest plan there is."""
    ball = dp.Ball(dp.Euclidean(1), center=np.zeros(1), radius=1.0)
    chosen = {"mechanism": "laplace"} if budget is None or isinstance(budget, dp.Pure) else {}
    return dp.plan(dp.FrechetMean(ball), n=n, budget=budget or dp.Pure(1), **{**chosen, **options})


def line_records(which=0, n=N):
    """Records that differ from those of every other number."""
    return np.linspace(-0.9, 0.9, n)[:, None] + which * 1e-6


def debit(ledger, which=0, dataset="study", budget=None):
    """Charge for a release without making it; return the receipt."""
    from geomdp.ledger.receipts import fingerprint

    found = fingerprint(ledger.key, line_records(which))
    return ledger.debit(line_plan(budget), dataset, found)
