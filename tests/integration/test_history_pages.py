"""/history in words: what became of each order and of its money, page by page."""

from pathlib import Path

from photomat.bot.results.views import HistoryPage, history_page
from photomat.db.pool import transaction
from photomat.jobs.actions import cancel_by_operator
from photomat.jobs.history import recent_jobs
from photomat.jobs.settle import Failure, Success
from photomat.texts.load import load_texts
from support.history import RESEND, archive
from support.jobs import a_running_job, settle_now


async def test_each_order_says_what_became_of_it_and_of_its_money(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        pool, user = past.chat.pool, past.user
        await past.done_job(prompt="кот <b> & пёс")
        failed = await a_running_job(pool, user, task_id="t-1", message_id=await past.card())
        await settle_now(pool, failed, Failure(code="kie-422", reason="flagged words"))
        gift = await a_running_job(pool, user, task_id="t-2", message_id=await past.card())
        await settle_now(pool, gift, Failure(code="timeout"))
        await settle_now(pool, gift, Success(urls=(past.files.add("g.png", b"x", "image/png"),)))
        await pool.execute("UPDATE generation_jobs SET delivered_at = photomat_now() WHERE status = 'done'")
        offered = await a_running_job(pool, user, task_id="t-3", message_id=await past.card())
        async with transaction(pool) as tx:
            await cancel_by_operator(tx, offered)
        await settle_now(pool, offered, Success(urls=(past.files.add("o.png", b"x", "image/png"),)))
        await past.new_job()
        text = (await past.chat.says("/history")).replace("\u00a0", " ")
        lines = text.split("\n\n")[1:]
        for number, words in enumerate(
            [
                ("⏳ делается, 0,64 ₽ отложены",),
                ("🎉 отменено, но результат есть", "за 0,64 ₽"),
                ("🎁 готово, бесплатно: 0,64 ₽ вернулись на баланс",),
                ("❌ не удалось: модель отказалась от запроса. 0,64 ₽ вернулись на баланс",),
                ("✅ готово, 0,64 ₽", "кот <b> & пёс"),
            ]
        ):
            assert lines[number].startswith(f"{number + 1}. Z-Image · ")
            assert [one for one in words if one not in lines[number]] == []
        assert "flagged words" not in text
        assert [one for one in past.labels() if one.startswith(RESEND)] == [f"{RESEND} · 3", f"{RESEND} · 5"]


async def test_more_orders_than_fit_are_turned_to_and_back(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        for number in range(11):
            await past.done_job(prompt=f"кот {number}")
        await past.chat.pool.execute("UPDATE generation_jobs SET delivered_at = photomat_now()")
        newest = await past.chat.says("/history")
        assert ["кот 10" in newest, "кот 6" in newest, "кот 5" in newest] == [True, True, False]
        assert [one for one in past.labels() if one in {"◀", "▶"}] == ["▶"]
        await past.chat.taps("▶")
        assert f"{RESEND} · 6" in past.labels()
        assert [one for one in past.labels() if one in {"◀", "▶"}] == ["◀", "▶"]
        last = await past.chat.taps("▶")
        assert ("кот 0" in last, "11. " in last) == (True, True)
        assert [one for one in past.labels() if one in {"◀", "▶"}] == ["◀"]
        await past.chat.taps("◀")
        assert "кот 10" in await past.chat.taps("◀")


async def test_the_words_are_there_in_english_too(database: str, tmp_path: Path) -> None:
    async with archive(database, tmp_path) as past:
        await past.done_job()
        jobs = await recent_jobs(past.chat.pool, user_id=past.user, limit=5)
        page = HistoryPage(number=0, first=1, jobs=jobs, has_older=False)
        view = history_page(load_texts().speaker("en"), page, {"z-image": "Z-Image"})
        assert "done, but it has not reached you yet" in view.text
        assert view.rows[0][0].text == "Did not arrive? Send again · 1"
