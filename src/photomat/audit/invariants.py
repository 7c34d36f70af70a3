"""What must always be true, by name. The rules stand by theme in the modules named here.

    books             sums are zero, caches are sums, every move once and as it was asked for
    given_back        refunds, corrections and gifts: no more than was taken, from whom it was taken
    jobs_and_money    held while on its way, charged when done, given back otherwise
    jobs              one card, one draft, one result, lanes that count right
    proofs_kept       sealed days are unchanged, differences are looked after
    protections       the triggers, keys and checks behind all this exist

The queries read every table and trust no constraint, trigger or cached sum: they are the second opinion.
"""

from typing import Final

from photomat.audit.books import BOOKS
from photomat.audit.given_back import GIVEN_BACK
from photomat.audit.jobs import JOBS
from photomat.audit.jobs_and_money import JOBS_AND_MONEY
from photomat.audit.proofs_kept import PROOFS_KEPT
from photomat.audit.protections import PROTECTIONS

INVARIANTS: Final = (*BOOKS, *GIVEN_BACK, *JOBS_AND_MONEY, *JOBS, *PROOFS_KEPT, *PROTECTIONS)
