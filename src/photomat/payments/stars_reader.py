"""Reads Telegram's own list of Stars every few minutes and compares it with our payments.

A payment whose update was lost is received, an unreported refund is taken back; a sum that differs, and a payment of ours that
Telegram does not list, become differences. The list only grows, so reading continues where it stopped, one page earlier, to
see lines that appeared late. Killed anywhere, or run twice at once: the same lines are read again and change nothing.

The bot may have sold things before this program was installed: a charge more than a day older than our first reading is
stored as listed and not credited. A line that cannot be booked becomes a difference and does not stop the others.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Final

from photomat.audit import differences
from photomat.db.pool import Pool, transaction
from photomat.db.rows import require_row
from photomat.kernel.errors import PhotomatError, Transient
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import BotId
from photomat.kernel.logs import get_logger
from photomat.kernel.money import Money
from photomat.payments import subscriptions
from photomat.payments.options import PaymentOptions
from photomat.payments.stars import STARS, StarPayment, receive_stars, take_back_stars
from photomat.rewards.welcome import ensure_users
from photomat.telegram.port import StarMove, StarPage, StarsLedger
from photomat.users.user import Registration

PAGE: Final = 100
MAX_PAGES: Final = 50
"""Bounds one round; the rest is read in the next."""

GRACE: Final = timedelta(minutes=15)
BEFORE_US: Final = timedelta(days=1)
"""How long before our first reading a payment may still be ours: its update came before the list was read."""

LOOKED_FOR: Final = timedelta(days=7)
"""How long a payment of ours is searched in the list; a missing one is searched until it is found."""

UNLISTED: Final = "stars-not-listed"
UNBOOKED: Final = "stars-not-booked"
log = get_logger()


@dataclass(frozen=True, slots=True, kw_only=True)
class BookedCharge:
    user_id: int
    paid: int
    given_back: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StarsReader:
    pool: Pool
    ledger: StarsLedger
    options: PaymentOptions
    welcome: Money
    bot_id: BotId

    async def read_once(self) -> int:
        """Read what is new since the last time; return how many lines changed something."""
        read_to, since = await self._begin()
        offset, changes = max(0, read_to - PAGE), 0
        for _ in range(MAX_PAGES):
            page = await self.ledger.page(offset=offset, limit=PAGE)
            changes += await self._take_in(page, since)
            offset += page.lines
            await self._keep(offset)
            if page.lines < PAGE:
                await self._miss_ours()
                break
        ended = await subscriptions.end_expired(self.pool)
        log.info("STARS_READ", lines=offset, changes=changes, ended=ended)
        return changes

    async def _take_in(self, page: StarPage, since: datetime) -> int:
        booked, old = await self._booked(page), await self._old(page, since)
        changed = [
            move
            for move in page.moves
            if not _is_booked(move, booked.get(move.charge_id))
            and (move.charge_id in booked or move.charge_id not in old)
        ]
        for move in changed:
            await self._book(move)
        await self._note(page)
        return len(changed)

    async def _book(self, move: StarMove) -> None:
        """Act on a line; one that cannot be booked becomes a difference."""
        try:
            await self._act_on(move)
        except Transient:
            raise
        except PhotomatError as error:
            log.error("STARS_NOT_BOOKED", charge_id=move.charge_id, side=move.side, error=str(error))
            async with transaction(self.pool) as tx:
                await differences.report(
                    tx,
                    kind=UNBOOKED,
                    reference=f"payment:{STARS}:{move.charge_id}",
                    expected=f"{move.stars} Stars {move.side}, as Telegram lists",
                    found=str(error),
                    again=False,
                )

    async def _old(self, page: StarPage, since: datetime) -> set[str]:
        """The charges paid before our first reading, by this page or an earlier one."""
        rows = await self.pool.fetch(
            "SELECT charge_id FROM stars_listed WHERE charge_id = ANY($1::text[]) AND side = 'in' AND moved_at < $2",
            [move.charge_id for move in page.moves],
            since,
        )
        return {row["charge_id"] for row in rows} | {move.charge_id for move in page.moves if move.at < since}

    async def _act_on(self, move: StarMove) -> None:
        payment = _payment(move)
        async with transaction(self.pool) as tx:
            person = move.person
            payer = Registration(person.user_id, person.first_name, person.username, person.language_code)
            await ensure_users(tx, [payer], welcome=self.welcome)
            if move.side == "in":
                await receive_stars(tx, payment, self.options)
            else:
                await take_back_stars(tx, payment, self.options)
            failpoint("payment.before_commit")
        failpoint("payment.after_commit")

    async def _booked(self, page: StarPage) -> dict[str, BookedCharge]:
        rows = await self.pool.fetch(
            """
            SELECT external_id, user_id, paid_amount,
                   (SELECT coalesce(sum(back.paid_amount), 0)::bigint FROM payment_refunds AS back
                     WHERE back.payment_id = payments.payment_id AND back.state <> 'refused') AS given_back
              FROM payments WHERE provider = $1 AND external_id = ANY($2::text[])
            """,
            STARS,
            [move.charge_id for move in page.moves],
        )
        return {
            row["external_id"]: BookedCharge(
                user_id=row["user_id"], paid=row["paid_amount"], given_back=row["given_back"]
            )
            for row in rows
        }

    async def _note(self, page: StarPage) -> None:
        await self.pool.executemany(
            """
            INSERT INTO stars_listed (bot_id, charge_id, side, user_id, stars, moved_at) VALUES ($1, $2, $3, $4, $5, $6)
                ON CONFLICT (charge_id, side) DO NOTHING
            """,
            [(self.bot_id, move.charge_id, move.side, move.person.user_id, move.stars, move.at) for move in page.moves],
        )

    async def _begin(self) -> tuple[int, datetime]:
        """How far the list was read, and since when its charges are ours."""
        row = await require_row(
            self.pool,
            """
            INSERT INTO stars_readings (bot_id) VALUES ($1)
                ON CONFLICT (bot_id) DO UPDATE SET bot_id = excluded.bot_id
            RETURNING read_to, started_at - $2::interval AS since
            """,
            self.bot_id,
            BEFORE_US,
        )
        return row["read_to"], row["since"]

    async def _keep(self, read_to: int) -> None:
        await self.pool.execute(
            "UPDATE stars_readings SET read_to = $2, ended_at = photomat_now() WHERE bot_id = $1", self.bot_id, read_to
        )

    async def _miss_ours(self) -> None:
        """Report payments of ours that Telegram does not list, and end the differences of those it lists by now."""
        async with transaction(self.pool) as tx:
            rows = await tx.fetch(
                """
                WITH looked_for AS (
                    SELECT reference, external_id, paid_amount FROM payments
                     WHERE provider = $1 AND received_at < photomat_now() - $3::interval
                       AND received_at >= (SELECT greatest(started_at, photomat_now() - $4::interval)
                                             FROM stars_readings WHERE bot_id = $2)
                     UNION
                    SELECT reference, external_id, paid_amount FROM differences JOIN payments USING (reference)
                     WHERE kind = $5 AND resolved_at IS NULL)
                SELECT reference, paid_amount FROM looked_for
                 WHERE NOT EXISTS (SELECT 1 FROM stars_listed WHERE charge_id = external_id AND side = 'in')
                """,
                STARS,
                self.bot_id,
                GRACE,
                LOOKED_FOR,
                UNLISTED,
            )
            for row in rows:
                await differences.report(
                    tx,
                    kind=UNLISTED,
                    reference=row["reference"],
                    expected="Telegram lists it",
                    found=f"{row['paid_amount']} Stars credited, not listed",
                )
            await differences.end_unseen(tx, kind=UNLISTED, still_there=[row["reference"] for row in rows])


def _is_booked(move: StarMove, booked: BookedCharge | None) -> bool:
    if booked is None:
        return False
    if move.side == "out":
        return booked.given_back >= booked.paid
    return (booked.user_id, booked.paid) == (move.person.user_id, move.stars)


def _payment(move: StarMove) -> StarPayment:
    return StarPayment(
        charge_id=move.charge_id,
        user_id=move.person.user_id,
        stars=move.stars,
        payload=move.payload,
        paid_at=move.at,
        via="reconcile",
        is_subscription=move.is_subscription,
    )
