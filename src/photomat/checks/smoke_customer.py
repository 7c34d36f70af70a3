"""A customer of the smoke test: says and taps in the simulated Telegram, and looks at the screen."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from photomat.checks.smoke_shop import Shop

RING: Final = "✅ Генерация завершена"
NO_BREAK_SPACE: Final = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """One person with Telegram on their phone."""

    shop: Shop
    user_id: int

    @property
    def chat(self) -> str:
        """Where this person's acts are ordered."""
        return f"{self.shop.telegram_url}/sandbox/chats/{self.user_id}"

    async def says(self, text: str) -> int:
        """Write to the bot; give the message's id."""
        message = await self.shop.order(f"{self.chat}/text", text=text)
        return int(message["message_id"])

    async def screen(self) -> list[Mapping[str, Any]]:
        """What the bot has written, as it looks now."""
        messages = (await self.shop.ask(self.chat))["messages"]
        return [message for message in messages if message["from"] == "bot"]

    async def sees(self, text: str, *, after: int = 0) -> Mapping[str, Any]:
        """Wait for a message that contains the text."""

        async def found() -> Mapping[str, Any] | None:
            return next((one for one in await self.screen() if one["message_id"] > after and text in words(one)), None)

        return await self.shop.until(found, f"A message with «{text}»")

    async def taps(self, label: str, *, after: int) -> int:
        """Wait for a button on a message younger than `after`, press it, give its message."""

        async def found() -> tuple[int, str] | None:
            return next(
                (
                    (message["message_id"], button["callback_data"])
                    for message in await self.screen()
                    if message["message_id"] > after
                    for row in message["inline_keyboard"] or []
                    for button in row
                    if button["text"].startswith(label)
                ),
                None,
            )

        message_id, data = await self.shop.until(found, f"The button [{label}]")
        await self.shop.order(f"{self.chat}/tap", message_id=message_id, data=data)
        return message_id

    async def buys(self) -> int:
        """From /start to the tap on [Create]; give the card's message."""
        start = await self.says("/start")
        await self.taps("🖼 Создать картинку", after=start)
        await self.taps("Z-Image", after=start)
        await self.shop.until(self._is_asked, "The question for a prompt")
        said = await self.says("кот-космонавт")
        await self.taps("1:1", after=said)
        return await self.taps("✅ Создать", after=said)

    async def pictures(self) -> list[Mapping[str, Any]]:
        """The pictures on the screen."""
        return [message for message in await self.screen() if message["kind"] == "photo"]

    async def rings(self) -> int:
        """How often the phone rang."""
        return sum(words(message) == RING for message in await self.screen())

    async def _is_asked(self) -> bool | None:
        asked = await self.shop.pool.fetchval(
            "SELECT true FROM conversations WHERE user_id = $1 AND state IS NOT NULL", self.user_id
        )
        return True if asked else None


async def a_customer(shop: Shop) -> Customer:
    """Somebody new."""
    person = await shop.order(f"{shop.telegram_url}/sandbox/people", first_name="Smoke", language_code="ru")
    return Customer(shop=shop, user_id=person["user_id"])


def words(message: Mapping[str, Any]) -> str:
    """The text or caption, with plain spaces."""
    return str(message["text"] or message["caption"] or "").replace(NO_BREAK_SPACE, " ")
