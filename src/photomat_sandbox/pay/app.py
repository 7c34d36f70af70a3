"""Payment providers and the tax service as sub-applications: `/yookassa`, `/cryptopay`, `/my_tax` of one that runs anyway."""

from dataclasses import replace

from aiohttp import web

from photomat_sandbox.faults import Faults
from photomat_sandbox.pay.crypto_pay import build_app as build_crypto_pay
from photomat_sandbox.pay.crypto_pay_world import CryptoPayWorld
from photomat_sandbox.pay.my_tax import build_app as build_my_tax
from photomat_sandbox.pay.my_tax_world import MyTaxWorld
from photomat_sandbox.pay.yookassa import build_app as build_yookassa
from photomat_sandbox.pay.yookassa_world import YooKassaWorld
from photomat_sandbox.transcript import Transcript


def mount_providers(
    app: web.Application,
    shop: YooKassaWorld,
    coins: CryptoPayWorld,
    transcript: Transcript,
    faults: Faults,
    *,
    pay_to: str = "",
    tax: MyTaxWorld | None = None,
) -> None:
    """Mount them under their prefixes; notices go to `/pay/<provider>` of the base URL `pay_to`."""
    if pay_to:
        for provider in (shop, coins):
            provider.notices = replace(provider.notices, notice_url=f"{pay_to.rstrip('/')}/pay/{provider.vendor}")
    app.add_subapp("/yookassa", build_yookassa(shop, transcript, faults))
    app.add_subapp("/cryptopay", build_crypto_pay(coins, transcript, faults))
    if tax is not None:
        app.add_subapp("/my_tax", build_my_tax(tax, transcript, faults))
