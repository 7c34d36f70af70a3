"""Every invariant: what must always be true, by theme.

The queries read every table and trust no constraint, trigger or cached sum: they are the second opinion.
"""

from typing import Final

from photomat.audit.books import BOOKS
from photomat.audit.jobs import JOBS
from photomat.audit.payments import PAYMENTS

INVARIANTS: Final = (*BOOKS, *JOBS, *PAYMENTS)
