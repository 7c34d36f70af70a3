"""The world on disk: one JSON file, with the bytes of files in a folder beside it.

After a stop that was not clean some numbers may have been handed out and not saved; loading then skips ahead, so
that message, update and file ids always go on rising.
"""

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from photomat_sandbox.telegram.files import StoredFile
from photomat_sandbox.telegram.media import ChatMedia
from photomat_sandbox.telegram.messages import ChatMessage, restored_block
from photomat_sandbox.telegram.people import ChatPerson
from photomat_sandbox.telegram.stars import StarBill, StarCharge, StarSubscription
from photomat_sandbox.telegram.updates import Update, WebhookSettings
from photomat_sandbox.telegram.world import TelegramWorld

SKIPPED_AFTER_A_CRASH: Final = 1000


def files_folder_of(state_file: Path) -> Path:
    return state_file.with_name(state_file.name + ".files")


def save_state(world: TelegramWorld, state_file: Path, *, clean: bool) -> None:
    """Write the world atomically: a crash leaves the old file intact."""
    state = {
        "clean": clean,
        "bot_id": world.bot.user_id,
        "next_message_id": world.next_message_id,
        "next_album_id": world.next_album_id,
        "next_update_id": world.updates.next_id,
        "allowed_updates": world.updates.allowed,
        "updates": [asdict(update) for update in world.updates.pending.values()],
        "webhook": asdict(world.webhook),
        "people": [asdict(person) for person in world.people.values()],
        "messages": [asdict(message) for message in world.messages.values()],
        "files": [asdict(file) for file in world.files.files.values()],
        "media": [asdict(media) for media in {m.number: m for m in world.media_by_number.values()}.values()],
        "charges": [asdict(charge) for charge in world.stars.charges],
        "subscriptions": [asdict(one) for one in world.stars.subscriptions.values()],
        "bills": [asdict(bill) for bill in world.bills.values()],
        "commands": world.commands,
        "names": world.names,
    }
    state_file.parent.mkdir(parents=True, exist_ok=True)
    fresh = state_file.with_name(state_file.name + ".new")
    fresh.write_text(json.dumps(state, ensure_ascii=False), encoding="utf-8")
    fresh.replace(state_file)


def load_state(world: TelegramWorld, state_file: Path) -> None:
    """Restore a new world from the file; a missing file, or another bot's, leaves it empty."""
    world.files.folder = files_folder_of(state_file)
    if not state_file.is_file():
        return
    state = json.loads(state_file.read_text(encoding="utf-8"))
    if state["bot_id"] != world.bot.user_id:
        return
    skipped = 0 if state["clean"] else SKIPPED_AFTER_A_CRASH
    world.next_message_id = state["next_message_id"] + skipped
    world.next_album_id = state["next_album_id"] + skipped
    world.updates.next_id = state["next_update_id"] + skipped
    world.updates.allowed = state["allowed_updates"]
    world.updates.pending = {row["update_id"]: Update(**row) for row in state["updates"]}
    world.webhook = WebhookSettings(**state["webhook"])
    world.people = {row["user_id"]: ChatPerson(**row) for row in state["people"]}
    for row in state["files"]:
        world.files.restore(StoredFile(**row))
    world.files.next_number += skipped
    for row in state["media"]:
        world.remember(ChatMedia.restored(row))
    for row in state["messages"]:
        world.keep(_message(row))
    world.stars.charges = [StarCharge(**row) for row in state["charges"]]
    # Files of older versions know neither of these two.
    world.stars.subscriptions = {row["charge_id"]: StarSubscription(**row) for row in state.get("subscriptions", [])}
    world.bills = {row["link"]: StarBill(**row) for row in state.get("bills", [])}
    world.commands, world.names = state["commands"], state["names"]
    if name := world.names.get("name", {}).get(""):
        world.bot.first_name = name


def _message(row: dict[str, Any]) -> ChatMessage:
    media = ChatMedia.restored(row["media"]) if row["media"] else None
    return ChatMessage(**{**row, "media": media, "rich": tuple(restored_block(block) for block in row.get("rich", ()))})
