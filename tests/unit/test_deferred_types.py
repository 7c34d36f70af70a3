"""aiogram imported with its validators built on first use: every type and method can still be used."""

import subprocess
import sys

STORY = """
from photomat.telegram.deferred_types import import_aiogram
import_aiogram()
from aiogram import methods, types
from aiogram.methods.base import Response, TelegramMethod

assert not types.InlineQueryResultGame.__pydantic_complete__, "everything was built at once"
chat = {"id": 1, "type": "private"}
message = {"message_id": 1, "date": 1, "chat": chat, "text": "hi", "entities": [{"type": "bold", "offset": 0, "length": 2}]}
update = types.Update.model_validate({"update_id": 1, "message": {**message, "reply_to_message": message}})
assert update.message.reply_to_message.entities[0].type == "bold"
assert types.InlineQueryResultGame(id="1", game_short_name="x").model_dump()["type"] == "game"
sent = methods.SendMessage(chat_id=1, text="hi", reply_markup=types.InlineKeyboardMarkup(inline_keyboard=[]))
assert sent.reply_markup.inline_keyboard == []
assert Response[types.Message].model_validate({"ok": True, "result": message}).result.chat.id == 1
kinds = [getattr(types, name) for name in types.__all__]
calls = [getattr(methods, name) for name in methods.__all__]
calls = [each for each in calls if issubclass(each, TelegramMethod) and each is not TelegramMethod]
for kind in [*(each for each in kinds if hasattr(each, "model_rebuild")), *calls]:
    kind.model_rebuild()
    assert kind.__pydantic_complete__, kind
print(len(calls))
"""


def test_every_type_and_method_of_the_bot_api_works_when_built_on_first_use() -> None:
    done = subprocess.run([sys.executable, "-c", STORY], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > 150
