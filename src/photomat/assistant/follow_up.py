"""Words that change an order already on its card: «а лучше собака» replaces, «добавь шляпу» adds. Pure."""

import re
from typing import Final

FILLERS: Final = re.compile(
    r"^(?:(?:а|нет|не|ой|ну|лучше|давай|теперь|пусть|будет|вместо этого|вместо него|хочу|no|nope|actually|rather|better|instead"
    r"|make it|let it be|i want)\b[\s,.:—-]*)+",
    re.IGNORECASE,
)
"""What people say before they change their mind."""

ADDS: Final = re.compile(
    r"^(?:и|ещё|еще|добавь(?:те)?|добавить|плюс|также|а также|с|со|без|но|только|чтобы"
    r"|and|also|add|plus|with|without|but|more|less)\b",
    re.IGNORECASE,
)
"""How a remark begins that adds to what was said."""


def changed_words(before: str, said: str) -> str:
    """The description after a remark about it; a remark without anything in it changes nothing."""
    remark = FILLERS.sub("", said.strip()).strip()
    if not remark:
        return before
    return f"{before}, {remark}" if before and ADDS.match(remark) else remark
