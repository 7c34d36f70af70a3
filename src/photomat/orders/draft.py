"""Drafts: what a user filled in, with the price that was shown.

A draft is committed before its card is sent, under an origin of our making (the update that completed it), so an update
handled again finds the same draft. A second card of one draft is harmless: the first one tapped becomes the job's card.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple

from photomat.db.pool import Pool, Transaction
from photomat.db.rows import Row, require_row
from photomat.kernel.ids import BotId, ChatId, DraftId, MessageId, UserId
from photomat.kernel.money import Money
from photomat.orders.assortment import FIND_MARK, AssortmentMark, mark_of
from photomat.users.standing import STANDING_COLUMNS, Standing, standing_of
from photomat.work.retention import OldRows

LIFE: Final = timedelta(days=1)
UNBOUGHT_DRAFTS: Final = OldRows(table="drafts", age="expires_at", only="bought_at IS NULL")
COLUMNS: Final = (
    "draft_id, drafts.bot_id, user_id, chat_id, model, inputs, price, currency, revision, said, card_message_id, inputs_before,"
    " assistant, (expires_at <= photomat_now() OR canceled_at IS NOT NULL) AS is_closed, bought_at IS NOT NULL AS is_bought"
)
NEWEST_CARD: Final = f"""
    SELECT {COLUMNS} FROM drafts
     WHERE user_id = $1 AND bot_id = $2 AND chat_id = $3 AND changed_at > photomat_now() - $4::interval
       AND bought_at IS NULL AND canceled_at IS NULL AND expires_at > photomat_now()
     ORDER BY changed_at DESC LIMIT 1"""  # noqa: S608  a constant list of columns

MARK_BOUGHT: Final = """
    UPDATE drafts SET bought_at = photomat_now(), price = made.price FROM made WHERE drafts.draft_id = made.draft_id"""
"""Marks the draft of the job `made` as sold: nothing can change it, including a transaction that waits for its row now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Buyer:
    """Who orders, in which language, and in which chat of which bot their card is."""

    user_id: UserId
    language: str
    bot_id: BotId
    chat_id: ChatId


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """A filled-in order with its quoted price. `revision` tells whether a card shows the newest.

    A draft that has expired or was canceled is closed. `said` are the plain words it began with, if it did;
    `card_message_id` is the message that shows it, as far as known. `inputs_before` are those before words changed it.
    `assistant` is what the assistant left on the card.
    """

    draft_id: DraftId
    bot_id: BotId
    user_id: UserId
    chat_id: ChatId
    model: str
    inputs: Mapping[str, Any]
    price: Money
    revision: int
    is_closed: bool
    is_bought: bool = False
    said: str | None = None
    card_message_id: MessageId | None = None
    inputs_before: Mapping[str, Any] | None = None
    assistant: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewDraft:
    """A draft to store; `said` are the plain words it began with."""

    buyer: Buyer
    origin: str
    model: str
    inputs: Mapping[str, Any]
    price: Money
    said: str | None = None


class OwnedDraft(NamedTuple):
    """A draft and whose it has to be."""

    draft_id: DraftId
    user_id: UserId


class LockedDraft(NamedTuple):
    """A draft about to be bought, what operators decided about its user, and which assortment holds."""

    draft: Draft
    owner: Standing
    mark: AssortmentMark


async def insert_drafts(pool: Pool, drafts: Sequence[NewDraft]) -> list[Draft]:
    """Store new drafts, each with an origin of its own; idempotent per origin."""
    rows = await pool.fetch(
        f"""
        INSERT INTO drafts (origin, bot_id, user_id, chat_id, model, inputs, price, currency, said, expires_at)
        SELECT *, photomat_now() + $10::interval
          FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::jsonb[], $7::bigint[],
                      $8::text[], $9::text[]) AS given (origin)
         ORDER BY origin
            ON CONFLICT ON CONSTRAINT drafts_origin_once DO UPDATE SET origin = excluded.origin
        RETURNING origin, {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        [each.origin for each in drafts],
        [each.buyer.bot_id for each in drafts],
        [each.buyer.user_id for each in drafts],
        [each.buyer.chat_id for each in drafts],
        [each.model for each in drafts],
        [dict(each.inputs) for each in drafts],
        [each.price.minor for each in drafts],
        [each.price.currency for each in drafts],
        [each.said for each in drafts],
        LIFE,
    )
    by_origin = {row["origin"]: _draft(row) for row in rows}
    return [by_origin[each.origin] for each in drafts]


async def change_draft(
    pool: Pool,
    *,
    draft_id: DraftId,
    user_id: UserId,
    origin: str,
    model: str,
    inputs: Mapping[str, Any],
    price: Money,
    can_be_undone: bool = False,
    revision: int | None = None,
) -> Draft | None:
    """Make a new revision of a draft, or of this `revision` of it; idempotent per origin.

    None when it is bought, not this user's, or at another revision.
    """
    row = await pool.fetchrow(
        f"""
        UPDATE drafts
           SET revision = revision + CASE WHEN origin = $3 THEN 0 ELSE 1 END, origin = $3, inputs = $4, price = $5,
               currency = $6, expires_at = photomat_now() + $7::interval, model = $8, changed_at = photomat_now(),
               inputs_before = CASE WHEN origin = $3 THEN inputs_before WHEN $10 THEN inputs END
         WHERE draft_id = $1 AND user_id = $2 AND bought_at IS NULL AND ($9::int IS NULL OR revision = $9 OR origin = $3)
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        draft_id,
        user_id,
        origin,
        dict(inputs),
        price.minor,
        price.currency,
        LIFE,
        model,
        revision,
        can_be_undone,
    )
    return None if row is None else _draft(row)


async def revise_draft(
    pool: Pool,
    *,
    draft_id: DraftId,
    user_id: UserId,
    revision: int,
    origin: str,
    model: str,
    inputs: Mapping[str, Any],
    price: Money,
    assistant: Mapping[str, Any],
) -> Draft | None:
    """Make a new revision of exactly this revision, while it can be bought; idempotent per origin. None when it moved on."""
    row = await pool.fetchrow(
        f"""
        UPDATE drafts
           SET revision = revision + CASE WHEN origin = $4 THEN 0 ELSE 1 END, origin = $4, inputs = $5, price = $6,
               currency = $7, model = $8, assistant = $9
         WHERE draft_id = $1 AND user_id = $2 AND (revision = $3 OR origin = $4)
           AND bought_at IS NULL AND canceled_at IS NULL AND expires_at > photomat_now()
        RETURNING {COLUMNS}
        """,  # noqa: S608  a constant list of columns
        draft_id,
        user_id,
        revision,
        origin,
        dict(inputs),
        price.minor,
        price.currency,
        model,
        dict(assistant),
    )
    return None if row is None else _draft(row)


async def set_price(tx: Transaction, *, draft_id: DraftId, price: Money) -> Draft:
    """Store today's price as a new revision."""
    row = await require_row(
        tx,
        f"UPDATE drafts SET revision = revision + 1, price = $2, currency = $3 WHERE draft_id = $1 RETURNING {COLUMNS}",  # noqa: S608  a constant list of columns
        draft_id,
        price.minor,
        price.currency,
    )
    return _draft(row)


async def read_draft(pool: Pool, *, draft_id: DraftId, user_id: UserId) -> Draft | None:
    row = await pool.fetchrow(
        f"SELECT {COLUMNS} FROM drafts WHERE draft_id = $1 AND user_id = $2",  # noqa: S608  a constant list of columns
        draft_id,
        user_id,
    )
    return None if row is None else _draft(row)


async def open_draft(pool: Pool, *, user_id: UserId) -> Draft | None:
    """The newest draft of a user that can still be bought."""
    row = await pool.fetchrow(
        f"""
        SELECT {COLUMNS} FROM drafts
         WHERE user_id = $1 AND bought_at IS NULL AND canceled_at IS NULL AND expires_at > photomat_now()
         ORDER BY draft_id DESC LIMIT 1
        """,  # noqa: S608  a constant list of columns
        user_id,
    )
    return None if row is None else _draft(row)


async def newest_card(
    pool: Pool, *, bot_id: BotId, user_id: UserId, chat_id: ChatId, within: timedelta
) -> Draft | None:
    """The draft shown last in this chat, if it was shown or changed within this time and can still be bought."""
    row = await pool.fetchrow(NEWEST_CARD, user_id, bot_id, chat_id, within)
    return None if row is None else _draft(row)


async def talk_of(
    pool: Pool, *, bot_id: BotId, user_id: UserId, chat_id: ChatId, within: timedelta, counted: timedelta, most: int
) -> tuple[Draft | None, int]:
    """The newest card, as `newest_card` finds it, and how many drafts the user made in the time `counted`, up to `most`."""
    row = await require_row(
        pool,
        f"""
        SELECT made.count AS made, card.*
          FROM (SELECT count(*) FROM (SELECT FROM drafts WHERE user_id = $1 AND created_at > photomat_now() - $5::interval
                                       ORDER BY draft_id DESC LIMIT $6) AS recent) AS made
          LEFT JOIN LATERAL ({NEWEST_CARD}) AS card ON true
        """,  # noqa: S608  a constant of this module
        user_id,
        bot_id,
        chat_id,
        within,
        counted,
        most,
    )
    return (None if row["draft_id"] is None else _draft(row)), row["made"]


async def record_cards(tx: Transaction, cards: Mapping[DraftId, MessageId]) -> None:
    """These messages show the drafts now."""
    if not cards:
        return
    await tx.execute(
        """
        UPDATE drafts SET card_message_id = shown.message_id
          FROM unnest($1::bigint[], $2::bigint[]) AS shown (draft_id, message_id)
         WHERE drafts.draft_id = shown.draft_id
        """,
        list(cards),
        list(cards.values()),
    )


async def has_recent_duplicate(
    pool: Pool, *, user_id: UserId, model: str, inputs: Mapping[str, Any], origin: str, within: timedelta
) -> bool:
    """Whether the same order got its card a moment ago, from another update, and can still be bought."""
    return bool(
        await pool.fetchval(
            """
            SELECT true FROM drafts
             WHERE user_id = $1 AND model = $2 AND inputs = $3 AND origin <> $4
               AND bought_at IS NULL AND canceled_at IS NULL AND created_at > photomat_now() - $5::interval
             LIMIT 1
            """,
            user_id,
            model,
            dict(inputs),
            origin,
            within,
        )
    )


async def affordable_draft(
    tx: Transaction, *, user_id: UserId, preferred: DraftId | None, available: Money
) -> Draft | None:
    """A draft that this balance can pay for: the preferred one, else the newest."""
    row = await tx.fetchrow(
        f"""
        SELECT {COLUMNS} FROM drafts
         WHERE user_id = $1 AND bought_at IS NULL AND canceled_at IS NULL AND expires_at > photomat_now()
           AND price BETWEEN 1 AND $3 AND currency = $4
         ORDER BY (draft_id = $2) IS TRUE DESC, draft_id DESC
         LIMIT 1
        """,  # noqa: S608  a constant list of columns
        user_id,
        preferred,
        available.minor,
        available.currency,
    )
    return None if row is None else _draft(row)


async def lock_draft(tx: Transaction, *, draft_id: DraftId, user_id: UserId) -> Draft | None:
    """The draft, locked until the transaction ends."""
    row = await tx.fetchrow(
        f"SELECT {COLUMNS} FROM drafts WHERE draft_id = $1 AND user_id = $2 FOR UPDATE",  # noqa: S608  a constant list of columns
        draft_id,
        user_id,
    )
    return None if row is None else _draft(row)


async def lock_drafts_to_buy(
    tx: Transaction, owned: Sequence[OwnedDraft], *, waits: bool = True
) -> dict[OwnedDraft, LockedDraft]:
    """Each draft of its owner, and then the owner, locked for the transaction that buys it; in the order of the owners.

    What another transaction has locked is waited for, or left out; a draft whose user is locked may be locked all the same.
    """
    skip = "" if waits else "SKIP LOCKED"
    rows = await tx.fetch(
        f"""
        SELECT {COLUMNS}, {STANDING_COLUMNS}, mark.*
          FROM unnest($1::bigint[], $2::bigint[]) AS owner (draft_id, user_id)
          JOIN drafts USING (draft_id, user_id) JOIN users USING (user_id) CROSS JOIN ({FIND_MARK}) AS mark
         ORDER BY user_id, draft_id
           FOR UPDATE OF drafts {skip} FOR NO KEY UPDATE OF users {skip}
        """,  # noqa: S608  constants of the slices that own the tables
        *map(list, zip(*owned, strict=True)),
    )
    locked = [LockedDraft(draft=_draft(row), owner=standing_of(row), mark=mark_of(row)) for row in rows]
    return {OwnedDraft(each.draft.draft_id, each.draft.user_id): each for each in locked}


async def reopen_for_appeal(tx: Transaction, *, draft_id: DraftId, refused_at: datetime) -> bool:
    """Give a refused draft its full life again, since its appeal may have taken longer.

    False when it is bought, canceled, or says something else by now.
    """
    return bool(
        await tx.fetchval(
            """
            UPDATE drafts SET expires_at = greatest(expires_at, photomat_now() + $2::interval)
             WHERE draft_id = $1 AND bought_at IS NULL AND canceled_at IS NULL AND changed_at <= $3
            RETURNING true
            """,
            draft_id,
            LIFE,
            refused_at,
        )
    )


async def cancel_draft(tx: Transaction, *, draft_id: DraftId, user_id: UserId) -> bool:
    """Cancel a draft; return False when it is bought or another user's."""
    return bool(
        await tx.fetchval(
            """
            UPDATE drafts SET canceled_at = photomat_now()
             WHERE draft_id = $1 AND user_id = $2 AND bought_at IS NULL
            RETURNING true
            """,
            draft_id,
            user_id,
        )
    )


def _draft(row: Row) -> Draft:
    return Draft(
        draft_id=DraftId(row["draft_id"]),
        bot_id=BotId(row["bot_id"]),
        user_id=UserId(row["user_id"]),
        chat_id=ChatId(row["chat_id"]),
        model=row["model"],
        inputs=row["inputs"],
        price=Money(row["price"], row["currency"]),
        revision=row["revision"],
        is_closed=row["is_closed"],
        is_bought=row["is_bought"],
        said=row["said"],
        card_message_id=row["card_message_id"],
        inputs_before=row["inputs_before"],
        assistant=row["assistant"],
    )


async def forget_drafts(tx: Transaction, user_id: UserId, limit: int) -> int:
    """Take what a user wrote out of a batch of their drafts; one that could still be bought is canceled."""
    return len(
        await tx.fetch(
            """
            UPDATE drafts
               SET inputs = '{}', said = NULL, inputs_before = NULL, assistant = NULL,
                   canceled_at = CASE WHEN bought_at IS NULL THEN coalesce(canceled_at, photomat_now()) ELSE canceled_at END
             WHERE draft_id = ANY (ARRAY(
                   SELECT draft_id FROM drafts
                    WHERE user_id = $1 AND (inputs <> '{}' OR said IS NOT NULL OR inputs_before IS NOT NULL
                                            OR assistant IS NOT NULL)
                    ORDER BY draft_id LIMIT $2 FOR UPDATE))
            RETURNING draft_id
            """,
            user_id,
            limit,
        )
    )
