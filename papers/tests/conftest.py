"""What tests of studies share: verdicts of a table, held against the independent check of them."""

import csv
import io

import pytest
from tools.check_verdicts import CHECKS, stated

from geomdp_papers.studies import STUDIES, Table


@pytest.fixture
def judged():
    """Verdicts of a study on rows; two programs that share no code must find the same ones."""

    def of(name, rows, alone=()):
        table = rows if isinstance(rows, Table) else Table(rows)
        verdicts = [stated(claim.to_json()) for claim in STUDIES[name].judge(table)]
        again = CHECKS[name](list(csv.DictReader(io.StringIO(table.csv()))))
        assert len(verdicts) == len(again)
        assert [v for i, v in enumerate(verdicts) if i not in alone] == [
            v for i, v in enumerate(again) if i not in alone
        ]
        return verdicts

    return of
