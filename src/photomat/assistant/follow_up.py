"""Words that change an order already on its card: «а лучше собака» replaces, «добавь шляпу» adds. Pure."""

import re
from typing import Final

from photomat.assistant.meaning import ABOUT_PHOTO, is_question, is_small_talk
from photomat.assistant.vocabulary import read_words
from photomat.catalog.input import FileKind

FILLERS: Final = re.compile(
    r"^(?:(?:а|нет|не|ой|ну|лучше|давай|теперь|пусть|будет|вместо этого|вместо него|хочу|no|nope|actually|rather|better|instead"
    r"|make it|let it be|i want)\b[\s,.:—-]*)+",
    re.IGNORECASE,
)
"""What people say before they change their mind."""

AFTERTHOUGHT: Final = re.compile(
    r"[\s,]+(?:instead|rather|please|вместо (?:этого|него|неё|нее)|пожалуйста)[\s.!]*$", re.IGNORECASE
)
"""What they say after it."""

BARE: Final = re.compile(
    r"(?:(?:сделай(?:те)?|сделать|его|её|ее|это|их|всё|все|картинку|фото|видео|песню|штук[аи]?|вариант(?:а|ов)?"
    r"|make|do|it|this|that|them|the|a|picture|image|photo|video|song|please|of)\b[\s,.!]*)+",
    re.IGNORECASE,
)
"""What is left of a remark that only states a setting: «make it vertical», «сделай 4 штуки»."""

ADDS: Final = re.compile(
    r"^(?:(?:и|ещё|еще|добавь(?:те)?|добавить|плюс|также|а также|с|со|без|но|только|чтобы"
    r"|and|also|add|plus|with|without|but|more|less)\b"
    r"|(?:в|in)\b.{0,40}\b(?:стил\w+|style)\b|стиль\b|(?:[\w-]+ ){1,3}style$"
    r"|(?:на|on)\b.{0,30}\b(?:фоне|background)\b"
    r"|(?:сделай(?:те)? )?(?:(?:чуть|немного|по)[ -]?)?"
    r"(?:\w+ее|ярче|тише|громче|мягче|ч[её]тче|резче|больше|меньше|выше|ниже|шире|проще)\b"
    r"|(?:a bit |slightly )?(?:brighter|darker|bigger|smaller|louder|softer|sadder|happier|faster|slower|warmer|colder)\b)",
    re.IGNORECASE,
)
"""How a remark begins that adds to what was said."""

PRICES: Final = re.compile(
    r"\bсто(?:ит|ят|ить)\b|\bстоимост|\bцен[аыу]\b|\bпрайс|\bтариф|\bпоч[её]м\b|\bhow much\b|\bprices?\b|\bpricing\b",
    re.IGNORECASE,
)
"""Asked only of a message that is no wish."""

ABOUT_US: Final = re.compile(
    r"\bсто(?:ит|ят|ить)\b|\bцен[аыу]\b|\bденьг|\bбаланс|\bзаказ|^где мо|\bhow much\b|\bprice|\bmoney\b|\brefund|\bmy order",
    re.IGNORECASE,
)
"""What a question about a photo has not."""


CONTINUED: Final = 4000
"""Telegram splits a text of about this length: what follows it is its rest."""


def changed_words(before: str, said: str) -> str:
    """The description after a remark about it; a remark without anything in it changes nothing."""
    if len(before) >= CONTINUED and said.strip():
        return f"{before} {said.strip()}"
    remark = AFTERTHOUGHT.sub("", FILLERS.sub("", said.strip())).strip()
    if not remark or (before and BARE.fullmatch(remark)):
        return before
    return f"{before}, {remark}" if before and ADDS.match(remark) else remark


def asks_price(said: str) -> bool:
    """Whether the user wants to know what things cost."""
    return PRICES.search(said) is not None


def is_aside(said: str, *, about: FileKind | None) -> bool:
    """Whether words are no remark about a card: thanks, or a question that is not about the photo on it."""
    words, asks = read_words(said), said.rstrip().endswith("?")
    if not words or (is_small_talk(words) and not (about and asks)):
        return True
    is_about_file = about == "image" and (not asks or words[0].plain in ABOUT_PHOTO)
    return is_question(words, said) and (not is_about_file or ABOUT_US.search(said) is not None)
