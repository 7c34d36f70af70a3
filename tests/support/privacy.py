"""Looking for words in everything we keep: every column of every table, every file; and the loops of privacy, run by hand."""

from collections.abc import Iterable, Sequence
from pathlib import Path

from photomat.app.personal_data import personal_data
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive, ResultFiles
from photomat.delivery.fallbacks import ResultLinks
from photomat.kernel.http import Fetcher
from photomat.messages.notices import NoticeSender
from photomat.privacy.export import ExportBuilder
from photomat.privacy.export_sender import ExportSender
from photomat.privacy.forget import ForgetWorker
from photomat.storage.places import one_folder
from photomat.telegram.port import Messenger
from photomat.texts.load import load_texts

SERVER_FILES = frozenset({"postgres", "socket", "postgres.log", "photomat.lock", "postgres.password"})
"""What PostgreSQL itself keeps; the documentation says so."""
COLUMNS = """
    SELECT table_name, column_name, data_type FROM information_schema.columns
      JOIN information_schema.tables USING (table_catalog, table_schema, table_name)
     WHERE table_schema = current_schema() AND table_type = 'BASE TABLE'
       AND data_type IN ('text', 'character varying', 'character', 'name', 'json', 'jsonb', 'bytea', 'ARRAY', 'xml')
     ORDER BY table_name, ordinal_position"""


async def found_in_database(pool: Pool, words: Sequence[str]) -> dict[str, set[str]]:
    """Where each of the words stands: `table.column`, whatever tables there are."""
    found: dict[str, set[str]] = {word: set() for word in words}
    for table, column, kind in [tuple(row) for row in await pool.fetch(COLUMNS)]:
        text = f"encode({column}, 'escape')" if kind == "bytea" else f"{column}::text"
        for word in words:
            query = f"SELECT EXISTS (SELECT FROM {table} WHERE {text} ILIKE '%' || $1::text || '%')"  # noqa: S608  names of columns
            if await pool.fetchval(query, word):
                found[word].add(f"{table}.{column}")
    return found


def found_in_files(folder: Path, words: Iterable[str]) -> dict[str, set[str]]:
    """Which files below a folder contain or are named by each word, the server's own left out."""
    files = [
        path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] not in SERVER_FILES
    ]
    return {
        word: {
            str(path.relative_to(folder))
            for path in files
            if word.encode().lower() in path.read_bytes().lower() or word.lower() in path.name.lower()
        }
        for word in words
    }


def forget_worker(pool: Pool, data_dir: Path) -> ForgetWorker:
    personal = personal_data(places=one_folder(data_dir / "results"))
    return ForgetWorker(pool=pool, personal=personal, record=data_dir / "forgotten.jsonl")


def export_builder(pool: Pool, data_dir: Path, *, base_url: str | None = "https://shop.example") -> ExportBuilder:
    results = data_dir / "results"
    return ExportBuilder(
        pool=pool,
        personal=personal_data(places=one_folder(results)),
        archive=ResultArchive(pool=pool, files=ResultFiles(folder=results, fetcher=Fetcher(trusted_host="127.0.0.1"))),
        links=ResultLinks(base_url=base_url, secrets=(b"secret",)),
        texts=load_texts(),
    )


def export_sender(pool: Pool, data_dir: Path, messenger: Messenger) -> ExportSender:
    return ExportSender(pool=pool, messenger=messenger, builder=export_builder(pool, data_dir), tmp=data_dir / "tmp")


async def send_exports(sender: ExportSender) -> int:
    claimed = await sender.claim(10)
    for each in claimed:
        await sender.deliver(each)
    return len(claimed)


async def send_notices(pool: Pool, messenger: Messenger) -> None:
    sender = NoticeSender(pool=pool, messenger=messenger, texts=load_texts())
    for notice in await sender.claim(50):
        await sender.deliver(notice)
