"""The operator at their phone: decides about receipts by the buttons under them, twice now and then, by the plan."""

import asyncio
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from photomat_chaos.lab.phone import PATIENCE_S, NothingComes, Phone, Place, minor_in, text_of
from photomat_chaos.money.plan import Act, rulings
from photomat_chaos.money.square import Square, in_words
from photomat_sandbox.telegram.person_acts import ImpossibleError

NUMBER: Final = re.compile(r"чек(?:е)? № (\d+)", re.IGNORECASE)
FLAGGED: Final = "⚠️ Зачислить"
APPROVE: Final = ("✅ Зачислить", FLAGGED)
ANYWAY, OTHER_SUM, DECLINE, REASON = "⚠️ Всё равно", "✏️ Другая сумма", "❌ Отклонить", "Перевод не пришёл"
INSISTS: Final = 0.4
LOOKS_BACK: Final = 400
LIST_EVERY: Final = 30
PAUSE_S: Final = 0.4


@dataclass(slots=True, kw_only=True)
class Desk:
    """Who decides, and which messages they have decided on."""

    square: Square
    phone: Phone
    _had: set[int] = field(default_factory=set)

    async def work_until_over(self, seed: int) -> None:
        """Decide about one receipt after the other; ask for the list now and then, for a message may be lost."""
        self.phone.write("/start")
        for turn, act in enumerate(rulings(seed), 1):
            if self.square.over.is_set():
                return
            await asyncio.sleep(act.after_s)
            try:
                if not await self.decide(act):
                    await asyncio.sleep(PAUSE_S)
            except (NothingComes, ImpossibleError):
                self.square.done["receipts not answered about"] += 1
            if turn % LIST_EVERY == 0:
                self.phone.write("/receipts")

    async def decide(self, act: Act) -> bool:
        """Decide about the oldest message that was not decided on; False when there is none."""
        found = next(self._undecided(), None)
        if found is None:
            return False
        message_id, number, amount = found
        self._had.add(message_id)
        doubtful = bool(self._on(message_id, FLAGGED)) and act.how >= INSISTS
        ruling = "decline" if doubtful else act.kind
        match ruling:
            case "decline":
                await self._decline(message_id, number)
            case "other sum":
                await self._another_sum(message_id, number)
            case _:
                await self._approve(message_id, number, amount, act)
        self.square.done[f"receipts: {ruling}"] += 1
        return True

    def _undecided(self) -> Iterator[tuple[int, int, int]]:
        """Messages about receipts that wait: message, number, sum."""
        last = next(reversed(self.phone.world.chats[self.phone.person.user_id]), 0)
        for seen in self.phone.seen(last - LOOKS_BACK):
            message_id, said = int(seen["message_id"]), text_of(seen)
            number = NUMBER.search(said)
            if number and message_id not in self._had and self._on(message_id, *APPROVE):
                yield message_id, int(number[1]), minor_in(self._on(message_id, *APPROVE)[0][1]["text"]) or 0

    async def _approve(self, message_id: int, number: int, amount: int, act: Act) -> None:
        button = self._on(message_id, *APPROVE)[0]
        self.square.wishes[number].add(amount)
        for _ in range(2 if act.kind == "approve twice" else 1):
            self.phone.tap(*button)
        if act.how < INSISTS:
            doubts = await self.phone.soon(lambda: self._about(ANYWAY, number, message_id), within_s=1.0)
            if doubts:
                self.phone.tap(*doubts[-1])
                self.square.done["receipts credited anyway"] += 1

    async def _another_sum(self, message_id: int, number: int) -> None:
        self.phone.tap(*self._on(message_id, OTHER_SUM)[0])
        await self.phone.reads(f"Чек № {number} на", message_id)
        minor = self.square.a_sum(7_000)
        self.square.wishes[number].add(minor)
        self.phone.write(in_words(minor))

    async def _decline(self, message_id: int, number: int) -> None:
        self.phone.tap(*self._on(message_id, DECLINE)[0])
        reasons = await self.phone.soon(lambda: self._about(REASON, number, message_id), within_s=PATIENCE_S)
        if reasons:
            self.square.wishes[number].add(None)
            self.phone.tap(*reasons[-1])

    def _on(self, message_id: int, *labels: str) -> list[Place]:
        """The buttons under one message that begin so."""
        return [one for label in labels for one in self.phone.buttons(label, message_id - 1) if one[0] == message_id]

    def _about(self, label: str, number: int, since: int) -> list[Place]:
        """The buttons under later messages that speak of this receipt."""
        speaking = {seen["message_id"] for seen in self.phone.seen(since) if f"№ {number}" in text_of(seen)}
        return [one for one in self.phone.buttons(label, since) if one[0] in speaking]
