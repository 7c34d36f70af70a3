"""A broadcast from the phone: the message is sent to the bot, looked at, started, stopped; and what customers do with it."""

import pytest

from photomat.bot.admin.buttons import AdminBroadcastButton, BroadcastAction
from photomat.broadcasts.broadcast import BroadcastState
from photomat.broadcasts.content import BroadcastButton, BroadcastContent
from photomat_sandbox.telegram import person_acts
from support.broadcasts import BroadcastDesk, a_started_broadcast, found
from support.operators import OperatedShop, operated_shop
from support.telegram_media import picture


def desk_of(shop: OperatedShop) -> BroadcastDesk:
    return BroadcastDesk(pool=shop.pool, telegram=shop.telegram, bot=shop.operator.bot)


async def test_an_operator_sends_a_photo_chooses_a_segment_looks_and_starts(database: str) -> None:
    async with operated_shop(database) as shop:
        desk = desk_of(shop)
        await shop.operator.says("/admin")
        assert "Пока ни одной" in await shop.operator.taps("📣 Рассылка")
        await shop.operator.taps("➕ Новая рассылка")
        await person_acts.send_file(
            shop.telegram.world, shop.operator.person, picture(), kind="photo", caption="Скидка сегодня"
        )
        await shop.operator.handle_all()
        page = shop.operator.newest
        assert "Черновик" in page
        assert "Скидка сегодня" in page
        assert "Кому: ни разу не пополняли" in await shop.operator.taps("Не пополняли")
        await shop.operator.taps("👁 Прислать мне")
        await desk.preview()
        shown = shop.operator.screen()[-1]
        assert (shown["kind"], shown["caption"]) == ("photo", "Скидка сегодня")
        assert "Вы её видели" in await shop.operator.taps("Дальше")
        assert "Кому: все" in await shop.operator.taps("Все"), "whom it is for does not change what was looked at"
        reach = await shop.pool.fetchval("SELECT count(*) FROM users")
        await shop.operator.taps(f"🚀 Запустить: {reach}")
        assert "Рассылка пошла" in await shop.operator.says("осенняя акция")
        await desk.look_after()
        await desk.send_some(1)
        assert "Остановлена" in await shop.operator.taps("⏹ Остановить")
        assert await desk.send_some() == 0
        await shop.operator.taps("▶️ Продолжить")
        await shop.operator.taps("Исправление")
        while await desk.send_some():
            pass
        captions = [message.get("caption") for message in shop.anna.screen()]
        assert captions.count("Скидка сегодня") == 1
        acts = [(row["action"], row["reason"]) for row in await shop.journal()]
        assert ("start broadcast", "осенняя акция") in acts
        assert ("stop broadcast", "Остановлено с телефона") in acts


async def test_a_text_keeps_its_formatting_and_a_mistake_is_said(database: str) -> None:
    async with operated_shop(database) as shop:
        await shop.operator.says("/admin")
        await shop.operator.taps("📣 Рассылка")
        await shop.operator.taps("➕ Новая рассылка")
        await person_acts.send_file(shop.telegram.world, shop.operator.person, picture(), kind="photo")
        await shop.operator.handle_all()
        assert "Текст пустой" in shop.operator.newest
        assert "Рассылка 1" in await shop.operator.says("1 < 2 & <b>всё</b>")
        one = await found(shop.pool, 1)
        assert one.content.text_ru == "1 &lt; 2 &amp; &lt;b&gt;всё&lt;/b&gt;"


@pytest.mark.parametrize("action", list(BroadcastAction))
async def test_a_viewer_only_looks_and_a_customer_does_not_even_that(database: str, action: BroadcastAction) -> None:
    async with operated_shop(database) as shop:
        made = await a_started_broadcast(shop.pool)
        data = AdminBroadcastButton(action=action, broadcast_id=made, reach=3).pack()
        await shop.viewer.says("/admin")
        await shop.viewer.forges(data)
        await shop.anna.forges(data)
        assert (await found(shop.pool, made)).state is BroadcastState.SENDING
        assert await shop.journal() == []


async def test_the_button_of_a_broadcast_opens_what_it_offers_and_the_first_tap_counts(database: str) -> None:
    async with operated_shop(database) as shop:
        desk = desk_of(shop)
        for opens, seen in (("topup", "Пополн"), ("model:z-image", "Z-Image"), ("template:gone", "Этого предложения")):
            content = BroadcastContent(
                text_ru=f"Скидка {opens}", button=BroadcastButton(title_ru=f"Открыть {opens}", opens=opens)
            )
            made = await a_started_broadcast(shop.pool, content)
            await desk.look_after()
            await desk.send_some()
            await shop.anna.handle_all()
            before = len(shop.anna.screen())
            label = f"Открыть {opens}"
            page = await shop.anna.taps(label)
            assert seen in page + "".join(shop.anna.answers[-1:]), opens
            assert len(shop.anna.screen()) > before, "the broadcast stays"
            await shop.anna.taps(label)
            assert (await desk.counts(made)).tapped == 1
