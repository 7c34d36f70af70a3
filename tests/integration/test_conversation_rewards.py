"""What people see of promo codes, invitations and gifts, from the first link to the money on the balance."""

import re
from dataclasses import replace

from photomat.db.pool import transaction
from photomat.jobs.settle import Success
from photomat.kernel.ids import JobId, UserId
from photomat.operators.money import refund_job
from photomat_sandbox.telegram.people import ChatPerson
from support.conversation import Chat, conversation
from support.database import shift_clock
from support.forms import labels
from support.jobs import URL, money_of, settle_now
from support.rewards import TERMS, a_code, book_all, pays

NBSP = "\N{NO-BREAK SPACE}"


def of(chat: Chat, name: str) -> Chat:
    """The same bot, as another person sees it."""
    return replace(chat, person=chat.telegram.person(name))


def link(text: str) -> str:
    """What a tap on the link in this text sends."""
    found = re.search(r"https://t\.me/\w+\?start=([\w-]+)", text)
    assert found is not None, text
    return f"/start {found[1]}"


def texts(chat: Chat) -> list[str]:
    return [str(message["text"]) for message in chat.screen()]


def keyboard(chat: Chat) -> list[str]:
    """The buttons of the newest message."""
    return [button["text"] for row in chat.screen()[-1]["inline_keyboard"] for button in row]


async def money(chat: Chat, person: ChatPerson | None = None) -> int:
    return (await money_of(chat.pool, UserId((person or chat.person).user_id)))[0]


async def test_a_code_is_used_by_command_by_button_and_by_link(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        for code in ("ONE", "TWO", "THREE"):
            await a_code(chat.pool, code, amount=10_000)
        assert f"+100{NBSP}₽" in await chat.says("/promo one")
        assert "Вы уже использовали" in await chat.says("/promo ONE")
        await chat.says("/balance")
        assert "Пришлите промокод" in await chat.taps("🎟 Промокод")
        assert "Промокод TWO принят" in await chat.says("two")
        assert "Промокод THREE принят" in "".join([await chat.says("/start promo_THREE"), *texts(chat)])
        assert f"300{NBSP}₽" in chat.newest
        assert await money(chat) == 30_000


async def test_a_new_person_who_comes_by_a_codes_link_is_greeted_with_its_money(database: str) -> None:
    async with conversation(database, welcome=500) as chat:
        await a_code(chat.pool, "HELLO", amount=10_000, only_new=True)
        await chat.says("/start promo_hello")
        assert "Промокод HELLO принят" in texts(chat)[-2]
        assert f"105{NBSP}₽" in chat.newest
        assert await money(chat) == 10_500


async def test_each_refusal_of_a_code_has_its_own_sentence(database: str) -> None:
    async with conversation(database) as chat:
        await a_code(chat.pool, "GONE", most_uses=1)
        await a_code(chat.pool, "OVER", expires_at=await chat.pool.fetchval("SELECT photomat_now()"))
        await a_code(chat.pool, "NEW", only_new=True)
        other = of(chat, "Борис")
        await other.says("/promo gone")
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        said = [await chat.says(f"/promo {code}") for code in ("gone", "over", "new", "<b>no</b>")]
        expected = ("столько раз", "не действует", "только для тех", "нет. Проверьте")
        assert [word in one for word, one in zip(expected, said, strict=True)] == [True] * 4
        assert "<b>no</b>" in said[-1]
        for _ in range(4):
            await chat.says("/promo wrong")
        assert "снова через 10 мин" in await chat.says("/promo gone")


async def test_a_wrong_code_is_no_dead_end_the_right_one_may_follow(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await a_code(chat.pool, "RIGHT", amount=10_000)
        for wrong in ("/promo rihgt", "rigth"):
            refused = await chat.says(wrong)
            assert "нет. Проверьте" in refused
            assert "Пришлите другой промокод" in refused
        assert labels(chat) == ["🔄 Попробовать ещё", "💳 Пополнить", "✖️ Отмена"]
        assert "Промокод RIGHT принят" in await chat.says("right")
        assert await money(chat) == 10_000


async def test_a_wrong_code_can_be_asked_for_again_or_left(database: str) -> None:
    async with conversation(database) as chat:
        await a_code(chat.pool, "RIGHT", amount=10_000)
        await chat.says("/promo wrong")
        assert "Пришлите промокод" in await chat.taps("🔄 Попробовать ещё")
        await chat.says("wrong")
        await chat.taps("✖️ Отмена")
        assert "Промокод" not in await chat.says("right"), "no code is asked for any more"


async def test_a_free_generation_is_on_the_card_and_used_by_its_own_button(database: str) -> None:
    async with conversation(database, welcome=0) as chat:
        await a_code(chat.pool, "FREE", kind="free", amount=100, generations=2)
        assert "2 генерации бесплатно" in await chat.says("/promo free")
        await chat.orders_a_cat()
        assert "Подарок по промокоду FREE, осталось: 2" in chat.newest
        assert keyboard(chat)[0] == "🎟 Потратить подарок"
        assert f"0,64{NBSP}₽ за одну генерацию" in await chat.taps("❓ Цена")
        await chat.taps("◀️ Назад")
        await chat.taps("🎟 Потратить подарок")
        assert chat.answers[-1].startswith("Принято")
        await chat.orders_a_cat()
        assert "осталось: 1" in chat.newest
        await chat.taps("🎟 Потратить подарок")
        await chat.orders_a_cat()
        assert "Подарок" not in chat.newest
        assert chat.button(f"✅ Создать · 0,64{NBSP}₽")


async def test_a_gift_is_not_spent_on_a_small_order_that_is_paid(database: str) -> None:
    async with conversation(database, welcome=1000) as chat:
        await a_code(chat.pool, "FREE", kind="free", amount=500, generations=1)
        await chat.says("/promo free")
        await chat.orders_a_cat()
        assert keyboard(chat)[:2] == [f"✅ Создать · 0,64{NBSP}₽", "🎟 Потратить подарок"]
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT price FROM generation_jobs") == 64
        await chat.orders_a_cat()
        assert "осталось: 1" in chat.newest
        card, _ = chat.button("🎟 Потратить подарок")
        await chat.taps("🎟 Потратить подарок")
        assert await chat.pool.fetchval("SELECT count(*) FROM pass_uses") == 1
        assert await chat.pool.fetchval("SELECT price FROM generation_jobs ORDER BY job_id DESC LIMIT 1") == 0
        await chat.taps("🎟 Потратить подарок", message_id=card)
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 2


async def test_a_gift_that_is_gone_meanwhile_leaves_the_money_alone(database: str) -> None:
    async with conversation(database, welcome=1000) as chat:
        await a_code(chat.pool, "FREE", kind="free", amount=500, generations=1)
        await chat.says("/promo free")
        await chat.orders_a_cat()
        first, _ = chat.button("🎟 Потратить подарок")
        await chat.orders_a_cat()
        await chat.taps("🎟 Потратить подарок")
        await chat.taps("🎟 Потратить подарок", message_id=first)
        assert "Условия изменились" in chat.answers[-1]
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM holds") == 0


async def test_an_invited_friend_is_noted_told_and_both_earn(database: str) -> None:
    async with conversation(database, welcome=1000, terms=TERMS) as anna:
        await anna.says("/balance")
        page = await anna.taps("👥 Пригласить друга")
        assert all(word in page for word in (f"Вам — 20{NBSP}₽", f"Другу — 10{NBSP}₽", "10 %"))
        assert "Пришли по ссылке: 0" in page
        boris = of(anna, "Борис")
        await boris.says(link(page))
        assert f"вы получите 10{NBSP}₽" in texts(boris)[-2]
        assert "Борис" in boris.newest
        await boris.says(link(page))
        assert "только для новых" in texts(boris)[-2]
        async with transaction(boris.pool) as tx:
            await pays(tx, UserId(boris.person.user_id), 64)
        await boris.orders_a_cat()
        await boris.taps("✅ Создать")
        job_id = await boris.pool.fetchval("SELECT job_id FROM generation_jobs")
        await settle_now(boris.pool, JobId(job_id), Success(urls=(URL,)))
        await book_all(boris.pool)
        page = await anna.says("/invite")
        assert f"Пришли по ссылке: 1, из них оплатили заказ: 1. Вы заработали 20,06{NBSP}₽" in page
        assert (await money(anna), await money(boris)) == (3006, 1000 + 1000)


async def test_ones_own_link_and_an_unknown_one_are_answered_kindly(database: str) -> None:
    async with conversation(database) as chat:
        page = await chat.says("/invite")
        await chat.says(link(page))
        assert "собственная ссылка" in texts(chat)[-2]
        await chat.says("/start ref_nobody")
        assert "Такого приглашения нет" in texts(chat)[-2]
        plain = await chat.says("/start something-else")
        assert "Анна" in plain
        assert await chat.pool.fetchval("SELECT count(*) FROM referrals") == 0


async def test_a_gift_goes_by_its_link_to_the_first_other_person(database: str) -> None:
    async with conversation(database, welcome=10_000) as anna:
        await anna.says("/balance")
        assert f"Доступно 100{NBSP}₽" in await anna.taps("🎁 Подарить")
        assert "не похоже на сумму" in await anna.says("сто")
        assert f"доступно 100{NBSP}₽" in await anna.says("1000")
        assert f"Наименьший подарок — 1{NBSP}₽" in await anna.says("0.50")
        page = await anna.says("40")
        assert f"Подарок 40{NBSP}₽ готов" in page
        await anna.says(link(page))
        assert "Это ваш подарок" in texts(anna)[-2]
        boris, carol = of(anna, "Борис"), of(anna, "Вера")
        await boris.says(link(page))
        assert f"Вам подарили 40{NBSP}₽" in texts(boris)[-2]
        assert f"140{NBSP}₽" in boris.newest
        await carol.says(link(page))
        assert "уже открыт" in texts(carol)[-2]
        assert (await money(anna), await money(boris), await money(carol)) == (6000, 14_000, 10_000)
        await anna.taps("↩️ Забрать 40")
        assert anna.answers[-1] == "Подарок уже открыли"


async def test_a_gift_can_be_taken_back_while_it_waits(database: str) -> None:
    async with conversation(database, welcome=10_000) as chat:
        await chat.says("/gift 40,50")
        assert await money(chat) == 5950
        await chat.taps("↩️ Забрать 40,50")
        assert chat.answers[-1].endswith("снова на вашем балансе")
        assert await money(chat) == 10_000
        assert "Мои" not in await chat.says("/gift")


async def says_twice(chat: Chat, text: str) -> None:
    """Say it, let Telegram's answer to the bot be lost, let time pass, and have the same update handled again."""
    chat.telegram.faults.arm(world="telegram", method="sendMessage", action="drop_after", retry_after=9)
    await chat.says(text)
    assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 1
    await shift_clock(chat.pool, 10)
    await chat.handle_all()
    assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0


async def test_an_update_handled_again_gives_takes_uses_and_invites_once(database: str) -> None:
    async with conversation(database, welcome=10_000, terms=TERMS) as anna:
        await a_code(anna.pool, amount=500)
        invitation = link(await anna.says("/invite"))
        await says_twice(anna, "/gift 40")
        gift = link(anna.newest)
        boris, carol = of(anna, "Борис"), of(anna, "Вера")
        await says_twice(boris, invitation)
        assert await anna.pool.fetchval("SELECT friend_id FROM referrals") == boris.person.user_id
        await says_twice(carol, gift)
        await says_twice(carol, "/promo spring")
        assert "принят" in carol.newest
        assert await money(anna) == 6000
        assert await money(boris) == 10_000
        assert await money(carol) == 14_500


async def test_a_reward_is_given_once_and_lost_with_the_job_that_earned_it(database: str) -> None:
    async with conversation(database, welcome=1000, terms=TERMS) as anna:
        boris = of(anna, "Борис")
        await boris.says(link(await anna.says("/invite")))
        async with transaction(boris.pool) as tx:
            await pays(tx, UserId(boris.person.user_id), 1000)
        jobs = []
        for _ in range(2):
            await boris.orders_a_cat()
            await boris.taps("✅ Создать")
            jobs.append(JobId(await boris.pool.fetchval("SELECT max(job_id) FROM generation_jobs")))
            await settle_now(boris.pool, jobs[-1], Success(urls=(URL,)))
            await book_all(boris.pool)
        assert "Вы заработали 21" in (await anna.says("/invite")), "20 for the first job, 1 of the payment, no more"
        rewarded = (await money(anna), await money(boris))
        refund = {"reference": "refund:1", "operator": "test", "reason": "not what was ordered"}
        assert (await refund_job(boris.pool, jobs[0], None, **refund)).done
        await book_all(boris.pool)
        assert (await money(anna), await money(boris)) == (rewarded[0] - 2000, rewarded[1] - 1000 + 64)
