"""The process dies around a question, its answer and a refund; a fresh one goes on: one ticket, one answer, one refund."""

from pathlib import Path

from photomat_sandbox.telegram import person_acts
from support.customer import Customer
from support.instance import Instance
from support.patience import until_found
from support.system import running_system

THE_QUESTION = 8
"""/start, [Create a picture], [Z-Image], the prompt, [1:1], [Create], [🆘], the question."""
THREAD = "SELECT side, text FROM ticket_messages ORDER BY message_id"
REFUNDS = "SELECT count(*) FROM ledger_transactions WHERE refunds IS NOT NULL"


REFUNDED = """
    SELECT true FROM ledger_transactions
     WHERE refunds IS NOT NULL AND NOT EXISTS (SELECT FROM inbox WHERE handled_at IS NULL AND parked_at IS NULL)
"""
"""Given back, and the tap that was killed is handled, by whichever instance."""


async def test_killed_around_a_question_its_answer_and_a_refund_nothing_is_lost_or_doubled(
    database: str, tmp_path: Path
) -> None:
    async with running_system(database, tmp_path, LEASE_S="1.5") as system:
        anna, peter = system.customer("Анна"), system.customer("Пётр")
        system.settings["ADMIN_IDS"] = str(peter.person.user_id)
        first = await system.start(FAILPOINT=f"update.after_handle:{THE_QUESTION}")
        card = await anna.buys()
        await anna.gets_a_picture()
        await anna.taps("🆘", message_id=card)
        await anna.sees("Что случилось?")
        anna.says("у кота нет усов")
        await dies(first)
        second = await system.start(FAILPOINT="update.after_handle:2")
        await replies(peter, "сейчас вернём", to="у кота нет усов")
        await dies(second)
        third = await system.start(FAILPOINT="update.after_handle:3")
        await peter.taps("💸 Вернуть деньги")
        await peter.taps("Наша ошибка")
        await dies(third)
        await system.start()
        async with system.sql() as connection:
            await until_found(lambda: connection.fetchval(REFUNDED))
        anna.says("/support")
        await anna.taps("№ 1")
        thread = await anna.sees("Вернули 0,64 ₽")
        assert "у кота нет усов" in thread["text"]
        assert "сейчас вернём" in thread["text"]
        await anna.has("100 ₽")
        async with system.sql() as connection:
            said = [tuple(row) for row in await connection.fetch(THREAD)]
            assert await connection.fetchval("SELECT count(*) FROM tickets") == 1
            assert await connection.fetchval(REFUNDS) == 1
        assert said == [
            ("customer", "у кота нет усов"),
            ("operator", "сейчас вернём"),
            ("system", "refunded"),
        ]


async def replies(person: Customer, text: str, *, to: str) -> None:
    """Reply to the message with these words."""
    found = await person.sees(to)
    person_acts.write(person.telegram.world, person.person, text, reply_to=found["message_id"])


async def dies(instance: Instance) -> None:
    """Wait until it was struck at its failpoint."""
    await instance.ends()
    assert instance.lines("FAILPOINT"), instance.log[-2000:]
