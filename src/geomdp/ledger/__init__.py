"""What has been spent on a data set: durable, shared, tamper-evident.

Who may trust what, and why: docs/theory/ledger.md. How to keep one: docs/how-to/keep-a-ledger.md.
"""

from importlib.util import find_spec

from geomdp.errors import LedgerError

if find_spec("sqlalchemy") is None:
    raise LedgerError('A ledger needs SQLAlchemy; install it with: pip install "geomdp[ledger]".')

from geomdp.ledger.accounts import Account, Balance, Spending
from geomdp.ledger.book import Ledger
from geomdp.ledger.chain import Entry
from geomdp.ledger.receipts import Receipt

__all__ = ["Account", "Balance", "Entry", "Ledger", "Receipt", "Spending"]
