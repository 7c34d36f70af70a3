"""Customers' files: the desk where they are opened, and who brings them to Kie."""

from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from aiogram import Bot

from photomat.app.settings import Settings
from photomat.bot.worker import SHARE_OF_LEASE
from photomat.db.pool import Pool
from photomat.delivery.archive import ResultFiles
from photomat.files.sources import FileSources, empty_folder
from photomat.files.uploader import InputUploader
from photomat.kernel.fetch import Fetcher
from photomat.kernel.private_files import tighten
from photomat.kie.client import KieUploads
from photomat.telegram.files import BotFiles
from photomat.work.disk import MIB

ACCEPT_WITHIN_S: Final = 15.0
SHARE_OF_HANDLER: Final = 0.7
"""A file may take so much of a handler's time; the rest is for looking into it and answering."""


def result_files(settings: Settings) -> ResultFiles:
    """Where copies of results are kept; the host of KIE_API_URL is trusted with them."""
    return ResultFiles(
        folder=settings.results_folder,
        trusted_host=_kie_host(settings),
        reserve_bytes=settings.disk_reserve_mb * MIB,
    )


def file_sources(settings: Settings, *, pool: Pool, bot: Bot) -> FileSources:
    """The desk; what customers name is fetched from public addresses alone, wherever Kie's host is."""
    tmp = Path(settings.data_dir) / "tmp"
    empty_folder(tmp)
    for folder in (tmp, settings.results_folder):
        tighten(folder)
    return FileSources(
        pool=pool,
        telegram=BotFiles(bot),
        links=Fetcher(any_port=False),
        results=Fetcher(trusted_host=_kie_host(settings)),
        folder=settings.results_folder,
        tmp=tmp,
        accept_within_s=min(ACCEPT_WITHIN_S, settings.lease_s * SHARE_OF_LEASE * SHARE_OF_HANDLER),
    )


def input_uploader(settings: Settings, sources: FileSources) -> InputUploader:
    """From the desk to Kie's upload host."""
    return InputUploader(
        sources=sources, uploads=KieUploads(base_url=settings.kie_upload_url, api_key=settings.kie_api_key or "")
    )


def _kie_host(settings: Settings) -> str:
    return urlsplit(settings.kie_api_url).hostname or ""
