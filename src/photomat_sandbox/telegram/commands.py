"""Which command list a person sees: the narrowest scope wins, then their language."""

import json

from photomat_sandbox.telegram.errors import JsonObject
from photomat_sandbox.telegram.people import Person
from photomat_sandbox.telegram.world import TelegramWorld


def commands_for(world: TelegramWorld, person: Person) -> list[JsonObject]:
    """Give the commands of the person's menu."""
    scopes: tuple[tuple[str, int | str | None], ...] = (
        ("chat", person.user_id),
        ("all_private_chats", None),
        ("default", None),
    )
    for scope, chat_id in scopes:
        for language in (person.language_code, ""):
            found = world.commands.get(json.dumps([scope, chat_id, language]))
            if found:
                return found
    return []
