"""Files of a local Bot API server are read below its folder only, whatever path the server names."""

import os
from pathlib import Path
from typing import Final

import pytest

from photomat.telegram.local_folder import LocalFolder, OutsideFolder

BOT: Final = "42:SECRET"
SERVER: Final = "/var/lib/telegram-bot-api"


@pytest.fixture
def folder(tmp_path: Path) -> LocalFolder:
    """The folder as it is mounted here, with files of two bots, the server's keys and a secret beside it."""
    mounted = tmp_path / "mounted"
    for name in (
        f"{BOT}/videos/a.mp4",
        f"{BOT}/temp/0",
        f"{BOT}/td.binlog",
        "43:OTHER/videos/a.mp4",
        f"{BOT}/videos/.hidden",
    ):
        path = mounted / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(name.encode())
    (tmp_path / "secret").write_bytes(b"secret")
    (tmp_path / "secrets").mkdir()
    (tmp_path / "secrets" / "a.mp4").write_bytes(b"secret")
    videos = mounted / BOT / "videos"
    (videos / "link.mp4").symlink_to(tmp_path / "secret")
    (videos / "inner.mp4").symlink_to(videos / "a.mp4")
    (mounted / BOT / "photos").symlink_to(tmp_path / "secrets")
    (mounted / "42:LINK").symlink_to(tmp_path)
    os.mkfifo(videos / "pipe")
    (videos / "folder").mkdir()
    return LocalFolder(mounted, bot_id=42)


@pytest.mark.parametrize("server", [SERVER, "/data", "/a/../b", ""])
def test_a_file_of_the_bot_is_read_wherever_the_server_has_its_folder(folder: LocalFolder, server: str) -> None:
    with folder.opened(f"{server}/{BOT}/videos/a.mp4") as file:
        assert file.read() == f"{BOT}/videos/a.mp4".encode()
    assert folder.to_local(f"{server}/{BOT}/videos/a.mp4") == folder.folder / BOT / "videos" / "a.mp4"


@pytest.mark.parametrize(
    "path",
    [
        "/etc/passwd",
        f"{SERVER}/43:OTHER/videos/a.mp4",
        f"{SERVER}/{BOT}/td.binlog",
        f"{SERVER}/{BOT}/temp/0",
        f"{SERVER}/{BOT}/../secret",
        f"{SERVER}/{BOT}/videos/../../../secret",
        f"{SERVER}/{BOT}/../43:OTHER/videos/a.mp4",
        f"{SERVER}/{BOT}/videos/..",
        f"{SERVER}/{BOT}/videos/.hidden",
        f"{SERVER}/{BOT}/videos/link.mp4",
        f"{SERVER}/{BOT}/videos/inner.mp4",
        f"{SERVER}/{BOT}/photos/a.mp4",
        f"{SERVER}/42:LINK/secrets/a.mp4",
        f"{SERVER}/{BOT}/videos/pipe",
        f"{SERVER}/{BOT}/videos/folder",
        f"{SERVER}/{BOT}/td.binlog/a.mp4",
        f"{SERVER}/{BOT}/videos/a.mp4\0",
        f"{SERVER}/{BOT}",
        "",
    ],
)
def test_nothing_else_is_read(folder: LocalFolder, path: str) -> None:
    with pytest.raises(OutsideFolder) as refused:
        folder.opened(path)
    assert "SECRET" not in str(refused.value), "the path contains the token"


def test_a_file_that_is_not_there_is_no_answer_about_the_customer(folder: LocalFolder) -> None:
    with pytest.raises(FileNotFoundError):
        folder.opened(f"{SERVER}/{BOT}/videos/b.mp4")
    with pytest.raises(FileNotFoundError):
        LocalFolder(folder.folder / "missing", bot_id=42).opened(f"{SERVER}/{BOT}/videos/a.mp4")
