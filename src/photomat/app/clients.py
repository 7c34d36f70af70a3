"""The clients of Telegram, Kie, the payment providers and the tax service whose keys are set; the stack closes them."""

import hashlib
from collections.abc import Mapping
from contextlib import AsyncExitStack

from aiogram import Bot
from aiogram.client.telegram import TelegramAPIServer

from photomat.app.settings import Settings
from photomat.db.pool import Pool
from photomat.kie.chat import KieChatModel
from photomat.kie.client import KieClient, KieUploads
from photomat.providers.crypto_pay import CryptoPay
from photomat.providers.fiscal_port import ReceiptReader
from photomat.providers.my_tax import MyTax, TaxAccount
from photomat.providers.port import PaymentProvider
from photomat.providers.yookassa import YooKassa
from photomat.telegram.local_folder import LocalFolder
from photomat.telegram.pacing import CallTimer, Pacing
from photomat.telegram.session import TelegramSession


def connect_outside(stack: AsyncExitStack, settings: Settings, pool: Pool) -> tuple[Bot, KieClient]:
    """Connect to Telegram, within the rate limits shared by all instances, and to Kie."""
    session = TelegramSession(api=_bot_api_server(settings))
    session.middleware(Pacing(pool, calls_per_s=settings.telegram_calls_per_s))
    session.middleware(CallTimer())  # inside the limits: what never leaves is not timed
    bot = Bot(settings.bot_token or "", session=session)
    stack.push_async_callback(bot.session.close)
    return bot, connect_kie(stack, settings)


def _bot_api_server(settings: Settings) -> TelegramAPIServer:
    folder = settings.telegram_local_dir
    if folder is None:
        return TelegramAPIServer.from_base(settings.telegram_api_url)
    local = LocalFolder(folder, bot_id=settings.bot_id or 0)
    return TelegramAPIServer.from_base(settings.telegram_api_url, is_local=True, wrap_local_file=local)


def connect_kie(stack: AsyncExitStack, settings: Settings) -> KieClient:
    kie = KieClient(base_url=settings.kie_api_url, api_key=settings.kie_api_key or "")
    stack.push_async_callback(kie.close)
    return kie


def kie_uploads(settings: Settings) -> KieUploads:
    return KieUploads(base_url=settings.kie_upload_url, api_key=settings.kie_api_key or "")


def chat_model(settings: Settings) -> KieChatModel | None:
    """The chat model; None where none is configured. It keeps no connection."""
    if not settings.has_assistant:
        return None
    return KieChatModel(
        base_url=settings.kie_api_url, api_key=settings.kie_api_key or "", model=settings.assistant_model
    )


def payment_providers(stack: AsyncExitStack, settings: Settings) -> dict[str, PaymentProvider]:
    found: list[YooKassa | CryptoPay] = []
    if settings.yookassa_shop_id and settings.yookassa_secret_key:
        yookassa = YooKassa(
            base_url=settings.yookassa_api_url,
            shop_id=settings.yookassa_shop_id,
            secret_key=settings.yookassa_secret_key,
            sources=settings.yookassa_sources,
            self_employed=settings.yookassa_receipts == "self-employed",
        )
        found.append(yookassa)
    if settings.crypto_pay_token:
        found.append(CryptoPay(base_url=settings.crypto_pay_api_url, token=settings.crypto_pay_token))
    for provider in found:
        stack.push_async_callback(provider.close)
    return {provider.name: provider for provider in found}


def receipt_readers(providers: Mapping[str, PaymentProvider]) -> dict[str, ReceiptReader]:
    """The providers that register fiscal receipts by themselves, to read them from."""
    return {name: provider for name, provider in providers.items() if isinstance(provider, YooKassa)}


def tax_service(stack: AsyncExitStack, settings: Settings) -> MyTax | None:
    """The tax service; None where no taxpayer is set, or money is not in roubles."""
    if not settings.my_tax_inn or not settings.my_tax_password or settings.currency != "RUB":
        return None
    account = TaxAccount(
        inn=settings.my_tax_inn,
        password=settings.my_tax_password,
        device_id=_device_id(settings),
        service_name=settings.my_tax_service_name,
        zone=settings.zone,
    )
    service = MyTax(base_url=settings.my_tax_api_url, account=account, timeout_s=settings.my_tax_timeout_s)
    stack.push_async_callback(service.close)
    return service


def _device_id(settings: Settings) -> str:
    """The same for every process of an installation, and for no other."""
    return hashlib.sha256(f"photomat:{settings.bot_id}:{settings.my_tax_inn}".encode()).hexdigest()[:21]
