"""The living card: options are tapped on it, the price follows, and what was bought or changed meanwhile stays as it is."""

import time

from photomat.catalog.load import load_catalog
from photomat.catalog.model import Model
from photomat.kernel.ids import MessageId, UserId
from photomat.orders.draft import Draft
from photomat.orders.outcome import CardOutdated, Created, DraftBought, DraftGone, DraftOrder, OrderRefused
from photomat.orders.service import OrderService
from support.conversation import Chat
from support.database import pool_of
from support.forms import form, labels, order
from support.jobs import a_user, buyer_of
from support.media_bytes import image
from support.prices import set_price
from support.rewards import a_code, uses
from support.shop import orders_of

CATALOG = load_catalog()
PRO = CATALOG.get("nano-banana-pro")
KLING = CATALOG.get("kling-2.6/text-to-video")
CAT = {"prompt": "кот"}
NBSP = "\N{NO-BREAK SPACE}"


async def a_draft(orders: OrderService, user: UserId, model: Model = PRO) -> Draft:
    return await orders.save_draft(buyer_of(user), model, CAT, origin="a test")


def place(model: Model, name: str) -> int:
    return next(number for number, each in enumerate(model.inputs) if each.name == name)


async def chooses(
    orders: OrderService, draft: Draft, name: str, option: int, *, origin: str = "tap", revision: int | None = None
) -> object:
    model = CATALOG.get(draft.model)
    return await orders.choose(
        draft.user_id,
        draft.draft_id,
        revision=draft.revision if revision is None else revision,
        question=place(model, name),
        option=option,
        origin=origin,
    )


async def test_alternatives_are_priced_as_the_order_would_be(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        found = await orders.alternatives(user, PRO, CAT)
        assert found.quote == await orders.quote(user, PRO, CAT)
        assert found.voucher is None
        for row in found.rows:
            for each in row.options:
                assert each.price == (await orders.quote(user, PRO, {**CAT, row.input.name: each.value})).price


async def test_the_rules_of_the_operator_count_in_every_alternative(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        await set_price(pool, "fixed", "3000", model=PRO)
        found = await orders.alternatives(user, PRO, CAT)
        assert {each.price.minor for row in found.rows for each in row.options} == {3000}


async def test_alternatives_are_read_in_one_transaction_and_quoted_at_once(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        await orders.alternatives(user, KLING, CAT)
        before = time.process_time()
        for _ in range(10):
            await orders.alternatives(user, KLING, CAT)
        assert (time.process_time() - before) / 10 < 0.03


async def test_an_option_is_a_new_revision_at_its_price(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        draft = await a_draft(orders, user)
        outcome = await chooses(orders, draft, "resolution", 2)
        assert isinstance(outcome, DraftOrder)
        assert (outcome.draft.inputs["resolution"], outcome.draft.revision) == ("4K", draft.revision + 1)
        assert outcome.draft.price == (await orders.quote(user, PRO, outcome.draft.inputs)).price > draft.price
        again = await chooses(orders, draft, "resolution", 2)
        assert isinstance(again, CardOutdated), "handled again, it finds what it made"
        assert again.draft == outcome.draft


async def test_an_older_card_a_bought_one_and_one_of_somebody_else_change_nothing(database: str) -> None:
    async with pool_of(database) as pool:
        orders, anna, boris = (
            orders_of(pool),
            await a_user(pool, user_id=1, balance=100_000),
            await a_user(pool, user_id=2),
        )
        draft = await a_draft(orders, anna)
        stale = await chooses(orders, draft, "resolution", 2, revision=draft.revision + 5)
        assert isinstance(stale, CardOutdated)
        assert stale.draft.inputs == CAT
        assert isinstance(
            await orders.choose(boris, draft.draft_id, revision=1, question=1, option=0, origin="b"), DraftGone
        )
        unknown = await chooses(orders, draft, "resolution", 99)
        assert isinstance(unknown, CardOutdated)
        bought = await orders.buy(
            buyer_of(anna), draft_id=draft.draft_id, revision=draft.revision, message_id=MessageId(5), corr="c0ffee00"
        )
        assert isinstance(bought, Created)
        assert isinstance(await chooses(orders, draft, "resolution", 2, origin="late"), DraftBought)
        assert await pool.fetchval("SELECT inputs FROM drafts") == CAT


async def test_an_option_that_does_not_go_with_the_rest_is_refused(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        wan = CATALOG.get("wan/2-7-image")
        draft = await a_draft(orders, user, wan)
        assert isinstance(await chooses(orders, draft, "n", 5), OrderRefused)
        assert await pool.fetchval("SELECT revision FROM drafts") == draft.revision


async def test_a_voucher_is_offered_while_it_covers_the_order(database: str) -> None:
    async with pool_of(database) as pool:
        orders, user = orders_of(pool), await a_user(pool)
        full = (await orders.quote(user, PRO, CAT)).price
        await a_code(pool, "FREE", kind="free", amount=full.minor, generations=1)
        await uses(pool, user, "FREE")
        assert (await orders.alternatives(user, PRO, CAT)).voucher is not None
        assert (await orders.alternatives(user, PRO, {**CAT, "resolution": "4K"})).voucher is None


async def test_options_are_tapped_on_the_card_and_it_stays_one_message(database: str) -> None:
    async with form(database, "nano-banana-pro") as chat:
        await chat.says("кот")
        count = len(chat.screen())
        assert f"4K +4,80{NBSP}₽" in labels(chat)
        card = await chat.taps("4K")
        assert len(chat.screen()) == count
        assert "✓ 4K" in labels(chat)
        assert any(each.startswith("1K −") for each in labels(chat))
        assert "Разрешение: 4K" in card
        await chat.taps("16:9")
        assert {"✓ 4K", "✓ 16:9"} <= set(labels(chat))
        assert (await order(chat)) == {"prompt": "кот", "resolution": "4K", "aspect_ratio": "16:9"}
        shown = next(each for each in labels(chat) if each.startswith("✅ Создать"))
        await chat.taps("✅ Создать")
        paid = await chat.pool.fetchval("SELECT price FROM generation_jobs")
        assert f"{paid / 100:.2f}".replace(".", ",") in shown


async def test_a_tap_on_an_older_card_shows_the_order_as_it_is_now(database: str) -> None:
    async with form(database, "nano-banana-pro") as chat:
        await chat.says("кот")
        card, old = chat.button("16:9")
        await chat.taps("4K")
        chat.telegram.taps(chat.person, card, old)
        await chat.handle_all()
        assert "обновлённую" in chat.answers[-1]
        assert {"✓ 4K", "✓ 1:1"} <= set(labels(chat))


async def test_a_bought_card_answers_that_it_is_bought(database: str) -> None:
    async with form(database, "nano-banana-pro") as chat:
        await chat.says("кот")
        card, option = chat.button("4K")
        await chat.taps("✅ Создать")
        chat.telegram.taps(chat.person, card, option)
        await chat.handle_all()
        assert "уже запущен" in chat.answers[-1]
        assert "resolution" not in await chat.pool.fetchval("SELECT inputs FROM generation_jobs")


async def test_the_last_button_asks_for_the_rest_and_leads_back(database: str) -> None:
    async with form(database, "nano-banana-pro") as chat:
        await chat.says("кот")
        asked = await chat.taps("…")
        assert "Сейчас" in asked or "По умолчанию" in asked
        assert "✖️ Отмена" not in labels(chat)
        await chat.taps("◀️ К заказу")
        await chat.taps("…")
        await chat.taps("21:9")
        assert "✓ 21:9" in labels(chat)


async def test_a_video_takes_the_format_of_its_photo_and_says_so(database: str) -> None:
    async with form(database, "bytedance/seedance-1.5-pro") as chat:
        await chat.sends(image("JPEG", width=720, height=1280), caption="машет рукой")
        if "принято" in chat.newest:
            await chat.taps("✅ Готово")
        assert "Формат: 9:16" in chat.newest
        assert (await order(chat))["aspect_ratio"] == "9:16"


def keyboards(chat: Chat) -> list[int]:
    """The messages that have buttons."""
    return [message["message_id"] for message in chat.screen() if message["inline_keyboard"]]


async def test_an_answered_question_loses_its_buttons(database: str) -> None:
    async with form(database, "z-image") as chat:
        question = chat.screen()[-1]["message_id"]
        assert question in keyboards(chat)
        await chat.says("кот")
        assert question not in keyboards(chat)
        await chat.taps("1:1")
        assert keyboards(chat) == [chat.screen()[-1]["message_id"]]


async def test_counted_files_lose_their_buttons_with_their_question(database: str) -> None:
    async with form(database, "grok-imagine-image-2-0/image-edit") as chat:
        await chat.sends(image("JPEG", width=640, height=640))
        await chat.sends(image("JPEG", width=640, height=640))
        await chat.says("сделай закат")
        assert keyboards(chat) == [chat.screen()[-1]["message_id"]]


async def test_a_question_keeps_its_buttons_while_it_is_open(database: str) -> None:
    async with form(database, "wan/2-7-image") as chat:
        await chat.says("кот")
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Сколько картинок")
        question = chat.screen()[-1]["message_id"]
        assert "Так не получится" in await chat.says("6")
        assert question in keyboards(chat)
        await chat.says("3")
        assert question not in keyboards(chat)


async def test_an_answer_is_taken_although_the_buttons_stay(database: str) -> None:
    async with form(database, "z-image") as chat:
        question = chat.screen()[-1]["message_id"]
        chat.telegram.faults.arm(world="telegram", method="editMessageReplyMarkup", action="error")
        await chat.says("кот")
        assert "формат" in chat.newest
        assert question in keyboards(chat)
