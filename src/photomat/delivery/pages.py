"""Pages of the history with their media: the message is edited in place, or sent again where that cannot be.

A page is no card: it is shown from Telegram's own file, else from our copy, and Kie is not asked for it. A message with media
cannot become a text, so such a page is a new message. A new message is a text that is then edited into the media: media are
never sent, so a lost answer leaves at worst a stray text with the same buttons.
"""

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from photomat.delivery.archive import ResultArchive
from photomat.delivery.caption import ai_mark
from photomat.delivery.fallbacks import NO_LINKS, Fallback, Label, ResultLinks, fallbacks_of, link_reason
from photomat.delivery.outputs import Output
from photomat.delivery.render import CardView
from photomat.delivery.sender import link_text, reason_text
from photomat.kernel.ids import ChatId, MessageId
from photomat.storage.errors import CopyLost, StoreUnavailable
from photomat.telegram.limits import CLOUD, BotApiLimits
from photomat.telegram.port import CallRefused, Card, CardGone, CardIsMedia, Messenger, PhotoRefused, SourceRefused
from photomat.texts.load import Texts

NOT_EDITABLE: Final = (CardGone, CardIsMedia)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPages:
    messenger: Messenger
    archive: ResultArchive
    texts: Texts
    links: ResultLinks = NO_LINKS
    limits: BotApiLimits = CLOUD
    mark: str = ""

    async def show(
        self, chat_id: ChatId, view: CardView, *, language: str, instead_of: MessageId | None = None
    ) -> MessageId:
        """Show a page in place of a message of ours, or as a new one; return the message that shows it."""
        if instead_of is not None:
            try:
                await self._edit(Card(chat_id=chat_id, message_id=instead_of), view, language)
            except NOT_EDITABLE:
                pass
            else:
                return instead_of
        slot = await self.messenger.send_text(chat_id, view.text, reply_to=None, keyboard=view.keyboard)
        if view.output is not None:
            with suppress(*NOT_EDITABLE):
                await self._edit(Card(chat_id=chat_id, message_id=slot), view, language)
        return slot

    async def _edit(self, place: Card, view: CardView, language: str) -> None:
        for way in await self._ways(view):
            caption = self._marked(view, language) + reason_text(self.texts, language, way.why, limits=self.limits)
            try:
                await self.messenger.edit_media(place, way.media, caption, view.keyboard)
            except (SourceRefused, PhotoRefused, CallRefused, CopyLost, StoreUnavailable):
                continue
            return
        missing = await self._missing(view.output, language) if view.output is not None else ""
        await self.messenger.edit_text(place, view.text + missing, view.keyboard)

    def _marked(self, view: CardView, language: str) -> str:
        mark = ai_mark(self.mark, self.texts.speaker(language))
        return f"{view.text}\n\n{mark}" if mark else view.text

    async def _ways(self, view: CardView) -> list[Fallback]:
        if view.output is None:
            return []
        label = Label(title=view.part, performer=view.model or None)
        copy = await self.archive.try_find(view.output)
        return fallbacks_of(view.output, copy, label=label, limits=self.limits)

    async def _missing(self, output: Output, language: str) -> str:
        """Why there is no picture, and where it may still be."""
        way = self.links.to(output, is_kept=await self.archive.try_find(output) is not None)
        reason = link_reason(output, is_too_large=False, limits=self.limits)
        why = reason_text(self.texts, language, reason, limits=self.limits)
        return why + link_text(self.texts, language, way)
