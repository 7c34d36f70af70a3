"""A notice as a value, and how its facts are kept as JSON. Pure.

`tell`: a row in the transaction of what it tells, unique by its key. So a thing that happens once is told once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final, Literal, TypeAlias

from photomat.db.pool import Transaction
from photomat.kernel.ids import ChatId
from photomat.kernel.money import Money
from photomat.telegram import callback_data

Facts: TypeAlias = Mapping[str, str | int | Money]
FileKind: TypeAlias = Literal["photo", "document"]


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeButton:
    """A button under a notice: the key of its text, and what it calls back with or opens."""

    text_key: str
    data: str | None = None
    url: str | None = None
    facts: Facts = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        """Itself, as it is stored."""
        return {"text_key": self.text_key, "data": self.data, "url": self.url, "facts": facts_as_json(self.facts)}


TO_BALANCE: Final = NoticeButton(text_key="menu-balance", data=callback_data.OPEN_BALANCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFile:
    """A file of Telegram's that the notice shows."""

    kind: FileKind
    file_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Notice:
    """One notice recorded as having left, about to be sent."""

    notice_id: int
    key: str
    chat_id: ChatId
    language: str
    text_key: str
    facts: Facts
    buttons: Sequence[Sequence[NoticeButton]]
    file: NoticeFile | None
    left_at: datetime
    attempts: int


def facts_as_json(facts: Facts) -> dict[str, Any]:
    """The facts in a shape JSON has."""
    return {
        name: {"minor": fact.minor, "currency": fact.currency} if isinstance(fact, Money) else fact
        for name, fact in facts.items()
    }


def facts_from_json(stored: Mapping[str, Any]) -> Facts:
    """The facts as they were."""
    return {
        name: Money(int(fact["minor"]), str(fact["currency"])) if isinstance(fact, dict) else fact
        for name, fact in stored.items()
    }


def buttons_from_json(stored: Sequence[Sequence[Mapping[str, Any]]]) -> list[list[NoticeButton]]:
    """The buttons as they were."""
    return [[NoticeButton(**{**button, "facts": facts_from_json(button["facts"])}) for button in row] for row in stored]


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
