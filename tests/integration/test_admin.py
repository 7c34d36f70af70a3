"""An operator's phone: /admin finds jobs and customers, acts once and with a reason, and does not exist for anybody else."""

from collections.abc import Sequence

import pytest
from aiogram.filters.callback_data import CallbackData  # noqa: TC002  an annotation

from photomat.alerts.incident import AlertAction
from photomat.bot import worker
from photomat.bot.admin import buttons
from photomat.bot.admin.buttons import AdminPage, JobList, Verb
from photomat.kernel.ids import JobId
from photomat.operators.controls import pause
from photomat.operators.incidents import ACTS
from support.database import shift_clock
from support.jobs import PRICE
from support.operators import CONSOLE, OPERATOR, OWNER, OperatedShop, OperatorTalker, operated_shop


async def test_an_operator_finds_a_job_by_a_forwarded_message_and_refunds_it_once(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id, before = await shop.job_of_anna(), await shop.balance()
        complaint = shop.telegram.writes(shop.anna.person, "где моя картинка?")
        await shop.anna.handle_all()
        await shop.operator.says("/admin")
        assert "Анна" in await shop.operator.forwards(complaint)
        page = await shop.operator.taps(f"№ {job_id}")
        assert f"Заказ {job_id} · Z-Image · готов" in page
        assert "списано, можно вернуть 0,64 ₽" in page
        await shop.operator.taps("💸 Вернуть деньги")
        await shop.operator.taps("Всё: 0,64")
        asked = await shop.operator.taps("Плохой результат")
        assert f"Вернуть 0,64 ₽ за заказ {job_id}?" in asked
        assert "Причина: Плохой результат" in asked
        assert await shop.balance() == before, "nothing happens before the confirmation"
        await shop.operator.taps_twice("💸 Да, вернуть")
        assert "уже сделано" in shop.operator.answers[-1]
        assert await shop.balance() == before + PRICE
        (entry,) = await shop.journal()
        assert entry["operator"] == f"telegram:{OPERATOR} Ольга"
        assert (entry["action"], entry["reason"], entry["done"]) == ("refund", "Плохой результат", True)
        assert (entry["job_id"], entry["user_id"]) == (job_id, shop.anna.person.user_id)
        await shop.settles()
        assert "0,64" in shop.anna.newest, "the customer is told"


async def test_a_sender_who_hides_their_account_is_searched_by_name(database: str) -> None:
    async with operated_shop(database) as shop:
        complaint = shop.telegram.writes(shop.anna.person, "где моя картинка?")
        await shop.anna.handle_all()
        await shop.owner.says("/admin")
        page = await shop.owner.forwards(complaint, hidden=True)
        assert "скрыл свой аккаунт" in page
        assert str(shop.anna.person.user_id) in page


async def test_a_job_is_found_by_each_of_its_numbers_and_a_user_by_each_of_their_names(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id, anna = await shop.job_of_anna(), shop.anna.person.user_id
        row = await shop.pool.fetchrow("SELECT corr, external_task_id FROM generation_jobs WHERE job_id = $1", job_id)
        assert row is not None
        for words in (str(job_id), f"#{job_id}", row["corr"], row["corr"].upper(), row["external_task_id"]):
            assert f"Заказ {job_id}" in await shop.owner.says(f"/admin {words}"), words
        for words in (str(anna), "@anna_k", "@ANNA_K", "анна", "Ан"):
            assert str(anna) in await shop.owner.says(f"/admin {words}"), words
        assert "ничего не нашлось" in await shop.owner.says("/admin Ан%")
        assert "ничего не нашлось" in await shop.owner.says("/admin <b>нет")


async def test_several_customers_of_one_name_are_a_choice(database: str) -> None:
    async with operated_shop(database) as shop:
        await shop.pool.executemany(
            "INSERT INTO users (user_id, first_name, language) VALUES ($1, $2, 'ru')",
            [(7_000 + number, f"Борис <{number}>") for number in range(12)],
        )
        page = await shop.owner.says("/admin борис")
        assert "уточните имя" in page
        await shop.owner.taps("Борис <11>")
        assert "Борис <11>" in shop.owner.newest
        assert "Кошелька нет" in shop.owner.newest


async def test_money_is_credited_and_debited_with_a_typed_sum_and_a_typed_reason(database: str) -> None:
    async with operated_shop(database) as shop:
        before = await shop.balance()
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("➕ Начислить")
        assert "Не понял сумму" in await shop.owner.says("много")
        await shop.owner.says("12,50")
        asked = await shop.owner.says("за <долгое> ожидание")
        assert "Начислить 12,50 ₽" in asked
        assert "за <долгое> ожидание" in asked
        await shop.owner.taps("➕ Да, начислить")
        assert await shop.balance() == before + 1250
        await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("➖ Списать")
        await shop.owner.taps("50")
        await shop.owner.taps("Ошибка оператора")
        await shop.owner.taps("➖ Да, списать")
        assert await shop.balance() == before + 1250 - 5000
        await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("➖ Списать")
        await shop.owner.says("1")
        await shop.owner.taps("Ошибка оператора")
        await shop.pool.execute("UPDATE wallets SET held = posted WHERE user_id = $1", shop.anna.person.user_id)
        assert "⚠️" in await shop.owner.taps("➖ Да, списать")
        await shop.pool.execute("UPDATE wallets SET held = 0 WHERE user_id = $1", shop.anna.person.user_id)
        assert await shop.balance() == before + 1250 - 5000
        assert [(each["action"], each["reason"], each["done"]) for each in await shop.journal()] == [
            ("credit", "за <долгое> ожидание", True),
            ("debit", "Ошибка оператора", True),
            ("debit", "Ошибка оператора", False),
        ]


async def test_a_sum_that_is_too_much_is_asked_for_again_at_once(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id, before = await shop.job_of_anna(), await shop.balance()
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("➖ Списать")
        refused = await shop.owner.says("999999")
        assert "Столько списать нельзя: доступно" in refused
        assert "Сколько списать?" in refused
        assert "Почему?" in await shop.owner.says("1")
        await shop.owner.says(f"/admin {job_id}")
        await shop.owner.taps("💸 Вернуть деньги")
        assert "за заказ осталось 0,64 ₽" in await shop.owner.says("0,65")
        assert "Почему?" in await shop.owner.taps("Всё: 0,64")
        assert (await shop.balance(), await shop.journal()) == (before, [])


async def test_a_confirmation_handled_again_after_a_crash_moves_the_money_once(
    database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with operated_shop(database) as shop:
        before = await shop.balance()
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("➕ Начислить")
        await shop.owner.taps("100")
        await shop.owner.taps("Компенсация")
        with monkeypatch.context() as patched:
            patched.setattr(worker, "commit_updates", _dies)
            await shop.owner.taps("➕ Да, начислить")
        assert await shop.balance() == before + 10_000, "it acted, and died before it wrote that down"
        await shift_clock(shop.pool, 31)
        await shop.owner.handle_all()
        assert await shop.balance() == before + 10_000
        assert "второй раз ничего не сделано" in shop.owner.newest


async def _dies(_pool: object, handled: Sequence[object]) -> list[None]:
    return [None for _ in handled]


async def test_an_action_that_was_left_or_replaced_does_nothing(database: str) -> None:
    async with operated_shop(database) as shop:
        before = await shop.balance()
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("➕ Начислить")
        await shop.owner.taps("100")
        _, reason = shop.owner.button("Компенсация")
        await shop.owner.taps("Компенсация")
        _, yes = shop.owner.button("➕ Да, начислить")
        assert "Ничего не сделано" in await shop.owner.taps("✖️ Отмена")
        for data in (yes, reason):
            assert "уже сделано или отменено" in await shop.owner.forges(data)
        await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("➖ Списать")
        assert "уже сделано или отменено" in await shop.owner.forges(yes), "the button of another action"
        await shop.owner.says("/cancel")
        await shop.owner.says("100")
        assert await shop.balance() == before
        assert await shop.journal() == []


async def test_words_typed_at_a_confirmation_are_no_order(database: str) -> None:
    async with operated_shop(database) as shop:
        before = await shop.balance()
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("➕ Начислить")
        await shop.owner.taps("100")
        await shop.owner.taps("Компенсация")
        asked = await shop.owner.says("да, начисляй")
        assert "Нажмите кнопку или «✖️ Отмена»" in asked
        assert "Начислить 100 ₽" in asked
        assert await shop.pool.fetchval("SELECT count(*) FROM drafts") == 0
        assert await shop.balance() == before
        await shop.owner.taps("➕ Да, начислить")
        assert await shop.balance() == before + 10_000


async def test_a_stuck_job_is_canceled_and_a_parked_card_is_shown_again(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id = await shop.job_of_anna()
        await shop.pool.execute("UPDATE generation_jobs SET parked_at = photomat_now() WHERE job_id = $1", job_id)
        await shop.owner.says("/admin")
        assert "Карточки, которые не удалось показать: 1" in await shop.owner.taps("❗ Что требует меня")
        await shop.owner.taps("⛔ Застрявшие")
        await shop.owner.taps(f"№ {job_id}")
        await shop.owner.taps("📤 Показать снова")
        await shop.owner.taps("Клиент не видит результат")
        assert "✅" in await shop.owner.taps("📤 Да, показать")
        assert await shop.pool.fetchval("SELECT parked_at FROM generation_jobs WHERE job_id = $1", job_id) is None
        assert "Всё спокойно" in await shop.owner.says("/admin")


async def test_a_ban_and_a_message_reach_the_customer_once(database: str) -> None:
    async with operated_shop(database) as shop:
        await shop.owner.says("/admin @anna_k")
        await shop.owner.taps("✉️ Написать")
        await shop.owner.says("Мы <всё> починили")
        asked = await shop.owner.taps("Предупреждение о сбое")
        assert "Мы <всё> починили" in asked
        await shop.owner.taps_twice("✉️ Да, отправить")
        await shop.settles()
        assert sum("Мы <всё> починили" in str(one["text"]) for one in shop.anna.screen()) == 1
        await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("⛔ Закрыть доступ")
        await shop.owner.taps("Спам")
        await shop.owner.taps("⛔ На неделю")
        assert "Закрыт доступ до" in await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("✅ Открыть доступ")
        await shop.owner.taps("Вопрос решён")
        await shop.owner.taps("✅ Да, открыть доступ")
        await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("⛔ Закрыть доступ")
        await shop.owner.taps("Спам")
        await shop.owner.taps_twice("⛔ Да, навсегда")
        await shop.anna.says("кот")
        await shop.settles()
        assert "Спам" in shop.anna.newest
        assert "Закрыт доступ навсегда: Спам" in await shop.owner.taps("👤 Клиент")
        await shop.owner.taps("✅ Открыть доступ")
        await shop.owner.taps("Вопрос решён")
        await shop.owner.taps("✅ Да, открыть доступ")
        assert [each["action"] for each in await shop.journal()] == ["message", "ban", "unban", "ban", "unban"]
        assert "Закрыт доступ" not in await shop.owner.taps("👤 Клиент")


async def test_the_bot_and_a_model_are_paused_and_resumed(database: str) -> None:
    async with operated_shop(database) as shop:
        await shop.operator.says("/admin")
        await shop.operator.taps("⏸ Пауза")
        await shop.operator.taps("⏸ Остановить модель")
        await shop.operator.says("z-image")
        await shop.operator.taps("⏸ Z-Image")
        await shop.operator.taps("Сбой у провайдера")
        assert "✅" in await shop.operator.taps_twice("⏸ Да, остановить")
        await shop.operator.says("/admin")
        await shop.operator.taps("⏸ Пауза")
        await shop.operator.taps("⏸ Остановить: ")
        await shop.operator.taps("Технические работы")
        await shop.operator.taps("⏸ Да, остановить")
        names = [row["name"] for row in await shop.pool.fetch("SELECT name FROM controls ORDER BY name")]
        assert names == ["bot", "model:z-image"]
        assert "Оператор" in await shop.operator.says("/admin"), "operators are served during a pause"
        await shop.operator.taps("⏸ Пауза")
        await shop.operator.taps("▶️ Продолжить")
        await shop.operator.taps("Вопрос решён")
        await shop.operator.taps("▶️ Да, продолжить")
        assert [each["action"] for each in await shop.journal()] == ["pause", "pause", "resume"]


async def test_while_the_bot_is_paused_an_operator_still_reads_tickets_and_a_customer_does_not(database: str) -> None:
    async with operated_shop(database) as shop:
        await pause(shop.pool, "bot", operator="test", reason="a test")
        assert "Технический перерыв" not in await shop.operator.says("/tickets")
        assert "Технический перерыв" in await shop.anna.says("/tickets")


async def test_while_the_bot_is_paused_the_first_line_of_admin_says_so(database: str) -> None:
    async with operated_shop(database) as shop:
        await pause(shop.pool, "bot", operator="test", reason="<ремонт>")
        pages = [await shop.operator.says("/admin")]
        for label in ("📊 Сегодня", "❗ Что требует меня", "💓 Состояние"):
            pages.append(await shop.operator.taps(label))
            await shop.operator.taps("🛠 Меню оператора")
        for page in pages:
            assert page.startswith("⏸")
            assert "<ремонт>" in page.splitlines()[0]
            assert "Всё спокойно" not in page


async def test_the_console_s_link_works_once_and_is_in_the_fragment(database: str) -> None:
    async with operated_shop(database) as shop:
        await shop.operator.says("/admin")
        await shop.operator.taps("🖥 Консоль")
        keyboard = shop.telegram.world.messages[shop.operator.screen()[-1]["message_id"]].inline_keyboard or []
        url = keyboard[0][0]["url"]
        assert url.startswith(f"{CONSOLE}/console/sign-in#")
        assert await shop.pool.fetchval("SELECT telegram_id FROM console_links") == OPERATOR
        assert url.split("#")[1] not in str(await shop.pool.fetch("SELECT * FROM console_links, operator_journal"))


async def test_without_a_public_url_the_command_for_a_link_is_named(database: str) -> None:
    async with operated_shop(database, public_url=None) as shop:
        await shop.owner.says("/admin")
        assert "photomat console link" in await shop.owner.taps("🖥 Консоль")
        assert await shop.pool.fetchval("SELECT count(*) FROM console_links") == 0


async def test_for_customers_admin_is_an_unknown_command_and_its_buttons_are_stale(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id = await shop.job_of_anna()
        before = await _everything(shop)
        unknown = await shop.anna.says("/nonsense")
        for words in ("/admin", f"/admin {job_id}", f"/admin {OWNER}"):
            assert await shop.anna.says(words) == unknown
        for data in _every_button(job_id, shop.anna.person.user_id):
            assert await shop.anna.forges(data) == await shop.anna.forges("z:unknown"), data
        assert await _everything(shop) == before


async def test_a_viewer_looks_and_every_action_is_refused(database: str) -> None:
    async with operated_shop(database) as shop:
        job_id = await shop.job_of_anna()
        await shop.owner.says(f"/admin {job_id}")
        await shop.owner.taps("💸 Вернуть деньги")
        await shop.owner.taps("Всё")
        await shop.owner.taps("Плохой результат")
        before = await _everything(shop)
        assert f"Заказ {job_id}" in await shop.viewer.says(f"/admin {job_id}")
        for data in _acting_buttons(job_id, shop.anna.person.user_id):
            assert "только для просмотра" in await shop.viewer.forges(data), data
        assert await _everything(shop) == before


async def test_who_is_no_operator_any_more_cannot_finish_what_they_began(database: str) -> None:
    async with operated_shop(database) as shop:
        before = await shop.balance()
        await shop.operator.says("/admin @anna_k")
        await shop.operator.taps("➕ Начислить")
        await shop.operator.taps("100")
        await shop.operator.taps("Компенсация")
        await shop.pool.execute("UPDATE operators SET removed_at = photomat_now()")
        await shop.operator.taps("➕ Да, начислить")
        assert await shop.balance() == before
        assert await shop.journal() == []


def _every_button(job_id: JobId, user_id: int) -> list[str]:
    pages: list[CallbackData] = [buttons.AdminButton(page=page) for page in AdminPage]
    pages += [buttons.AdminJobsButton(only=only) for only in JobList]
    pages += [buttons.AdminJobButton(job_id=job_id), buttons.AdminUserButton(user_id=user_id)]
    pages.append(buttons.IncidentButton(incident_id=1))
    looks = [buttons.AlertButton(action=action, incident_id=1) for action in AlertAction]
    return [*(page.pack() for page in (*pages, *looks)), *_acting_buttons(job_id, user_id)]


def _acting_buttons(job_id: JobId, user_id: int) -> list[str]:
    pauses = [buttons.PauseButton(model=name, stop=stop) for name in ("bot", "z-image") for stop in (True, False)]
    begins = [buttons.BeginButton(verb=verb, target=job_id if verb.is_about_job else user_id) for verb in Verb]
    answers = [
        answer
        for token in range(1, 12)
        for answer in (
            buttons.SumButton(token=token, minor=0),
            buttons.AdminReasonButton(token=token, reason=0),
            buttons.ConfirmButton(token=token, yes=True),
            buttons.BanButton(token=token, days=1),
            buttons.ConfirmButton(token=token, yes=False),
        )
    ]
    acts = [buttons.AlertButton(action=each, incident_id=1) for each in (*ACTS, AlertAction.CHECK)]
    return [each.pack() for each in (*begins, *pauses, *answers, *acts)]


async def _everything(shop: OperatedShop) -> list[object]:
    """What an action could have changed."""
    tables = ("operator_journal", "entries", "console_links", "notices", "incidents")
    counts = [await shop.pool.fetchval(f"SELECT count(*) FROM {table}") for table in tables]  # noqa: S608  ours
    jobs = [tuple(row) for row in await shop.pool.fetch("SELECT job_id, status, card_wanted FROM generation_jobs")]
    return [*counts, jobs]


@pytest.mark.parametrize("language", ["ru", "en"])
async def test_every_page_opens_in_both_languages(database: str, language: str) -> None:
    async with operated_shop(database) as shop:
        await shop.job_of_anna()
        await shop.owner.says("/start")
        await shop.pool.execute("UPDATE users SET language = $1 WHERE user_id = $2", language, OWNER)
        await shop.owner.says("/admin")
        for page in AdminPage:
            await _opens(shop.owner, buttons.AdminButton(page=page).pack())
        for only in JobList:
            await _opens(shop.owner, buttons.AdminJobsButton(only=only).pack())


async def _opens(talker: OperatorTalker, data: str) -> None:
    talker.telegram.taps(talker.person, talker.screen()[-1]["message_id"], data)
    await talker.handle_all()
    assert await talker.pool.fetchval("SELECT count(*) FROM inbox WHERE parked_at IS NOT NULL") == 0, data
