"""Stories of a process that dies while it brings a file to Kie; a fresh one goes on, and nothing is ordered twice."""

import hashlib
import io
from collections.abc import Mapping
from typing import Final

from photomat.db.pool import Pool, transaction
from photomat.files.file import FileContent, FromTelegram, InputFile
from photomat.files.store import add_file
from photomat.jobs.job import KieRequest, NewJob
from photomat.kernel.ids import BotId, ChatId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.kie.protocol import JOBS
from photomat.media.measure import measure
from photomat.orders.draft import Buyer, NewDraft, insert_drafts
from photomat.orders.outcome import Created
from photomat_sandbox.telegram import person_acts
from support import media_bytes as made
from support.customer import Customer
from support.database import pool_of
from support.endings import NOTHING_PAID, ends_well
from support.jobs import create_job
from support.money import agreed
from support.payment_stories import dies_there
from support.stories import Tell
from support.system import System

MODEL: Final = "google/nano-banana-edit"
PRICE: Final = Money(64, "RUB")
"""As much as a picture of other stories."""


async def a_file_is_brought(system: System, point: str) -> None:
    """An upload bears repeating: killed after it the file is brought a second time, and the order names it once."""
    first = await system.start(FAILPOINT=point)
    anna = system.customer()
    anna.says("/start")
    card, _ = await anna.finds("🖼 Создать картинку")
    await anna.has(NOTHING_PAID)
    async with pool_of(system.database) as pool:
        file = await sends_a_photo(system, pool, anna)
        await buys_with(system, pool, anna, card=card, file=file)
    await dies_there(first)
    await system.start()
    await ends_well(system, anna, cards=(card,))
    (task,) = system.kie.world.tasks.values()
    (url,) = task.order.given["image_urls"]
    assert any(url.endswith(upload.path) for upload in system.kie.world.uploads.values())
    assert len(system.kie.world.uploads) == (2 if point == "inputs.after_upload" else 1)


async def sends_a_photo(system: System, pool: Pool, anna: Customer) -> InputFile:
    """A photo of hers, looked into as the bot does it."""
    content = made.image("JPEG")
    message = await person_acts.send_file(system.telegram.world, anna.person, content, kind="photo")
    *_, largest = system.telegram.world.api(message)["photo"]
    found = measure(io.BytesIO(content))
    return await add_file(
        pool,
        user_id=UserId(anna.person.user_id),
        origin=f"message:{message.message_id}",
        source=FromTelegram(largest["file_id"]),
        content=FileContent(facts=found.facts, mime=found.mime, sha256=hashlib.sha256(content).hexdigest()),
    )


async def buys_with(system: System, pool: Pool, anna: Customer, *, card: int, file: InputFile) -> None:
    """What a tap on [Create] does, on this message."""
    user_id, bot_id = UserId(anna.person.user_id), BotId(system.telegram.world.bot.user_id)
    buyer = Buyer(user_id=user_id, language="ru", bot_id=bot_id, chat_id=ChatId(user_id))
    body = {"prompt": "кот", "image_urls": [file.ref.as_json()]}
    [draft] = await insert_drafts(
        pool, [NewDraft(buyer=buyer, origin="a story", model=MODEL, inputs=body, price=PRICE)]
    )
    async with transaction(pool) as tx:
        new = NewJob(
            draft_id=draft.draft_id,
            corr="c0ffee00",
            user_id=user_id,
            language=buyer.language,
            bot_id=bot_id,
            chat_id=buyer.chat_id,
            card_message_id=MessageId(card),
            model=MODEL,
            kind="image",
            inputs=body,
            quote=agreed(PRICE),
            request=KieRequest(protocol=JOBS, body=body),
        )
        created = await create_job(tx, new, revision=draft.revision)
    assert isinstance(created, Created), created


STORIES: Final[Mapping[str, Tell]] = dict.fromkeys(("inputs.before_upload", "inputs.after_upload"), a_file_is_brought)
