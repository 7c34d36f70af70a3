"""Stories of a process that dies over a payment, a bill, a refund or its news; a fresh one goes on, nothing is doubled."""

import signal
from collections.abc import Mapping
from typing import Final

from photomat.db.pool import transaction
from photomat.fiscal.contacts import Contact, save_contact
from photomat.operators.money import refund_payment
from support.customer import Customer, words_of
from support.database import pool_of
from support.instance import Instance
from support.patience import until, until_found
from support.pay_sim import SECRET, SHOP, RunningPay, running_pay
from support.purse import opens_a_bill, pays
from support.stories import Tell
from support.system import System

PAID: Final = "52 ₽"
NEWS: Final = "💰 Зачислено"
GIVEN_BACK: Final = "↩️ Платёж возвращён"
PAST_THE_LEASE_S: Final = 61.0


async def the_news_is_sent(system: System, point: str) -> None:
    """At most once: killed before it left it is lost, and the balance says it all the same."""
    first = await a_shop_without_gifts(system, point)
    anna = system.customer()
    await pays(anna, await opens_a_bill(anna))
    await dies_there(first)
    await system.start()
    await anna.has(PAID)
    await system.passes(PAST_THE_LEASE_S)
    await system.comes_to_rest()
    assert lines(anna, NEWS) == (1 if point == "notice.after_send" else 0)
    await has_paid(system, 1)


async def a_lost_payment_is_found(system: System, point: str) -> None:
    """Telegram's update never came; whoever finds the payment in its list dies over it."""
    system.settings["STARS_RECONCILE_S"] = "0.3"
    first = await a_shop_without_gifts(system, point)
    anna = system.customer()
    link = await opens_a_bill(anna)
    system.telegram.faults.arm(world="telegram", method="update.successful_payment", action="never")
    await pays(anna, link)
    await dies_there(first)
    await system.start()
    await anna.sees(f"{NEWS} {PAID}")
    await anna.has(PAID)
    assert lines(anna, NEWS) == 1
    await has_paid(system, 1)


async def a_bill_is_made(system: System, point: str) -> None:
    """The provider has made the bill and we never heard: asked again with the same key it is the same bill, paid once.

    What its receipt says is changed meanwhile: the request is repeated as it was, so there is one receipt, the first one.
    """
    async with running_pay() as pay:
        pay.shop.switches["receipts_required"] = True
        system.settings |= shop_of(pay) | {"YOOKASSA_RECEIPTS": "54fz"}
        pay.notices_to(system.door.url)
        first = await a_shop_without_gifts(system, point)
        anna = system.customer()
        anna.says("/topup")
        await anna.taps("💳 Карта или СБП")
        await anna.taps("100")
        await anna.sees("Куда прислать чек")
        anna.says("anna@example.org")
        await dies_there(first)
        async with pool_of(system.database, size=2) as pool, transaction(pool) as tx:
            user_id = await tx.fetchval("SELECT user_id FROM fiscal_contacts")
            await save_contact(tx, user_id=user_id, contact=Contact(kind="phone", value="79001234567"))
        system.settings["YOOKASSA_VAT_CODE"] = "4"
        await system.start()
        await anna.finds("Оплатить")
        (bill,) = pay.shop.bills()
        pay.shop.pay(bill.bill_id)
        await anna.sees(f"{NEWS} 100 ₽")
        await anna.has("100 ₽")
        await has_paid(system, 1)
        (receipt,) = pay.shop.receipts.receipts.values()
        said = receipt.content["items"][0]["vat_code"], receipt.content["customer"]
        assert said == (1, {"email": "anna@example.org"})


async def a_payment_goes_back(system: System, point: str) -> None:
    """Out of the wallet first, then asked for until it is done: Telegram gives it back once."""
    first = await a_shop_without_gifts(system, point)
    anna = system.customer()
    charge = await pays(anna, await opens_a_bill(anna))
    await anna.sees(NEWS)
    async with pool_of(system.database, size=2) as pool:
        payment_id = await pool.fetchval("SELECT payment_id FROM payments")
        answer = await refund_payment(pool, payment_id, owing=False, by_hand=False, operator="olga", reason="asked")
    assert answer.done
    await dies_there(first)
    assert (charge.refunded_at is not None) == (point == "refund.after_call")
    await system.start()
    await anna.has("0 ₽")
    await system.passes(PAST_THE_LEASE_S)
    await anna.sees(GIVEN_BACK)
    await system.comes_to_rest()
    assert (charge.refunded_at is not None, lines(anna, GIVEN_BACK)) == (True, 1)
    async with system.sql() as connection:
        rows = await connection.fetch("SELECT state FROM payment_refunds")
    assert [row["state"] for row in rows] == ["done"]


STORIES: Final[Mapping[str, Tell]] = {
    "notice.after_record": the_news_is_sent,
    "notice.after_send": the_news_is_sent,
    "invoice.after_create": a_bill_is_made,
    "payment.before_commit": a_lost_payment_is_found,
    "payment.after_commit": a_lost_payment_is_found,
    "refund.after_claim": a_payment_goes_back,
    "refund.after_call": a_payment_goes_back,
}


async def a_shop_without_gifts(system: System, point: str) -> Instance:
    """The first instance of a shop that gives nobody anything to begin with; it dies at this point."""
    system.settings["WELCOME_CREDIT"] = "0"
    return await system.start(FAILPOINT=point)


def shop_of(pay: RunningPay) -> dict[str, str]:
    """What an instance needs to know of the simulated YooKassa."""
    return {
        "YOOKASSA_SHOP_ID": SHOP,
        "YOOKASSA_SECRET_KEY": SECRET,
        "YOOKASSA_API_URL": f"{pay.url}/yookassa",
        "YOOKASSA_SOURCES": "127.0.0.1,::1",
    }


async def has_paid(system: System, times: int) -> None:
    """So many payments are in the books, each credited."""
    async with system.sql() as connection:

        async def counted() -> bool | None:
            return True if await connection.fetchval("SELECT count(*) FROM payments") == times else None

        await until_found(counted, about=lambda: system.story[-6000:])


def lines(customer: Customer, text: str) -> int:
    """How many messages on the screen say so."""
    return sum(text in words_of(one) for one in customer.screen())


async def dies_there(instance: Instance) -> None:
    """Wait until it has killed itself."""
    await until(lambda: instance.exit_code is not None, about=lambda: instance.log[-6000:])
    assert await instance.ends() == -signal.SIGKILL, instance.log
