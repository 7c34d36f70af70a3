"""The living card: options are tapped on it, the price follows, and what was bought or changed meanwhile stays as it is."""

import re
import time

from photomat.bot.order_card import views
from photomat.catalog.load import load_catalog
from photomat.kernel.ids import UserId
from photomat.orders.outcome import CardOutdated, DraftBought, DraftGone, DraftOrder, OrderRefused
from photomat.orders.service import OrderService
from support.conversation import Chat, conversation
from support.database import pool_of
from support.jobs import a_user, buyer_of
from support.media_bytes import a_picture
from support.shop import orders_of

CATALOG = load_catalog()
PRO = CATALOG.get("nano-banana-pro")
KLING = CATALOG.get("kling-2.6/text-to-video")
CAT = {"prompt": "кот"}
