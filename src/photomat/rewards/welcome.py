"""New users: their rows, their wallets and the welcome credit, in one statement, once.

The wallet of a user is made with their row, so a user who is not new has one.
"""

from collections.abc import Sequence

from photomat.db.pool import Pool, Transaction, transaction
from photomat.kernel.money import Money
from photomat.users.user import REGISTER, Registered, Registration, registered_of, registration_values
from photomat.wallet import ledger
from photomat.work.batch_writer import BatchWriter


async def ensure_users(tx: Transaction, registrations: Sequence[Registration], *, welcome: Money) -> list[Registered]:
    """Create the rows and wallets of those who have none; the welcome is credited only then."""
    made = await ledger.open_wallets(
        tx,
        REGISTER,
        registration_values(registrations),
        user_ids=[each.user_id for each in registrations],
        welcome=welcome,
    )
    by_user = {row["user_id"]: registered_of(row) for row in made}
    return [by_user[each.user_id] for each in registrations]


class Newcomers:
    """Registers users whose update is not over yet; those who come together share a commit."""

    def __init__(self, pool: Pool, *, welcome: Money) -> None:
        self._pool = pool
        self.welcome = welcome
        self._registrations = BatchWriter(self._register_together)

    async def register(self, registration: Registration) -> Registered:
        return await self._registrations.add(registration)

    async def _register_together(self, registrations: Sequence[Registration]) -> list[Registered]:
        async with transaction(self._pool) as tx:
            return await ensure_users(tx, registrations, welcome=self.welcome)
