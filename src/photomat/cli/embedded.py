"""Which embedded database a command starts: the shop's in DATA_DIR, or the sandbox's in a folder of its own below it.

An earlier version kept the sandbox in DATA_DIR itself. Its database moves to the sandbox's folder before anything else is
started: the real shop never finds play money in its database, and the sandbox finds its chats again. The database moves last: a
move that was interrupted is done again by the next start, and a missing password of an embedded database is made anew.
The copies in DATA_DIR/results stay where they are, because a real shop with DATABASE_URL may have written some of them under
the same job numbers; the sandbox shows its history from its simulated Telegram, or copies a result again.
"""

import asyncio
from pathlib import Path

from photomat.db.embedded import Embedded
from photomat.db.installation import owner_of
from photomat.db.postgres.cluster import cluster_folder, password_file
from photomat.db.postgres.lock import is_owned
from photomat.kernel.errors import Startup
from photomat.kernel.logs import get_logger
from photomat.settings import SANDBOX_FOLDER

log = get_logger()


def start_real(data_dir: Path) -> Embedded:
    """Start the embedded database of the real shop; what an earlier sandbox left in its place is moved first."""
    embedded = Embedded.start(data_dir)
    if not _is_play_money(embedded):
        return embedded
    embedded.stop()
    _move(data_dir)
    return Embedded.start(data_dir)


def start_sandbox(folder: Path) -> Embedded:
    """Start the embedded database of the sandbox; that of an earlier version is moved here first."""
    shop = _shop_above(folder)
    if shop is not None:
        shop.stop()
    return Embedded.start(folder)


def start_without_keys(folder: Path) -> Embedded:
    """Start the only embedded database there is, for a command without keys: the sandbox's, or else the shop's in DATA_DIR."""
    return _shop_above(folder) or Embedded.start(folder)


def folder_in_use(folder: Path) -> Path:
    """The folder of the server a command without keys finds running: the sandbox's, or else the shop's in DATA_DIR."""
    return folder.parent if is_owned(folder.parent) and not is_owned(folder) else folder


def has_database(folder: Path) -> bool:
    """Whether a command without keys has an embedded database to read."""
    return any(cluster_folder(place).exists() for place in (folder, folder.parent))


def _shop_above(folder: Path) -> Embedded | None:
    """The server in DATA_DIR where there is no sandbox yet and it holds no play money; an earlier sandbox is moved instead."""
    home = folder.parent
    if cluster_folder(folder).exists() or not cluster_folder(home).exists() or is_owned(home):
        return None
    embedded = Embedded.start(home)
    if not _is_play_money(embedded):
        return embedded
    embedded.stop()
    _move(home)
    return None


def _is_play_money(embedded: Embedded) -> bool:
    try:
        return asyncio.run(owner_of(embedded.dsn)).is_sandbox
    except BaseException:
        embedded.stop()
        raise


def _move(data_dir: Path) -> None:
    folder = data_dir / SANDBOX_FOLDER
    folder.mkdir(parents=True, exist_ok=True)
    if cluster_folder(folder).exists():
        raise Startup(
            f"{cluster_folder(data_dir)} is the database of an earlier sandbox and holds play money,"
            f" and {cluster_folder(folder)} is there too: move one of them away, then start again."
        )
    password_file(data_dir).replace(password_file(folder))
    cluster_folder(data_dir).rename(cluster_folder(folder))
    log.warning("SANDBOX_MOVED", source=str(data_dir), to=str(folder))
