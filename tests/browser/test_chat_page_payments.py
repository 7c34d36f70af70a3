"""Money on the chat page: bills by message and by link, subscriptions, receipts, links that lead back to the bot."""

import re
from typing import Any

from playwright.async_api import FilePayload, Page, expect

from photomat_sandbox.telegram.people import ChatPerson
from support.chat_page import bubble, chat, column, next_update, picture, said
from support.stars import MONTH_S
from support.telegram_sim import RunningTelegram

BILL: dict[str, Any] = {
    "title": "100 монет",
    "description": "Пополнение кошелька",
    "payload": "topup-7",
    "currency": "XTR",
    "prices": [{"label": "100 монет", "amount": 50}],
}
PDF = b"%PDF-1.4\n1 0 obj\n<< /Type /Catalog >>\nendobj\ntrailer\n<< /Root 1 0 R >>\n%%EOF\n"


async def test_a_bill_behind_a_button_is_shown_and_paid_in_the_page() -> None:
    async with chat() as (telegram, page, anna):
        await button_with_link(telegram, anna, await link_to_pay(telegram))
        await page.get_by_role("button", name="Открыть счёт").click()
        dialog = page.locator('[data-role="bill"]')
        await expect(dialog).to_contain_text("100 монет")
        await expect(dialog).to_contain_text("Пополнение кошелька")
        await expect(dialog.locator('[data-role="price"]')).to_have_text("⭐ 50")
        await dialog.get_by_role("button", name="Оплатить", exact=True).click()
        await agree(telegram, "topup-7")
        await expect(dialog).to_have_count(0)
        await expect(page.locator(".service")).to_have_text("Вы заплатили ⭐ 50 за «100 монет»")
        charge_id = telegram.world.stars.charges[0].charge_id
        await said(telegram, "refundStarPayment", user_id=anna.user_id, telegram_payment_charge_id=charge_id)
        await expect(page.locator(".service").last).to_have_text("Вам вернули ⭐ 50 за «100 монет»")


async def test_a_bill_that_is_put_away_asks_the_bot_nothing() -> None:
    async with chat() as (telegram, page, anna):
        await button_with_link(telegram, anna, await link_to_pay(telegram))
        await page.get_by_role("button", name="Открыть счёт").click()
        await page.locator('[data-role="bill"]').get_by_role("button", name="Отмена").click()
        await expect(page.locator('[data-role="bill"]')).to_have_count(0)
        assert telegram.world.updates.alive() == []


async def test_an_invoice_message_asks_before_it_is_paid_and_a_refusal_is_told() -> None:
    async with chat(is_phone=True) as (telegram, page, anna):
        invoice = await said(telegram, "sendInvoice", chat_id=anna.user_id, **BILL)
        await bubble(page, invoice["message_id"]).get_by_role("button", name="Pay").click()
        await page.locator('[data-role="bill"]').get_by_role("button", name="Оплатить", exact=True).click()
        query = await next_update(telegram, "pre_checkout_query")
        refused = {"pre_checkout_query_id": query["id"], "ok": False, "error_message": "Лимит на сегодня исчерпан"}
        await telegram.raw("answerPreCheckoutQuery", **refused)
        alert = page.locator('[data-role="alert"]')
        await expect(alert).to_contain_text("Лимит на сегодня исчерпан")
        await alert.get_by_role("button", name="ОК").click()
        await expect(page.locator("dialog")).to_have_count(0)
        await expect(page.locator(".service")).to_have_count(0)


async def test_a_bot_that_stays_silent_costs_nothing_and_the_person_is_told() -> None:
    async with chat() as (telegram, page, anna):
        telegram.world.queries.checkout_life_s = 0.3
        invoice = await said(telegram, "sendInvoice", chat_id=anna.user_id, **BILL)
        await bubble(page, invoice["message_id"]).get_by_role("button", name="Pay").click()
        await page.locator('[data-role="bill"]').get_by_role("button", name="Оплатить", exact=True).click()
        await expect(page.locator('[data-toast="trouble"]')).to_contain_text("звёзды не списаны")
        await expect(page.locator("dialog")).to_have_count(0)
        assert telegram.world.stars.charges == []


async def test_a_subscription_is_begun_renewed_and_canceled_from_the_page() -> None:
    async with chat() as (telegram, page, anna):
        monthly = {"title": "Подписка", "prices": [{"label": "Месяц", "amount": 300}], "subscription_period": MONTH_S}
        await button_with_link(telegram, anna, await link_to_pay(telegram, **monthly))
        await page.get_by_role("button", name="Открыть счёт").click()
        await expect(page.locator('[data-role="price"]')).to_have_text("⭐ 300 / мес")
        await page.locator('[data-role="pay"]').click()
        await agree(telegram, "topup-7")
        await expect(page.locator(".service")).to_contain_text("Вы подписались на «Подписка»: ⭐ 300, оплачено до")
        await page.locator('[data-role="column-menu"]').click()
        await page.get_by_role("menuitem", name="Подписки").click()
        row = page.locator("[data-subscription]")
        await row.get_by_role("button", name="Списать за месяц").click()
        await expect(page.locator(".service").last).to_contain_text("Подписка «Подписка» продлена")
        await row.get_by_role("button", name="Отменить").click()
        assert (await next_update(telegram, "subscription"))["state"] == "canceled"
        await expect(row).to_have_attribute("data-state", "canceled")
        await expect(row.get_by_role("button")).to_have_text(["Возобновить"])
        await page.get_by_role("button", name="Закрыть").click()
        await page.get_by_role("button", name="Открыть счёт").click()
        await expect(page.locator('[data-role="bill"]')).to_contain_text("Уже оплачено до")
        await expect(page.locator('[data-role="pay"]')).to_be_disabled()


async def test_a_link_to_the_bot_starts_it_for_who_clicked_or_for_a_friend() -> None:
    async with chat() as (telegram, page, anna):
        await button_with_link(telegram, anna, f"https://t.me/{telegram.world.bot.username}?start=ref_7")
        await page.get_by_role("button", name="Открыть счёт").click()
        await expect(page.locator('[data-role="bot-link"]')).to_contain_text("/start ref_7")
        await page.get_by_role("button", name="Перейти: Анна").click()
        await expect(column(page, anna).locator('[data-from="person"]')).to_contain_text("/start ref_7")
        await page.get_by_role("button", name="Открыть счёт").click()
        await page.get_by_role("button", name="Новый клиент").click()
        await expect(page.locator("[data-person]")).to_have_count(2)
        await expect(page.locator("[data-person]").last.locator('[data-from="person"]')).to_contain_text("/start ref_7")
        assert {update.body["from"]["id"] for update in telegram.world.updates.alive()} == set(telegram.world.people)


async def test_a_shared_link_is_handed_to_a_friend() -> None:
    async with chat(is_phone=True) as (telegram, page, anna):
        invitation = f"https://t.me/{telegram.world.bot.username}?start=ref_9"
        shared = "https://t.me/share/url?url=" + invitation.replace("?", "%3F").replace("=", "%3D") + "&text=Заходи"
        await button_with_link(telegram, anna, shared)
        await page.get_by_role("button", name="Открыть счёт").click()
        dialog = page.locator('[data-role="share"]')
        await expect(dialog).to_contain_text("Заходи")
        await expect(dialog).to_contain_text(invitation)
        await dialog.get_by_role("button", name="Друг открывает").click()
        await page.get_by_role("button", name="Новый клиент").click()
        message = await next_update(telegram, "message")
        assert (message["text"], message["from"]["id"] == anna.user_id) == ("/start ref_9", False)


async def test_a_link_can_be_typed_and_any_other_page_opens_beside_the_chat() -> None:
    async with chat() as (telegram, page, anna):
        link = await link_to_pay(telegram)
        await type_link(page, link.removeprefix("https://"))
        await expect(page.locator('[data-role="bill"]')).to_contain_text("100 монет")
        await page.locator('[data-role="bill"]').get_by_role("button", name="Отмена").click()
        await type_link(page, "это не ссылка")
        await expect(page.locator('[data-toast="trouble"]')).to_contain_text("не похоже на адрес")
        await page.locator('[data-role="any-link"]').get_by_role("button", name="Отмена").click()
        await button_with_link(telegram, anna, f"{telegram.url}/page/coin.svg")
        async with page.context.expect_page() as opened:
            await page.get_by_role("button", name="Открыть счёт").click()
        await expect(await opened.value).to_have_url(re.compile(r"/page/coin\.svg$"))


async def test_a_receipt_reaches_the_operator_who_joined_by_number() -> None:
    async with chat() as (telegram, page, anna):
        operator = await join(telegram, page, "Оператор", user_id=777)
        await column(page, operator).get_by_role("button", name="Начать", exact=True).click()
        composer = column(page, anna)
        receipt = FilePayload(name="чек.pdf", mimeType="application/pdf", buffer=PDF)
        await composer.locator('[data-role="file-input"]').set_input_files(receipt)
        await composer.locator('[data-role="composer"]').fill("оплатила 500")
        await composer.locator('[data-role="send"]').click()
        await expect(composer.locator('[data-from="person"][data-kind="document"]')).to_have_count(1)
        sent = telegram.world.updates.alive()[-1].body
        assert (sent["caption"], sent["document"]["file_name"]) == ("оплатила 500", "чек.pdf")
        photo = FilePayload(name="чек.png", mimeType="image/png", buffer=picture())
        await composer.locator('[data-role="photo-input"]').set_input_files(photo)
        await composer.locator('[data-role="send"]').click()
        await expect(composer.locator('[data-from="person"][data-kind="photo"]')).to_have_count(1)
        drawn = telegram.world.updates.alive()[-1].body
        for method, name, file_id in (
            ("sendDocument", "document", sent["document"]["file_id"]),
            ("sendPhoto", "photo", drawn["photo"][-1]["file_id"]),
        ):
            shown = await said(telegram, method, chat_id=777, caption="Чек Анны", **{name: file_id})
            await expect(bubble(page, shown["message_id"])).to_have_attribute("data-kind", name)
            await expect(bubble(page, shown["message_id"])).to_contain_text("Чек Анны")
        await expect(column(page, operator).locator(".file")).to_contain_text("чек.pdf")
        assert (
            await column(page, operator).locator(".picture img").evaluate("(image) => image.decode().then(() => true)")
        )


async def test_people_are_switched_on_a_phone_by_their_names() -> None:
    async with chat(is_phone=True) as (telegram, page, anna):
        boris = await join(telegram, page, "Борис")
        await expect(column(page, boris)).to_be_visible()
        await expect(column(page, anna)).to_be_hidden()
        await page.locator(f'[data-tab="{anna.user_id}"]').click()
        await expect(column(page, anna)).to_be_visible()
        await said(telegram, "sendMessage", chat_id=anna.user_id, text="Анне")
        await expect(column(page, anna)).to_contain_text("Анне")


async def link_to_pay(telegram: RunningTelegram, **changes: Any) -> str:
    _, answer = await telegram.raw("createInvoiceLink", **{**BILL, **changes})
    return str(answer["result"])


async def button_with_link(telegram: RunningTelegram, person: ChatPerson, link: str) -> None:
    keyboard = {"inline_keyboard": [[{"text": "Открыть счёт", "url": link}]]}
    await said(telegram, "sendMessage", chat_id=person.user_id, text="Пополнение", reply_markup=keyboard)


async def agree(telegram: RunningTelegram, payload: str) -> None:
    query = await next_update(telegram, "pre_checkout_query")
    assert query["invoice_payload"] == payload
    status, answer = await telegram.raw("answerPreCheckoutQuery", pre_checkout_query_id=query["id"], ok=True)
    assert status == 200, answer


async def type_link(page: Page, address: str) -> None:
    await page.locator('[data-role="column-menu"]').click()
    await page.get_by_role("menuitem", name="Открыть ссылку").click()
    await page.locator('[data-role="link-field"]').fill(address)
    await page.get_by_role("button", name="Открыть", exact=True).click()


async def join(telegram: RunningTelegram, page: Page, name: str, *, user_id: int | None = None) -> ChatPerson:
    await page.locator('[data-role="add-customer-button"]').click()
    await page.locator('[data-role="customer-name"]').fill(name)
    if user_id:
        await page.locator('[data-role="customer-id"]').fill(str(user_id))
    await page.get_by_role("button", name="Добавить", exact=True).click()
    await expect(page.locator("[data-person]")).to_have_count(2)
    return next(person for person in telegram.world.people.values() if person.first_name == name)
