"""Who takes part: the one bot, and the people who may talk to it."""

from dataclasses import dataclass

from photomat_sandbox.telegram.errors import JsonObject


@dataclass(slots=True, kw_only=True)
class BotProfile:
    user_id: int
    first_name: str
    username: str

    def as_user(self) -> JsonObject:
        return {
            "id": self.user_id,
            "is_bot": True,
            "first_name": self.first_name,
            "username": self.username,
        }

    def as_me(self) -> JsonObject:
        """Return the bot as getMe shows it."""
        return {
            **self.as_user(),
            "can_join_groups": True,
            "can_read_all_group_messages": False,
            "supports_inline_queries": False,
            "can_connect_to_business": False,
            "has_main_web_app": False,
        }


@dataclass(slots=True, kw_only=True)
class ChatPerson:
    """One customer or operator; `started` becomes true with the first thing they send: then the bot may write."""

    user_id: int
    first_name: str
    username: str | None = None
    language_code: str = "ru"
    started: bool = False
    blocked: bool = False
    deactivated: bool = False
    reply_keyboard: list[list[JsonObject]] | None = None
    keyboard_options: JsonObject | None = None
    pinned: list[int] | None = None
    is_operator: bool = False

    def as_user(self) -> JsonObject:
        user: JsonObject = {
            "id": self.user_id,
            "is_bot": False,
            "first_name": self.first_name,
            "language_code": self.language_code,
        }
        if self.username:
            user["username"] = self.username
        return user

    def as_chat(self) -> JsonObject:
        chat: JsonObject = {"id": self.user_id, "type": "private", "first_name": self.first_name}
        if self.username:
            chat["username"] = self.username
        return chat

    def as_control(self) -> JsonObject:
        """Return the person as the sandbox's own routes show them."""
        return {
            "user_id": self.user_id,
            "first_name": self.first_name,
            "username": self.username,
            "language_code": self.language_code,
            "is_operator": self.is_operator,
        }
