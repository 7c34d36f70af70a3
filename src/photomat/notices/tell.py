"""`tell`: a row in the transaction of what it tells, unique by its key. So a thing that happens once is told once."""

from collections.abc import Sequence

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.notices.notice import Facts, NoticeButton, NoticeFile, facts_as_json


async def tell(
    tx: Transaction,
    *,
    key: str,
    chat_id: ChatId,
    text_key: str,
    facts: Facts | None = None,
    buttons: Sequence[Sequence[NoticeButton]] = (),
    file: NoticeFile | None = None,
) -> bool:
    """Have somebody told; False when this key was told before. Whatever a person wrote must be escaped for HTML."""
    made = await tx.fetchval(
        """
        INSERT INTO notices (key, chat_id, text_key, facts, buttons, file_kind, file_id)
        VALUES ($1, $2, $3, $4, $5, $6, $7)
            ON CONFLICT (key) DO NOTHING
        RETURNING notice_id
        """,
        key,
        chat_id,
        text_key,
        facts_as_json(facts or {}),
        [[button.as_json() for button in row] for row in buttons],
        file.kind if file else None,
        file.file_id if file else None,
    )
    return made is not None
