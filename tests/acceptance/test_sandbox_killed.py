"""The sandbox is killed while a picture is being made, the bot alone or everything: the picture comes and is paid once."""

import os
import signal
from pathlib import Path
from typing import Any

import aiohttp

from support.http_chat import Chat
from support.instance import Instance, start_instance
from support.patience import until, until_found
from support.ports import free_ports_in_a_row

KIE_S = 6.0
"""Long enough to be killed in between on a busy machine; the story holds for any length."""


async def test_everything_is_killed_and_the_picture_comes_after_the_next_start(tmp_path: Path) -> None:
    port = free_ports_in_a_row(3)
    first = await _sandbox(tmp_path, port, "first")
    async with _telegram(port) as telegram:
        chat = await _customer(telegram, first)
        before = await _balance(chat)
        await _buys(chat, port)
        for pid in [first.pid, *_children(first.pid)]:
            os.kill(pid, signal.SIGKILL)
        await first.ends()
    again = await _sandbox(tmp_path, port, "again")
    try:
        async with _telegram(port) as telegram:
            chat = Chat(telegram, chat.user_id, again.log_file)
            await _gets_one_picture(chat, before=before)
    finally:
        again.send(signal.SIGINT)
        assert await again.ends() == 0


async def test_a_visitor_kills_the_bot_and_gets_the_picture(tmp_path: Path) -> None:
    port = free_ports_in_a_row(3)
    sandbox = await _sandbox(tmp_path, port, "sandbox")
    try:
        async with _telegram(port) as telegram:
            chat = await _customer(telegram, sandbox)
            before = await _balance(chat)
            await _buys(chat, port)
            bot = await _bot(telegram)
            killed = await telegram.post("/sandbox/bot/kill")
            assert killed.status == 200
            await until(lambda: not Path(f"/proc/{bot['pid']}").exists())

            async def restarted() -> dict[str, Any] | None:
                now = await _bot(telegram)
                return now if now["pid"] else None

            now = await until_found(restarted, about=lambda: sandbox.log[-4000:])
            assert (now["starts"], now["pid"] != bot["pid"]) == (2, True)
            await _gets_one_picture(chat, before=before)
            assert "[SANDBOX_BOT_KILLED]" in sandbox.log
    finally:
        sandbox.send(signal.SIGINT)
        assert await sandbox.ends() == 0


async def test_the_simulators_are_killed_and_come_back_with_the_chat(tmp_path: Path) -> None:
    port = free_ports_in_a_row(3)
    sandbox = await _sandbox(tmp_path, port, "sandbox")
    try:
        async with _telegram(port) as telegram:
            chat = await _customer(telegram, sandbox)
            before = await _balance(chat)
            await _buys(chat, port)
            (simulators,) = [pid for pid in _children(sandbox.pid) if "photomat_sandbox" in _command(pid)]
            os.kill(simulators, signal.SIGKILL)
            await sandbox.says("SIMULATORS_RESTARTED")
            await _gets_one_picture(chat, before=before)
    finally:
        sandbox.send(signal.SIGINT)
        assert await sandbox.ends() == 0


async def _sandbox(folder: Path, port: int, name: str) -> Instance:
    environment = {"PORT": str(port), "DATA_DIR": str(folder / "var")}
    instance = start_instance(environment, folder=folder, name=name)
    await until(lambda: "Chat page" in instance.log or not instance.alive, about=lambda: instance.log)
    assert instance.alive, instance.log
    return instance


def _telegram(port: int) -> aiohttp.ClientSession:
    return aiohttp.ClientSession(f"http://127.0.0.1:{port + 1}")


async def _customer(telegram: aiohttp.ClientSession, instance: Instance) -> Chat:
    person = await (await telegram.post("/sandbox/people", json={"first_name": "Анна"})).json()
    chat = Chat(telegram, person["user_id"], instance.log_file)
    await chat.says("/start")
    return chat


async def _buys(chat: Chat, port: int) -> None:
    """Order at a slow Kie and wait until the task is there and saved by both sides."""
    async with aiohttp.ClientSession(f"http://127.0.0.1:{port + 2}") as kie:
        await kie.post("/sandbox/settings", json={"seconds_to_success": KIE_S})
        await chat.buys_a_picture("кот-космонавт")

        async def ordered() -> dict[str, Any] | None:
            tasks = (await (await kie.get("/sandbox/tasks")).json())["tasks"]
            return tasks[0] if tasks else None

        task = await until_found(ordered)
        assert task["state"] in {"waiting", "generating"}


async def _gets_one_picture(chat: Chat, *, before: int) -> None:
    await chat.sees(is_ordered)
    await chat.sees(lambda message: message["text"] == "✅ Генерация завершена")
    after = await _balance(chat)
    assert before - after == 64, "charged once"
    assert sum(map(is_ordered, await chat.messages())) == 1


def is_ordered(message: dict[str, Any]) -> bool:
    """Whether a message is the ordered picture; the example above the menu is one too."""
    return message["kind"] == "photo" and "Z-Image" in (message["caption"] or "") and "₽" in message["caption"]


async def _balance(chat: Chat) -> int:
    """What /balance says is available, in kopecks."""
    newest = max((message["message_id"] for message in await chat.messages()), default=0)
    await chat.says("/balance")
    answer = await chat.sees(lambda message: message["message_id"] > newest and "Доступно:" in (message["text"] or ""))
    roubles, _, kopecks = answer["text"].partition("Доступно:")[2].split("₽")[0].partition(",")
    return int("".join(filter(str.isdigit, roubles))) * 100 + int(kopecks.strip() or 0)


async def _bot(telegram: aiohttp.ClientSession) -> dict[str, Any]:
    return dict(await (await telegram.get("/sandbox/bot")).json())


def _children(pid: int) -> list[int]:
    return [int(word) for word in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _command(pid: int) -> str:
    return Path(f"/proc/{pid}/cmdline").read_text()
