"""The consent: asked once with the first card, the wish is kept; without it no order and no file; versions, withdrawal."""

from dataclasses import replace
from pathlib import Path

from photomat.app.settings import Settings
from photomat.kernel.ids import UserId
from photomat.texts.load import LANGUAGES, load_texts
from photomat.users.consent import ConsentDocument
from support.conversation import Chat, conversation
from support.media_bytes import image
from support.shop import orders_of

TEXTS = {language: load_texts().say(language, "consent-document") for language in LANGUAGES}
FIRST = ConsentDocument(version="1", url=None, texts=TEXTS)


async def consents(chat: Chat) -> list[tuple[str, bool]]:
    rows = await chat.pool.fetch("SELECT version, withdrawn_at IS NULL AS stands FROM consents ORDER BY consent_id")
    return [(row["version"], row["stands"]) for row in rows]


def use(chat: Chat, document: ConsentDocument) -> None:
    """The shop changes its document, as a live setting does."""
    for name in ("worker", "checkouts"):
        worker = getattr(chat, name)
        config = replace(worker.config, orders=replace(worker.config.orders, consent=document))
        setattr(chat, name, replace(worker, config=config))


async def test_the_first_card_waits_for_the_consent_and_the_wish_is_kept(database: str) -> None:
    async with conversation(database, consent=FIRST) as chat:
        await chat.orders_a_cat()
        assert "Нужно ваше согласие" in chat.newest
        assert "Согласие на обработку" in await chat.taps("📄 Прочитать")
        await chat.taps("‹ Назад")
        card = await chat.taps("✅ Согласен")
        assert "кот-космонавт" in card
        assert await consents(chat) == [("1", True)]
        row = await chat.pool.fetchrow("SELECT text_sha256, origin, language FROM consents")
        assert row is not None
        assert (row["text_sha256"], row["language"]) == (FIRST.sha256("ru"), "ru")
        assert row["origin"].startswith("update:")
        await chat.taps("✅ Создать")
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 1
        assert "Нужно ваше согласие" not in await chat.says("нарисуй собаку в шляпе")


async def test_without_consent_there_is_no_order_and_declining_cancels_the_draft(database: str) -> None:
    async with conversation(database) as chat:
        await chat.orders_a_cat()
        shown, data = chat.button("✅ Создать")
        use(chat, FIRST)
        chat.telegram.taps(chat.person, shown, data)
        await chat.handle_all()
        assert "Нужно ваше согласие" in chat.newest
        assert await chat.pool.fetchval("SELECT count(*) FROM generation_jobs") == 0
        draft_id = await chat.pool.fetchval("SELECT draft_id FROM drafts")
        orders = replace(orders_of(chat.pool), consent=FIRST)
        assert await orders.lacks_consent(UserId(chat.person.user_id))
        assert "отменён" in await chat.taps("Не согласен")
        assert await chat.pool.fetchval("SELECT canceled_at IS NOT NULL FROM drafts WHERE draft_id = $1", draft_id)
        assert await consents(chat) == []


async def test_a_file_is_taken_after_the_consent_and_need_not_be_sent_again(database: str, tmp_path: Path) -> None:
    async with conversation(database, consent=FIRST, results=tmp_path) as chat:
        await chat.says("/start")
        for name in ("one.png", "two.png"):
            await chat.sends(image("PNG"), kind="document", name=name, caption="сделай ярче", album="album-1")
        assert sum("Нужно ваше согласие" in str(each["text"]) for each in chat.screen()) == 1
        assert await chat.pool.fetchval("SELECT count(*) FROM input_files") == 0
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") == 0
        await chat.taps("✅ Согласен")
        assert await chat.pool.fetchval("SELECT count(*) FROM input_files") > 0
        assert await chat.pool.fetchval("SELECT count(*) FROM drafts") > 0
        assert await chat.pool.fetchval("SELECT count(*) FROM inbox WHERE handled_at IS NULL") == 0


async def test_a_new_version_asks_again_and_a_withdrawal_ends_it(database: str) -> None:
    async with conversation(database, consent=FIRST) as chat:
        await chat.orders_a_cat()
        await chat.taps("✅ Согласен")
        use(chat, replace(FIRST, version="2", url="https://shop.example/consent"))
        await chat.says("нарисуй лису в лесу")
        assert "Нужно ваше согласие" in chat.newest
        await chat.taps("✅ Согласен")
        page = await chat.says("/privacy")
        assert "версия 2" in page
        days = Settings.model_fields["keep_refused_texts_days"].default
        assert f"отклонённые по правилам: {days} дней" in page
        await chat.taps("Отозвать согласие")
        assert await consents(chat) == [("1", False), ("2", False)]
        await chat.says("нарисуй ежа в тумане")
        assert "Нужно ваше согласие" in chat.newest


def test_the_hash_is_of_what_was_shown() -> None:
    linked = replace(FIRST, url="https://shop.example/consent")
    hashes = {FIRST.sha256("ru"), FIRST.sha256("en"), linked.sha256("ru"), replace(linked, version="2").sha256("ru")}
    assert len(hashes) == 4
