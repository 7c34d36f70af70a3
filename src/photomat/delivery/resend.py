"""Results a user asks for again, free, as new messages: «Не пришло? Прислать ещё раз» and «📎 Оригиналы».

A result that was never shown is not sent: its card becomes due again, and an edit cannot double it. One that was shown, or
whose card is in a chat that accepts nothing any more (the bot was removed from the group), is sent as new messages: one row
for each message, unique by the tap, so the same tap handled again asks for nothing more. Several originals come together, in
albums of up to ten: an album is one message here, all of it or nothing.

Each row is sent at most once. After a few attempts, or an hour after it was asked for, it ends as refused; if the outcome
is unknown it counts as sent, and the user may ask again after a minute.

A file comes from Telegram's own copy, else from ours or Kie's URL, else as a link. An original never comes from what
Telegram has made of it; a text comes as a file with all of it. What an album cannot take stands below it as links; when
Telegram refuses the album, which then did not come, one text has links to all of it.
"""

import html
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import StrEnum
from functools import partial
from typing import Any, ClassVar, Final

from photomat.catalog.model import Model
from photomat.db.pool import Pool, Transaction, transaction
from photomat.db.rows import Row, row_as
from photomat.delivery import outputs
from photomat.delivery.archive import ResultArchive
from photomat.delivery.caption import CardOrder, ai_mark, captioned, part_in_words, readable
from photomat.delivery.fallbacks import (
    NO_LINKS,
    Fallback,
    FallbackReason,
    ResultLinks,
    fallbacks_of,
    link_reason,
    originals_of,
)
from photomat.delivery.lock import rearm_job
from photomat.delivery.outputs import Output
from photomat.delivery.render import MAX_READ_LENGTH
from photomat.delivery.sender import is_link, link_text, reason_text
from photomat.jobs import timeline
from photomat.jobs.timeline import Tag
from photomat.kernel.clock import backoff_s
from photomat.kernel.errors import Rejected
from photomat.kernel.failpoint import failpoint
from photomat.kernel.ids import ChatId, JobId, MessageId, UserId
from photomat.kernel.logs import correlated, get_logger
from photomat.kernel.text import cut
from photomat.messages.outbox import Ending, MessageKind, Outcome, PutBack, RetryPolicy
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.telegram.port import CallRefused, Media, MediaKind, Messenger, PhotoRefused, Sent, SourceRefused
from photomat.texts.load import Texts

FIRST_RETRY_S: Final = 5.0
MAX_TRIES: Final = 8
TOO_LATE: Final = timedelta(hours=1)
"""Later than this a result would come as a surprise; the user can ask again."""
KIE_KEEPS: Final = timedelta(days=14)
"""The longest that Kie keeps a result: a link to its file leads nowhere after that."""
NOT_SOONER_THAN: Final = timedelta(minutes=1)
BETWEEN_FILES: Final = timedelta(milliseconds=1100)
"""Telegram takes about a message a second for a chat; so they also arrive in order."""
MAX_ALBUM: Final = 10
"""Files in one album, as many as Telegram takes."""
log = get_logger()


class ResendAnswer(StrEnum):
    SENDING = "sending"
    SHOWING = "showing"
    TOO_SOON = "too-soon"
    NO_RESULT = "no-result"
    NOT_YOURS = "not-yours"


async def ask_again(
    tx: Transaction,
    *,
    job_id: JobId,
    user_id: UserId,
    chat_id: ChatId,
    origin: str,
    language: str,
    as_file: bool = False,
    limits: BotApiLimits = CLOUD,
) -> ResendAnswer:
    """Queue a result for this chat, with `as_file` as the original files; `origin` names the tap."""
    job = await tx.fetchrow(
        """
        SELECT status, delivered_at IS NULL AND (undeliverable_at IS NULL OR chat_id = $3) AS may_be_shown
          FROM generation_jobs WHERE job_id = $1 AND user_id = $2 AND forgotten_at IS NULL FOR UPDATE
        """,
        job_id,
        user_id,
        chat_id,
    )
    if job is None:
        return ResendAnswer.NOT_YOURS
    if job["status"] != "done":
        return ResendAnswer.NO_RESULT
    earlier = await _earlier(tx, job_id, origin, as_file=as_file)
    if earlier is not None:
        return earlier
    if job["may_be_shown"]:
        await rearm_job(tx, job_id, by="customer")
        await _record(tx, job_id, chat_id, origin, language, messages=[()], as_file=as_file)
        return ResendAnswer.SHOWING
    if as_file:
        messages = _albums(await _stored(tx, job_id), limits=limits)
    else:
        messages = [(each,) for each in await _positions(tx, job_id)]
    await _record(tx, job_id, chat_id, origin, language, messages=messages, as_file=as_file)
    await timeline.record(tx, job_id, Tag.ASKED, files=sum(map(len, messages)))
    return ResendAnswer.SENDING


async def drop_resends(tx: Transaction) -> int:
    """A restored database: what was asked for may have been sent since the backup; the user may ask again."""
    rows = await tx.fetch(
        """
        UPDATE result_sends SET due_at = NULL, left_at = photomat_now(), outcome = 'unknown', error = 'restored from a backup'
         WHERE due_at IS NOT NULL RETURNING send_id
        """
    )
    return len(rows)


async def _earlier(tx: Transaction, job_id: JobId, origin: str, *, as_file: bool) -> ResendAnswer | None:
    """What this tap has led to before, or TOO_SOON after another one."""
    row = await tx.fetchrow(
        """
        SELECT origin = $2 AS is_same, position IS NULL AS is_card FROM result_sends
         WHERE job_id = $1 AND (origin = $2 OR as_file = $4 AND asked_at > photomat_now() - $3::interval)
         ORDER BY origin = $2 DESC LIMIT 1
        """,
        job_id,
        origin,
        NOT_SOONER_THAN,
        as_file,
    )
    if row is None:
        return None
    if not row["is_same"]:
        return ResendAnswer.TOO_SOON
    return ResendAnswer.SHOWING if row["is_card"] else ResendAnswer.SENDING


async def _positions(tx: Transaction, job_id: JobId) -> list[int]:
    """The positions of all outputs; a result without a file is one message of text."""
    rows = await tx.fetch("SELECT position FROM job_outputs WHERE job_id = $1 ORDER BY position", job_id)
    return [row["position"] for row in rows] or [0]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Stored:
    """An output to be sent as a file. `is_gone`: only Telegram's version of it is left, which no album takes."""

    position: int
    size_bytes: int
    is_gone: bool


async def _stored(tx: Transaction, job_id: JobId) -> list[_Stored]:
    rows = await tx.fetch(
        """
        SELECT position, coalesce(size_bytes, 0) AS size_bytes,
               kept_as IS NULL AND file_id IS NOT NULL AND settled_at < photomat_now() - $2::interval AS is_gone
          FROM job_outputs JOIN generation_jobs USING (job_id) WHERE job_id = $1 ORDER BY position
        """,
        job_id,
        KIE_KEEPS,
    )
    return [row_as(_Stored, row) for row in rows]


def _albums(files: Sequence[_Stored], *, limits: BotApiLimits) -> list[tuple[int, ...]]:
    """The positions each message sends: as many files as an album and one upload take; at least one message."""
    found: list[tuple[int, ...]] = []
    room, size_bytes = 0, 0
    for file in files:
        if file.is_gone or not room or size_bytes + file.size_bytes > limits.upload_bytes:
            found.append((file.position,))
            room, size_bytes = 0 if file.is_gone else MAX_ALBUM - 1, file.size_bytes
        else:
            found[-1] = (*found[-1], file.position)
            room, size_bytes = room - 1, size_bytes + file.size_bytes
    return found or [(0,)]


async def _record(
    tx: Transaction,
    job_id: JobId,
    chat_id: ChatId,
    origin: str,
    language: str,
    *,
    messages: Sequence[tuple[int, ...]],
    as_file: bool,
) -> None:
    """One row a message; an empty one asked for what its card shows."""
    before = 0
    for positions in messages:
        await tx.execute(
            """
            INSERT INTO result_sends (job_id, chat_id, origin, language, as_file, position, album, due_at)
            VALUES ($1, $2, $3, $4, $5, $6, $7, CASE WHEN $6::integer IS NOT NULL THEN photomat_now() + $8::interval END)
            """,
            job_id,
            chat_id,
            origin,
            language,
            as_file,
            positions[0] if positions else None,
            list(positions) if len(positions) > 1 else None,
            before * BETWEEN_FILES,
        )
        before += len(positions)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resend:
    send_id: int
    job_id: JobId
    corr: str
    position: int
    album: Sequence[int] | None
    chat_id: ChatId
    language: str
    as_file: bool
    model: str
    title: str | None
    inputs: Mapping[str, Any]
    result_object: Mapping[str, Any] | None
    left_at: datetime
    attempts: int
    age: timedelta
    is_gone_at_kie: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Resender(MessageKind[Resend]):
    pool: Pool
    messenger: Messenger
    archive: ResultArchive
    texts: Texts
    model_of: Callable[[str], Model | None]
    links: ResultLinks = NO_LINKS
    limits: BotApiLimits = CLOUD
    mark: Callable[[], str] = lambda: ""

    DUE: ClassVar = "SELECT 1 FROM result_sends WHERE due_at <= photomat_now()"
    CLAIM: ClassVar = """
        WITH due AS MATERIALIZED (
            SELECT send_id FROM result_sends WHERE due_at <= photomat_now() AND (SELECT photomat_our_bot($2)) IS NOT NULL
             ORDER BY due_at LIMIT $1 FOR UPDATE SKIP LOCKED),
        changed AS (
            UPDATE result_sends AS send SET due_at = NULL, left_at = photomat_now(), attempts = send.attempts + 1
              FROM due
             WHERE send.send_id = due.send_id
            RETURNING send.send_id, send.job_id, send.position, send.chat_id, send.language, send.left_at, send.attempts,
                      send.as_file, send.album, photomat_now() - send.asked_at AS age)
        SELECT changed.*, job.corr, job.model, job.title, job.inputs, job.result_object,
               job.settled_at < photomat_now() - $3::interval AS is_gone_at_kie
          FROM changed JOIN generation_jobs AS job USING (job_id)
        """
    RETRIES: ClassVar = RetryPolicy(pause_s=partial(backoff_s, first_s=FIRST_RETRY_S), most_attempts=MAX_TRIES)

    @property
    def claim_arguments(self) -> tuple[object, ...]:
        return (KIE_KEEPS,)

    def read(self, row: Row) -> Resend:
        return Resend(**dict(row))

    def log_context(self, message: Resend) -> AbstractContextManager[object]:
        return correlated(message.corr, job_id=message.job_id)

    async def send(self, message: Resend) -> MessageId:
        failpoint("send.after_record")
        if message.age > TOO_LATE:
            raise Rejected("asked for too long ago")
        sent = await self._send(message)
        failpoint("send.after_send")
        return sent.message_id

    async def put_back(self, message: Resend, again: PutBack) -> None:
        await self.pool.execute(
            """
            UPDATE result_sends
               SET due_at = photomat_now() + $3::interval, left_at = NULL, attempts = attempts - CASE WHEN $4 THEN 0 ELSE 1 END
             WHERE send_id = $1 AND left_at = $2 AND outcome IS NULL
            """,
            message.send_id,
            message.left_at,
            again.after,
            again.is_counted,
        )
        log.info("RESEND_RETRY", position=message.position, attempt=message.attempts, error=str(again.error))

    async def record(self, message: Resend, ending: Ending) -> None:
        """Record that it was sent or refused; for an unknown outcome the claim's record stands."""
        if ending.outcome is Outcome.UNKNOWN:
            log.warning("RESENT", position=message.position, sent="unknown", error=ending.reason)
        elif ending.outcome is Outcome.SENT:
            await self._end(message, ending, outcome="sent")
            log.info("RESENT", position=message.position, sent=True)
        else:
            await self._end(message, ending, outcome="refused")
            log.warning("RESENT", position=message.position, sent=False, error=ending.reason)

    async def _end(self, asked: Resend, ending: Ending, *, outcome: str) -> None:
        async with transaction(self.pool) as tx:
            is_ours = await tx.fetchval(
                """
                UPDATE result_sends SET outcome = $3, message_id = $4, error = $5
                 WHERE send_id = $1 AND left_at = $2
                RETURNING true
                """,
                asked.send_id,
                asked.left_at,
                outcome,
                ending.message_id,
                ending.reason,
            )
            if is_ours:
                place, message_id = asked.position + 1, ending.message_id
                await timeline.record(tx, asked.job_id, Tag.RESENT, file=place, outcome=outcome, message_id=message_id)

    async def _send(self, asked: Resend) -> Sent:
        found = await outputs.outputs_of(self.pool, asked.job_id)
        if asked.album is not None:
            return await self._together(asked, [each for each in found if each.position in asked.album])
        output = next((one for one in found if one.position == asked.position), None)
        if output is None:
            return await self._whole_text(asked)
        if output.file_id is None or asked.as_file:
            output = await self.archive.try_copy(output)
        copy = await self.archive.find(output)
        is_left = copy is not None or not asked.is_gone_at_kie or output.file_id is None
        if is_left or not asked.as_file:
            return await self._file(asked, output, self._caption(asked, output, len(found)))
        shown = replace(asked, as_file=False)
        gone = reason_text(self.texts, asked.language, FallbackReason.ORIGINAL_GONE)
        return await self._file(shown, output, self._caption(shown, output, len(found)) + gone)

    async def _together(self, asked: Resend, files: Sequence[Output]) -> Sent:
        """The originals in one album; those it cannot take as links below it."""
        kept = [await self.archive.try_copy(output) for output in files]
        album = await self._album(kept)
        left = [output for output in kept if output.position not in album]
        items, caption = list(album.values()), self._caption(asked, None, 1)
        text = caption + await self._links(asked, left)
        try:
            async with self.archive.noticing_damage(*kept):
                if len(items) > 1:
                    message_id = await self.messenger.send_album(asked.chat_id, items, text)
                    return Sent(message_id=message_id, file_id=None)
                if items:
                    return await self.messenger.send_media(asked.chat_id, items[0], text)
        except (SourceRefused, PhotoRefused, CallRefused) as error:
            log.info("DELIVER_STEP_DOWN", level="bytes", media="album", reason=type(error).__name__)
        return await self._text(asked, caption + await self._links(asked, kept))

    async def _album(self, files: Sequence[Output]) -> dict[int, Media]:
        """What goes into the album, by position: one upload takes so much, and a file may be out of reach."""
        found: dict[int, Media] = {}
        size_bytes = 0
        for output in files:
            copy = await self.archive.find(output)
            way = next(iter(originals_of(output, copy, limits=self.limits)), None)
            if way is not None and size_bytes + (output.size_bytes or 0) <= self.limits.upload_bytes:
                found[output.position] = way.media
                size_bytes += output.size_bytes or 0
        return found

    async def _links(self, asked: Resend, files: Sequence[Output]) -> str:
        ways = [(each, self.links.to(each, is_kept=await self.archive.find(each) is not None)) for each in files]
        links = [f'<a href="{html.escape(way.url)}">№ {each.position + 1}</a>' for each, way in ways if is_link(way)]
        return "\n\n" + self.texts.say(asked.language, "original-links", links=", ".join(links)) if links else ""

    async def _whole_text(self, asked: Resend) -> Sent:
        """A result without a file: as a message, or whole as a file of text."""
        text = readable(asked.result_object or {}, self.texts.speaker(asked.language))
        if not asked.as_file:
            shown = html.escape(cut(text, MAX_READ_LENGTH))
            return await self._text(asked, f"{self._caption(asked, None, 1)}\n\n{shown}".rstrip())
        name = f"photomat-{asked.job_id}.txt"
        media = Media(kind=MediaKind.DOCUMENT, source=(text or "—").encode(), name=name, as_is=True)
        return await self.messenger.send_media(asked.chat_id, media, self._caption(asked, None, 1))

    async def _file(self, asked: Resend, output: Output, caption: str) -> Sent:
        for fallback in await self._fallbacks(asked, output):
            text = caption + reason_text(self.texts, asked.language, fallback.why, limits=self.limits)
            try:
                async with self.archive.noticing_damage(output):
                    sent = await self.messenger.send_media(asked.chat_id, fallback.media, text)
            except (SourceRefused, PhotoRefused, CallRefused) as error:
                if not fallback.allows_next(error):
                    raise
                log.info(
                    "DELIVER_STEP_DOWN", level=fallback.level, media=fallback.media.kind, reason=type(error).__name__
                )
                continue
            if sent.file_id is not None and not asked.as_file:
                await outputs.record_file_id(self.pool, output, media=fallback.media.kind, file_id=sent.file_id)
            return sent
        reason = link_reason(output, is_too_large=False, limits=self.limits)
        why = reason_text(self.texts, asked.language, reason, limits=self.limits)
        way = self.links.to(output, is_kept=await self.archive.find(output) is not None)
        return await self._text(asked, caption + why + link_text(self.texts, asked.language, way))

    async def _fallbacks(self, asked: Resend, output: Output) -> list[Fallback]:
        copy = await self.archive.find(output)
        if asked.as_file:
            return originals_of(output, copy, limits=self.limits)
        part = part_in_words(output.title, self.texts.speaker(asked.language))
        performer = self._bought(asked).name(asked.language)
        label = await self.archive.label_of(output, title=part, performer=performer)
        return fallbacks_of(output, copy, label=label, limits=self.limits)

    async def _text(self, asked: Resend, text: str) -> Sent:
        message_id = await self.messenger.send_text(asked.chat_id, text, reply_to=None)
        return Sent(message_id=message_id, file_id=None)

    def _caption(self, asked: Resend, output: Output | None, count: int) -> str:
        say, bought = self.texts.speaker(asked.language), self._bought(asked)
        place = f" · {asked.position + 1}/{count}" if count > 1 else ""
        model = f"{html.escape(bought.name(asked.language))}{place}"
        part = part_in_words(output.title, say) if output else None

        def sentence(inputs: str) -> str:
            if not asked.as_file:
                return say("resent", model=model, inputs=inputs)
            return say("original" if output or asked.album else "original-text", model=model, inputs=inputs)

        mark = ai_mark(self.mark(), say)
        return captioned(sentence, bought, part=part, language=asked.language, say=say, mark=mark).rstrip()

    def _bought(self, asked: Resend) -> CardOrder:
        return CardOrder(
            title=asked.title,
            model_id=asked.model,
            inputs=asked.inputs,
            result_object=asked.result_object,
            model=self.model_of(asked.model),
        )
