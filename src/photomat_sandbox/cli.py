"""`photomat-sandbox`: run the simulated Telegram, the simulated Kie.ai, or all simulators in one process.

All includes the payment providers, under `/yookassa` and `/cryptopay` of Kie's URL. Each server prints one line with its
URL; SIGINT and SIGTERM stop everything cleanly.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer
from aiohttp import web

from photomat_sandbox.bot_process import BotProcess
from photomat_sandbox.faults import Faults
from photomat_sandbox.telegram.app import build_app as build_telegram
from photomat_sandbox.telegram.state_file import load_state
from photomat_sandbox.telegram.updates import CHECKOUT_LIFE_S
from photomat_sandbox.telegram.world import DEFAULT_TOKEN, TelegramWorld
from photomat_sandbox.transcript import Transcript

if TYPE_CHECKING:
    from photomat_sandbox.kie.world import KieWorld

SHUTDOWN_S: Final = 2.0
OPERATOR_NAME: Final = "Оператор"

Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(help="Port to listen on; 0 lets the system choose.")]
Token = Annotated[str, typer.Option(help="The one bot token that is accepted.")]
KieKey = Annotated[str, typer.Option(help="The one API key that is accepted; empty accepts any.")]
WebhookKey = Annotated[str, typer.Option(help="Key that signs Kie's callbacks; empty leaves them unsigned.")]
Seconds = Annotated[float, typer.Option(help="How long a simulated picture takes.")]
KieState = Annotated[Path | None, typer.Option(help="File that keeps Kie's tasks and uploads over restarts.")]
State = Annotated[Path | None, typer.Option(help="File that keeps the Telegram world over restarts.")]
WithStdin = Annotated[bool, typer.Option("--with-stdin", help="Stop when standard input closes: the starter is gone.")]
CheckoutWait = Annotated[float, typer.Option(help="How many seconds Telegram waits for the answer before a payment.")]
ShopId = Annotated[str, typer.Option(help="YooKassa: the one shop that is accepted.")]
ShopKey = Annotated[str, typer.Option(help="YooKassa: its secret key.")]
ShopCurrency = Annotated[str, typer.Option(help="YooKassa: the currency of the shop.")]
ShopReceipts = Annotated[bool, typer.Option("--shop-receipts", help="YooKassa: refuse payments without a receipt.")]
ShopSelfEmployed = Annotated[
    bool, typer.Option("--shop-self-employed", help="YooKassa: its receipts have the shorter form.")
]
ShopEmailOnly = Annotated[
    bool, typer.Option("--shop-email-only", help="YooKassa: receipts go to e-mail addresses only.")
]
CryptoToken = Annotated[str, typer.Option(help="Crypto Pay: the one token that is accepted.")]
TaxInn = Annotated[str, typer.Option(help="My Tax: the one taxpayer.")]
TaxPassword = Annotated[str, typer.Option(help="My Tax: the taxpayer's password.")]
TaxState = Annotated[Path | None, typer.Option(help="File where My Tax keeps its incomes.")]
PayTo = Annotated[str, typer.Option(help="The bot's base URL; payment notices go to its /pay/…. Empty sends none.")]
Operator = Annotated[int, typer.Option(help="Add an operator with this user id; 0 adds none.")]
LocalDir = Annotated[
    Path | None,
    typer.Option("--local", help="Be a Bot API server in local mode, with this working folder: files to 2000 MB."),
]
AnyWebhook = Annotated[bool, typer.Option("--any-webhook", help="Let setWebhook take http and any port on any host.")]

app = typer.Typer(add_completion=False, no_args_is_help=True, help=__doc__)


def main() -> None:
    """Run the command line. What it writes contains chats, so other users of the machine may not read it."""
    os.umask(0o077)
    app()


@app.command()
def telegram(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8081,
    token: Token = DEFAULT_TOKEN,
    state: State = None,
    any_webhook: AnyWebhook = False,
    local: LocalDir = None,
    checkout_wait: CheckoutWait = CHECKOUT_LIFE_S,
) -> None:
    """Run the simulated Telegram alone."""
    world = telegram_world(
        token=token, state=state, any_webhook=any_webhook, local_dir=local, checkout_wait_s=checkout_wait
    )
    pages = build_telegram(world, Transcript(), Faults(), state_file=state)
    asyncio.run(_serve([("telegram", pages, host, port)]))


@app.command()
def kie(
    *,
    host: Host = "127.0.0.1",
    port: Port = 8082,
    key: KieKey = "",
    webhook_key: WebhookKey = "",
    seconds: Seconds = 4.0,
    kie_state: KieState = None,
) -> None:
    """Run the simulated Kie.ai alone."""
    from photomat_sandbox.kie.app import build_app as build_kie  # noqa: PLC0415 - telegram runs without it

    world = _kie_world(key=key, webhook_key=webhook_key, seconds=seconds, state=kie_state)
    asyncio.run(_serve([("kie", build_kie(world, Transcript(), Faults()), host, port)]))


@app.command()
def serve(
    *,
    host: Host = "127.0.0.1",
    telegram_port: Port = 8081,
    kie_port: Port = 8082,
    token: Token = DEFAULT_TOKEN,
    kie_key: KieKey = "",
    webhook_key: WebhookKey = "",
    seconds: Seconds = 4.0,
    state: State = None,
    kie_state: KieState = None,
    any_webhook: AnyWebhook = False,
    local: LocalDir = None,
    checkout_wait: CheckoutWait = CHECKOUT_LIFE_S,
    shop_id: ShopId = "100500",
    shop_key: ShopKey = "test_sandbox-shop",
    shop_currency: ShopCurrency = "RUB",
    shop_receipts: ShopReceipts = False,
    shop_self_employed: ShopSelfEmployed = False,
    shop_email_only: ShopEmailOnly = False,
    crypto_token: CryptoToken = "1000:sandbox",  # noqa: S107 - opens nothing but the simulator
    tax_inn: TaxInn = "770000000000",
    tax_password: TaxPassword = "sandbox",  # noqa: S107 - the same
    tax_state: TaxState = None,
    pay_to: PayTo = "",
    operator: Operator = 0,
    with_stdin: WithStdin = False,
) -> None:
    """Run all simulators in one process, with one transcript and one list of faults."""
    from photomat_sandbox.kie.app import build_app as build_kie  # noqa: PLC0415 - telegram runs without it
    from photomat_sandbox.pay.app import mount_providers  # noqa: PLC0415 - the same
    from photomat_sandbox.pay.crypto_pay_world import CryptoPayWorld  # noqa: PLC0415 - the same
    from photomat_sandbox.pay.my_tax_world import MyTaxWorld  # noqa: PLC0415 - the same
    from photomat_sandbox.pay.yookassa_world import YooKassaWorld  # noqa: PLC0415 - the same

    transcript, faults = Transcript(), Faults()
    chats = telegram_world(
        token=token, state=state, any_webhook=any_webhook, local_dir=local, checkout_wait_s=checkout_wait
    )
    if operator:
        add_operator(chats, operator)
    account = _kie_world(key=kie_key, webhook_key=webhook_key, seconds=seconds, state=kie_state)
    bot = BotProcess(transcript=transcript)
    telegram_app = build_telegram(chats, transcript, faults, state_file=state, bot=bot)
    kie_app = build_kie(account, transcript, faults)
    shop = YooKassaWorld(
        shop_id=shop_id,
        secret_key=shop_key,
        currency=shop_currency,
        receipts_required=shop_receipts,
        self_employed=shop_self_employed,
        email_only=shop_email_only,
    )
    tax = MyTaxWorld(inn=tax_inn, password=tax_password, state=tax_state)
    mount_providers(kie_app, shop, CryptoPayWorld(token=crypto_token), transcript, faults, pay_to=pay_to, tax=tax)
    servers = [("telegram", telegram_app, host, telegram_port), ("kie", kie_app, host, kie_port)]
    asyncio.run(_serve(servers, heard=bot.feed if with_stdin else None))


def telegram_world(
    *,
    token: str,
    state: Path | None,
    any_webhook: bool,
    local_dir: Path | None = None,
    checkout_wait_s: float = CHECKOUT_LIFE_S,
) -> TelegramWorld:
    """Create the Telegram world, restored from the state file if there is one."""
    try:
        world = TelegramWorld(
            token=token, any_webhook_address=any_webhook, local_dir=local_dir, checkout_wait_s=checkout_wait_s
        )
        if state:
            load_state(world, state)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error
    return world


def add_operator(world: TelegramWorld, user_id: int) -> None:
    """Add the operator as a person who has already started the bot and so can receive messages."""
    person = world.add_person(first_name=OPERATOR_NAME, user_id=user_id, started=True)
    person.is_operator = True


def _kie_world(*, key: str, webhook_key: str, seconds: float, state: Path | None) -> "KieWorld":
    from photomat_sandbox.kie.pictures import HOW_TO_GET_CYRILLIC, has_cyrillic  # noqa: PLC0415 - telegram runs without it
    from photomat_sandbox.kie.store import KieStore  # noqa: PLC0415 - the same
    from photomat_sandbox.kie.world import KieWorld  # noqa: PLC0415 - the same

    if not has_cyrillic():
        typer.echo(HOW_TO_GET_CYRILLIC, err=True)  # standard output begins with the URLs
    store = KieStore(state) if state else None
    return KieWorld(key=key, webhook_key=webhook_key, seconds_to_success=seconds, store=store)


async def _serve(
    servers: list[tuple[str, web.Application, str, int]], *, heard: Callable[[bytes], None] | None = None
) -> None:
    """Serve until a signal, or, where standard input is listened to, until it closes."""
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listen(hear: Callable[[bytes], None]) -> None:
        data = os.read(sys.stdin.fileno(), 4096)
        hear(data) if data else stop.set()

    if heard:
        loop.add_reader(sys.stdin.fileno(), listen, heard)
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    async with AsyncExitStack() as stack:
        for name, pages, host, port in servers:
            try:
                url = await stack.enter_async_context(_listening(pages, host, port))
            except OSError as error:
                typer.echo(f"{name} cannot listen on {host}:{port}: {error.strerror}", err=True)
                raise typer.Exit(1) from error
            typer.echo(f"{name} listening on {url}")
        await stop.wait()


@asynccontextmanager
async def _listening(pages: web.Application, host: str, port: int) -> AsyncIterator[str]:
    runner = web.AppRunner(pages, access_log=None, shutdown_timeout=SHUTDOWN_S)
    await runner.setup()
    try:
        await web.TCPSite(runner, host, port).start()
        yield f"http://{host}:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


if __name__ == "__main__":
    main()
