"""A payment in Stars goes back: asked of Telegram until it is done; "already refunded" is done, another no is a no."""

import pytest

from photomat.app.wiring import refund_calls
from photomat.db.pool import transaction
from photomat.kernel.errors import OutcomeUnknown, Rejected, Transient
from photomat.kernel.ids import UserId
from photomat.payments.refunds import Refunder, ask_refund
from photomat.telegram.client import StarsClient
from photomat_sandbox.faults import Action
from support.conversation import Chat, conversation
from support.database import shift_clock
from support.paying import available, pays_the_bill, seen, shop_options, tell_all


async def pays(chat: Chat) -> str:
    await chat.says("/topup")
    await chat.taps("⭐ Telegram Stars")
    await chat.taps("⭐ 50 ")
    charge = await pays_the_bill(chat)
    assert charge is not None
    return charge.charge_id


async def wants_it_back(chat: Chat) -> None:
    async with transaction(chat.pool) as tx:
        await ask_refund(tx, payment_id=1, asked_by="olga", owing=False, by_hand=False)


async def gives_back(chat: Chat) -> str:
    refunder = Refunder(pool=chat.pool, calls=refund_calls(chat.bot, {}))
    for refund in await refunder.claim(9):
        await refunder.refund(refund)
    return str(await chat.pool.fetchval("SELECT state FROM payment_refunds"))


async def test_a_refund_goes_to_telegram_and_its_own_news_change_nothing_more(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        charge_id = await pays(chat)
        await wants_it_back(chat)
        assert await available(chat) == 0, "it leaves the wallet before Telegram is asked"
        assert await gives_back(chat) == "done"
        await chat.handle_all()
        assert chat.telegram.world.stars.charges[0].refunded_at is not None
        assert await chat.pool.fetchval("SELECT count(*) FROM payment_refunds") == 1, charge_id
        await tell_all(chat)
        assert "Платёж возвращён: 52 ₽" in seen(chat)


async def test_already_refunded_is_success_and_a_lost_answer_is_asked_again(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await pays(chat)
        await wants_it_back(chat)
        chat.telegram.faults.arm(world="telegram", method="refundStarPayment", action="drop_after")
        assert await gives_back(chat) == "wanted"
        async with chat.pool.acquire() as connection:
            await shift_clock(connection, 3600)
        assert await gives_back(chat) == "done"
        assert chat.telegram.world.stars.balance() == 0


@pytest.mark.parametrize(
    ("action", "status", "expected"),
    [("error", 500, OutcomeUnknown), ("drop_after", 500, OutcomeUnknown), ("error", 429, Transient)],
)
async def test_trouble_at_telegram_is_no_answer(
    database: str, action: Action, status: int, expected: type[Exception]
) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        charge_id = await pays(chat)
        chat.telegram.faults.arm(world="telegram", method="refundStarPayment", action=action, status=status)
        with pytest.raises(expected):
            await StarsClient(chat.bot).refund(UserId(chat.person.user_id), charge_id)


async def test_a_charge_telegram_does_not_know_is_a_clear_no_in_its_words(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await pays(chat)
        with pytest.raises(Rejected, match="CHARGE_ID_INVALID"):
            await StarsClient(chat.bot).refund(UserId(chat.person.user_id), "made-up")
