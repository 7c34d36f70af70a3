"""What a conversation leaves in the database is as it was: a program of another version reads it after a deploy.

People order, pay and give in every way that keeps something for later; the keys and types of all stored JSON, and the
references of the money that moved, are compared with a snapshot. The inputs of models are in `frozen/requests.txt`.
"""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from photomat.db.pool import Connection
from support.conversation import conversation
from support.database import connection_of
from support.doors import KEY, SECRET, address, house, told
from support.forms import PHOTO, made_before, opens, picks, presses
from support.frozen import compare, shape
from support.paying import pays_the_bill, shop_options, tell_all
from support.payments import ScriptedProvider
from support.rewards import TERMS, a_code
from support.transfers import transfer_shop

REMEMBER = """
    CREATE TABLE remembered (state text, data jsonb);
    CREATE FUNCTION remember() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO remembered VALUES (NEW.state, NEW.data); RETURN NULL; END';
    CREATE TRIGGER remember AFTER INSERT OR UPDATE ON conversations FOR EACH ROW EXECUTE FUNCTION remember();
"""
JSON_COLUMNS = """
    SELECT table_name, column_name FROM information_schema.columns
     WHERE data_type = 'jsonb' AND table_schema = current_schema()
       AND table_name NOT IN ('remembered', 'inbox', 'conversations')
"""
OF_MODELS = frozenset(
    {
        "inputs",
        "drafts.inputs",
        "generation_jobs.inputs",
        "generation_jobs.request.body",
        "generation_jobs.quote.parts[].when",
    }
)
"""Below these the keys are inputs of a model."""


async def test_what_orders_leave_behind(database: str, tmp_path: Path) -> None:
    await remember_conversations(database)
    options: dict[str, Any] = {"options": shop_options(), "providers": {"yookassa": ScriptedProvider()}, "terms": TERMS}
    async with conversation(database, welcome=1_000_000, results=tmp_path, **options) as chat:
        await chat.says("/start")
        await made_before(chat, "grok-imagine/text-to-video", prompt="щенок бежит")
        await opens(chat, "grok-imagine/extend")
        await chat.taps(picks(chat)[0])
        await chat.says("дальше")
        await chat.taps("✅ Создать")
        await opens(chat, "grok-imagine/image-to-image")
        await chat.sends(PHOTO)
        await chat.orders_a_cat()
        await chat.taps("✏️ Изменить")
        await chat.taps("✏️ Формат")
        await chat.taps("16:9")
        await chat.taps("✅ Создать")
        await presses(chat, "m:search")
        await chat.says("видео")
        await presses(chat, "rw:gift")
        await chat.says("100")
        await a_code(chat.pool, "FREE", kind="free", amount=10_000, generations=1)
        await presses(chat, "rw:promo")
        await chat.says("free")
        await chat.orders_a_cat()
        await chat.taps("✅ Создать")
        await chat.says("/topup")
        await chat.taps("💳 Карта или СБП")
        await chat.taps("✍️ Своя сумма")
        await chat.says("250")
        await presses(chat, "pp:bill:stars:50:0")
        assert await pays_the_bill(chat)
        await tell_all(chat)
    compare("rows_of_orders", [line async for line in rows(database)])


async def test_what_transfers_by_hand_leave_behind(database: str) -> None:
    await remember_conversations(database)
    async with transfer_shop(database) as shop:
        await shop.anna.pays()
        await shop.settles()
        await shop.peter.says("/start")
        await presses(shop.peter, "r:no:1")
        await presses(shop.peter, "r:sum:1")
        await shop.peter.says("499")
        await shop.boris.pays()
        await shop.settles()
        await presses(shop.peter, "r:sum:2")
        await shop.peter.says("500")
    compare("rows_of_transfers", [line async for line in rows(database)])


async def test_statuses_of_http_answers(database: str) -> None:
    async with house(database, webhook_key=KEY) as door:
        answers = {
            "GET /health": await door.get("/health"),
            "GET /ready": await door.get("/ready"),
            "POST /telegram/webhook, wrong secret": (await door.update({"update_id": 1}, secret="wrong"), None),
            "POST /telegram/webhook, not JSON": (await door.update(b"{", secret=SECRET), None),
            "POST /telegram/webhook": (await door.update({"update_id": 1}), None),
            "POST /kie/callback, not signed": await door.post("/kie/callback", told()),
            "POST /kie/callback/{token}, wrong signature": await door.post("/kie/callback/1.wrong", told()),
            "POST /kie/callback/{token}, not signed by Kie": await door.post(address(1), told()),
            "POST /unknown": await door.post("/unknown", {}),
        }
    async with house(database) as door:
        answers["POST /kie/callback/{token}"] = await door.post(address(1), told())
        answers["POST /kie/callback/{token}, not JSON"] = await door.post(address(1), b"{")
        answers["POST /kie/callback/{token}, no task"] = await door.post(address(1), {"code": 200})
    statuses = [f"{asked} -> {status}" for asked, (status, _) in answers.items()]
    bodies = [
        f"{asked} {line}" for asked, (_, said) in answers.items() if isinstance(said, dict) for line in shape(said)
    ]
    compare("http_answers", [*statuses, *bodies])


async def remember_conversations(database: str) -> None:
    """Keep every state of every conversation, for a later one overwrites it."""
    async with connection_of(database) as connection:
        await connection.execute(REMEMBER)


async def rows(database: str) -> AsyncIterator[str]:
    """What there is of stored JSON, of states and of references."""
    async with connection_of(database) as connection:
        for row in await connection.fetch("SELECT state, data FROM remembered"):
            for line in shape(row["data"], open_keys=OF_MODELS):
                yield f"conversation {row['state']} {line}"
        for row in await connection.fetch("SELECT reference, reason FROM ledger_transactions"):
            yield f"ledger {re.sub('stx.*|[0-9]+', 'N', row['reference'])} {row['reason']}"
        for row in await connection.fetch(JSON_COLUMNS):
            for value in await values_of(connection, row["table_name"], row["column_name"]):
                for line in shape(value, f"{row['table_name']}.{row['column_name']}", open_keys=OF_MODELS):
                    yield f"column {line}"


async def values_of(connection: Connection, table: str, column: str) -> list[Any]:
    """Every value of a column."""
    found = await connection.fetch(f"SELECT {column} AS value FROM {table} WHERE {column} IS NOT NULL")  # noqa: S608  the catalogue's names
    return [row["value"] for row in found]
