"""What the console's pages are given: services, and the operator's settings as values."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

from photomat.db.pool import Pool
from photomat.delivery.archive import ResultArchive
from photomat.kernel.money import Money
from photomat.operators.access import Owners
from photomat.operators.settings import SettingRules
from photomat.orders.service import OrderService
from photomat.privacy.export import ExportBuilder
from photomat.telegram.files import BotFiles
from photomat.templates.stored import Templates
from photomat.texts.load import Texts
from photomat.work.budget import Budget
from photomat.work.disk import Disk


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleConfig:
    """`files` reads what customers sent to Telegram; `is_secure` is whether browsers reach us by https.

    `most_credited` is the most that a receipt may be credited with. Exports are built in files without a name below `tmp`.
    """

    pool: Pool
    texts: Texts
    orders: OrderService
    templates: Templates
    archive: ResultArchive
    files: BotFiles
    owners: Owners
    zone: ZoneInfo
    settings: SettingRules
    is_secure: bool
    delivery_lease: timedelta
    given_up_after: timedelta
    most_credited: Money
    stop: asyncio.Event
    exports: ExportBuilder
    tmp: Path
    disk: Disk | None = None
    budgets: Sequence[Budget] = ()
