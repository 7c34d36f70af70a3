"""What must always be true, by name. The rules stand by theme in the modules named here.

    books             sums are zero, caches are sums, every move once and as it was asked for
    given_back        refunds, corrections and gifts: no more than was taken, from whom it was taken
    jobs_and_money    held while on its way, charged when done, given back otherwise
    jobs              one card, one draft, one result, lanes that count right
    rewards           promo codes, invitations and gifts: every credit has its row, no limit was passed
    payments          what arrived was credited once, what went back left the wallet
    receipts          transfers by hand: each receipt is of its offer
    proofs_kept       sealed days are unchanged, differences are looked after
    protections       the triggers, keys and checks behind all this exist

The queries read every table and trust no constraint, trigger or cached sum: they are the second opinion.
"""

from typing import Final

from photomat.audit.books import BOOKS, GIVEN_BACK, PROOFS_KEPT, PROTECTIONS
from photomat.audit.jobs import JOBS, JOBS_AND_MONEY
from photomat.audit.payments import PAYMENTS, RECEIPTS, REWARDS

INVARIANTS: Final = (
    *BOOKS,
    *GIVEN_BACK,
    *JOBS_AND_MONEY,
    *JOBS,
    *PAYMENTS,
    *RECEIPTS,
    *REWARDS,
    *PROOFS_KEPT,
    *PROTECTIONS,
)
