"""Telegram's list of Stars against our books: lost payments arrive, refunds are taken back, what differs has an owner."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from photomat.db.pool import Pool
from photomat.kernel.ids import BotId, UserId
from photomat.kernel.money import Money
from photomat.payments.receive import IncomingPayment
from photomat.payments.stars_reader import LOOKED_FOR, StarsReader
from photomat.telegram.port import StarMove, StarPage, StarPerson
from photomat_sandbox.telegram.stars import StarCharge
from support.conversation import Chat, conversation
from support.database import pool_of, shift_clock
from support.paying import available, link_on_screen, payments_of, pays_the_bill, reader, shop_options, tell_all
from support.payments import ANNA, differences_of, people, receive, wallet_of
from support.updates import BOT_ID


def unlisted(chat: Chat) -> IncomingPayment:
    """A payment of ours that Telegram's list does not have."""
    return IncomingPayment(
        provider="stars",
        external_id="made-up",
        user_id=UserId(chat.person.user_id),
        topup_id=None,
        paid=Money(5, "XTR"),
        worth=Money(520, "RUB"),
        paid_at=datetime(2026, 3, 1, tzinfo=UTC),
        via="update",
    )


def pays_unheard(chat: Chat, *, stars: int = 100, payload: str = "t:1", user_id: int | None = None) -> StarCharge:
    """Telegram takes Stars, and its update is lost."""
    world = chat.telegram.world
    return world.stars.charge(user_id=user_id or chat.person.user_id, amount=stars, payload=payload, now=world.now())


async def a_bill(chat: Chat) -> str:
    await chat.says("/topup")
    await chat.taps("⭐ Telegram Stars")
    await chat.taps("⭐ 100")
    return link_on_screen(chat)


async def test_a_payment_whose_update_was_lost_arrives_and_is_told_of(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        pays_unheard(chat)
        assert await reader(chat).read_once() == 1
        assert await payments_of(chat) == [(100, 10_400, "topup", "reconcile")]
        assert await reader(chat).read_once() == 0
        await tell_all(chat)
        assert "Зачислено" in chat.newest


async def test_a_payer_we_never_met_gets_a_wallet_their_welcome_and_the_money(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=1000) as chat:
        boris = chat.telegram.person("Борис")
        pays_unheard(chat, stars=10, payload="somebody-else's", user_id=boris.user_id)
        await reader(chat).read_once()
        assert await payments_of(chat, boris) == [(10, 1_040, "topup", "reconcile")]
        assert await available(chat, boris) == 1_040 + 1_000


async def test_what_the_updates_told_is_found_as_it_is(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        await pays_the_bill(chat)
        assert await reader(chat).read_once() == 0
        assert await payments_of(chat) == [(100, 10_400, "topup", "update")]
        assert await differences_of(chat.pool) == []


async def test_a_refund_nobody_told_us_of_is_taken_back_once(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        charge = await pays_the_bill(chat)
        assert charge is not None
        world = chat.telegram.world
        world.stars.refund(charge.charge_id, user_id=chat.person.user_id, now=world.now())
        assert await reader(chat).read_once() == 1
        assert await reader(chat).read_once() == 0
        assert await available(chat) == 0
        assert await chat.pool.fetchval("SELECT state FROM payment_refunds") == "done"


async def test_a_payment_and_its_refund_both_lost_leave_nothing(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        charge, world = pays_unheard(chat), chat.telegram.world
        world.stars.refund(charge.charge_id, user_id=chat.person.user_id, now=world.now())
        assert await reader(chat).read_once() == 2
        assert await available(chat) == 0


async def test_many_pages_are_read_to_their_end_and_the_next_round_goes_on_from_there(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        for _ in range(230):
            pays_unheard(chat, stars=1, payload="")
        assert await reader(chat).read_once() == 230
        assert await chat.pool.fetchval("SELECT read_to FROM stars_readings") == 230
        asked = chat.calls("getStarTransactions")
        pays_unheard(chat, stars=1, payload="")
        assert await reader(chat).read_once() == 1
        assert chat.calls("getStarTransactions") == asked + 2, "one page of what is known, and what is new"


async def test_another_sum_at_telegram_is_a_difference_and_changes_nothing(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        charge = await pays_the_bill(chat)
        assert charge is not None
        charge.amount = 99
        await reader(chat).read_once()
        assert [one[0] for one in await differences_of(chat.pool)] == ["payment-told-otherwise"]
        assert await available(chat) == 10_400


async def test_a_payment_of_ours_that_telegram_does_not_list_is_a_difference_until_it_does(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        await reader(chat).read_once()
        await receive(chat.pool, unlisted(chat))
        await reader(chat).read_once()
        assert await differences_of(chat.pool) == [], "a young payment may be on its way into the list"
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, timedelta(hours=1).total_seconds())
        await reader(chat).read_once()
        assert [one[:2] for one in await differences_of(chat.pool)] == [("stars-not-listed", "payment:stars:made-up")]
        charge = pays_unheard(chat, stars=5, payload="")
        charge.charge_id = "made-up"
        await reader(chat).read_once()
        assert await differences_of(chat.pool) == []


async def test_only_the_last_days_are_searched_and_what_is_missed_stays_missed(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        await reader(chat).read_once()
        await receive(chat.pool, unlisted(chat))
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, timedelta(hours=1).total_seconds())
            await reader(chat).read_once()
            await shift_clock(connection, (LOOKED_FOR + timedelta(days=1)).total_seconds())
            await reader(chat).read_once()
            assert [kind for kind, *_ in await differences_of(chat.pool)] == ["stars-not-listed"]
            await connection.execute("UPDATE differences SET resolved_at = photomat_now(), resolution = 'seen'")
        await reader(chat).read_once()
        assert await differences_of(chat.pool) == []


async def test_what_the_bot_took_before_we_came_is_listed_and_nobodys_credit(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await a_bill(chat)
        world, anna = chat.telegram.world, chat.person.user_id
        long_ago = world.now() - 2 * 86_400
        old = [world.stars.charge(user_id=anna, amount=1000, payload="old", now=long_ago) for _ in range(2)]
        world.stars.charge(user_id=anna, amount=10, payload="young", now=world.now() - 3600)
        assert await reader(chat).read_once() == 1
        world.stars.refund(old[0].charge_id, user_id=anna, now=world.now())
        assert await reader(chat).read_once() == 0
        assert await payments_of(chat) == [(10, 1_040, "topup", "reconcile")]
        assert await chat.pool.fetchval("SELECT count(*) FROM stars_listed") == 4
        assert await differences_of(chat.pool) == []


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of Stars as the test wrote it."""

    moves: Sequence[StarMove]

    async def page(self, *, offset: int, limit: int) -> StarPage:
        """Some of it."""
        found = self.moves[offset : offset + limit]
        return StarPage(lines=len(found), moves=found)

    async def refund(self, user_id: UserId, charge_id: str) -> None:
        """Nobody asks for it here."""
        raise NotImplementedError(user_id, charge_id)


def a_line(charge_id: str, stars: int, at: datetime) -> StarMove:
    return StarMove(
        charge_id=charge_id,
        side="in",
        person=StarPerson(user_id=ANNA, first_name="Анна", username=None, language_code=None),
        stars=stars,
        payload="",
        is_subscription=False,
        at=at,
    )


async def read_list(pool: Pool, *moves: StarMove, currency: str = "RUB") -> int:
    """One round over such a list."""
    options = replace(shop_options(), currency=currency)
    stars = StarsReader(pool=pool, ledger=Listed(moves), options=options, welcome=Money(0, "RUB"), bot_id=BotId(BOT_ID))
    return await stars.read_once()


async def test_a_line_that_cannot_be_booked_has_an_owner_and_hides_no_other(database: str) -> None:
    async with pool_of(database) as pool:
        await people(pool)
        now = await pool.fetchval("SELECT photomat_now()")
        for _ in range(2):
            await read_list(pool, a_line("impossible", 0, now), a_line("lost", 100, now))
        assert await wallet_of(pool) == (10_400, 0, 0)
        ((kind, reference, *_),) = await differences_of(pool)
        assert (kind, reference) == ("stars-not-booked", "payment:stars:impossible")
        assert await pool.fetchval("SELECT read_to FROM stars_readings") == 2


async def test_a_line_that_cannot_be_credited_leaves_nothing_but_a_difference(database: str) -> None:
    """A credit in another currency than the wallet's is refused: the payment is undone with it, and comes again."""
    async with pool_of(database) as pool:
        await people(pool)
        now = await pool.fetchval("SELECT photomat_now()")
        await read_list(pool, a_line("foreign", 100, now), currency="USD")
        assert await pool.fetchval("SELECT count(*) FROM payments") == 0
        assert [kind for kind, *_ in await differences_of(pool)] == ["stars-not-booked"]
        await read_list(pool, a_line("foreign", 100, now))
        assert await wallet_of(pool) == (10_400, 0, 0)
