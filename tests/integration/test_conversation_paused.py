"""What a customer reads while an operator has paused the bot, a model or the provider, and what goes on meanwhile."""

from dataclasses import replace
from datetime import timedelta

from photomat.delivery.waiting import with_waits
from photomat.kernel.ids import UserId
from photomat.operators.controls import pause, resume
from photomat.work.controls import BOT, KIE
from photomat_sandbox.telegram import person_acts
from support.conversation import Chat, conversation
from support.jobs import claims_of, lock_cards
from support.paying import available, declines, link_on_screen, payments_of, shop_options
from support.telegram_media import picture

ME = "cli:anna@desk"
Z_IMAGE = "model:z-image"


async def pauses(chat: Chat, name: str, *, notice: str | None = None, hours: int | None = None) -> None:
    lasts = None if hours is None else timedelta(hours=hours)
    answer = await pause(chat.pool, name, operator=ME, reason="a test", notice=notice, lasts=lasts)
    assert answer.done


async def resumes(chat: Chat, name: str) -> None:
    assert (await resume(chat.pool, name, operator=ME, reason="a test")).done


async def jobs_of(chat: Chat) -> int:
    return int(await chat.pool.fetchval("SELECT count(*) FROM generation_jobs"))


def labels_of(chat: Chat) -> list[str]:
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] or [] for button in row]


async def test_while_the_bot_is_paused_nothing_is_sold_and_the_same_card_buys_afterwards(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        await pauses(chat, BOT, notice="Меняем сервер <b>.", hours=2)
        before = len(chat.screen())
        await chat.taps("✅ Создать")
        assert chat.answers[-1].startswith("🛠 Технический перерыв. Меняем сервер <b>. Ориентировочно до ")
        assert await jobs_of(chat) == 0
        text = await chat.says("/start")
        assert text.startswith("🛠 Технический перерыв\n\nМеняем сервер <b>. Ориентировочно до ")
        assert "Деньги на балансе в безопасности" in text
        await chat.sends(picture(), album="holiday")
        await chat.sends(picture(), album="holiday")
        theirs = 3
        assert len(chat.screen()) == before + theirs + 2, "one answer to a word, one to an album"
        await resumes(chat, BOT)
        await chat.taps("✅ Создать")
        assert await jobs_of(chat) == 1


async def test_the_paused_bot_serves_its_operators(database: str) -> None:
    async with conversation(database) as chat:
        await pauses(chat, BOT)
        assert "Технический перерыв" in await chat.says("/start")
        assert await chat.pool.fetchval("SELECT count(*) FROM users") == 0, "nobody is registered meanwhile"
        operators = frozenset({UserId(chat.person.user_id)})
        chat.worker = replace(chat.worker, config=replace(chat.worker.config, operators=operators))
        assert "Технический перерыв" not in await chat.says("/start")


async def test_a_payment_is_declined_before_it_is_made_and_booked_once_it_was(database: str) -> None:
    async with conversation(database, options=shop_options(), welcome=0) as chat:
        await chat.says("/topup")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 100")
        world = chat.telegram.world
        bill = world.bills[link_on_screen(chat)]
        person_acts.pay_bill(world, chat.person, bill)
        await chat.handle_all()
        assert len(world.stars.charges) == 1, "the question was answered: the money is on its way"
        await pauses(chat, BOT, hours=1)
        await chat.handle_all()
        assert [credit for _, credit, *_ in await payments_of(chat)] == [10_400]
        assert await available(chat) == 10_400
        await resumes(chat, BOT)
        await chat.says("/topup")
        await chat.taps("⭐ Telegram Stars")
        await chat.taps("⭐ 50")
        await pauses(chat, BOT, hours=1)
        person_acts.pay_bill(world, chat.person, world.bills[link_on_screen(chat)])
        await chat.handle_all()
        assert len(world.stars.charges) == 1
        assert declines(chat.telegram)[-1].startswith("Технический перерыв, оплата сейчас не принимается. Ориентир")


async def test_a_paused_model_is_shown_as_unavailable_and_its_card_says_why_and_until_when(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        card, _ = chat.button("✅ Создать")
        await pauses(chat, Z_IMAGE, notice="Она рисует чёрное.", hours=3)
        await chat.taps("✅ Создать", message_id=card)
        why = "⏸ Z-Image: модель временно недоступна. Она рисует чёрное. Ориентировочно до "
        assert chat.answers[-1].startswith(why)
        assert await jobs_of(chat) == 0
        await chat.says("/start")
        await chat.taps("🖼 Создать картинку")
        while "⏸ Z-Image · временно недоступна" not in labels_of(chat):
            await chat.taps("▶️")
        await chat.taps("⏸ Z-Image")
        assert chat.answers[-1].startswith(why)
        assert "Z-Image" not in await chat.says("нарисуй кота в космосе"), "plain words choose another model"
        await resumes(chat, Z_IMAGE)
        await chat.taps("✅ Создать", message_id=card)
        assert await jobs_of(chat) == 1


async def test_while_the_provider_is_paused_cards_say_that_it_starts_later(database: str) -> None:
    async with conversation(database) as chat:
        await pauses(chat, KIE, hours=5)
        await chat.orders_a_cat()
        assert "🕓 Генерация сейчас на паузе. Ориентировочно до " in chat.newest
        await chat.taps("✅ Создать")
        assert await jobs_of(chat) == 1, "it is bought, and waits"
        creates = claims_of(chat.pool).creates
        (locked,) = await with_waits(chat.pool, await lock_cards(chat.pool), creates=creates)
        assert locked.wait.pause is not None
        assert await claims_of(chat.pool).submits(9) == []
        await resumes(chat, KIE)
        assert len(await claims_of(chat.pool).submits(9)) == 1
