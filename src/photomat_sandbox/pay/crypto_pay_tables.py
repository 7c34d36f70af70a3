"""The tables Crypto Pay gives out besides invoices: balances of the app, exchange rates, currencies."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from photomat_sandbox.pay.crypto_pay_forms import ASSETS, FIATS

STABLE: Final = frozenset({"USDT", "USDC"})
CRYPTO_DECIMALS: Final = 8
STABLE_DECIMALS: Final = 6
FIAT_DECIMALS: Final = 2


def balances(income: Iterable[tuple[str, Decimal]]) -> list[dict[str, Any]]:
    """Add up what came in, by asset; every asset has a row."""
    sums = dict.fromkeys(ASSETS, Decimal(0))
    for asset, amount in income:
        sums[asset] += amount
    return [{"currency_code": asset, "available": f"{amount:f}", "onhold": "0"} for asset, amount in sums.items()]


def exchange_rates(rates: Mapping[str, Decimal], *, source: str) -> list[dict[str, Any]]:
    """List what one coin costs in the currencies whose rate is known."""
    return [
        {
            "is_valid": True,
            "is_crypto": True,
            "is_fiat": False,
            "source": source,
            "target": target,
            "rate": str(rate),
        }
        for target, rate in rates.items()
    ]


def currencies() -> list[dict[str, Any]]:
    """List every currency an invoice can be in."""
    coins = [
        {
            "is_blockchain": code not in STABLE,
            "is_stablecoin": code in STABLE,
            "is_fiat": False,
            "name": code,
            "code": code,
            "decimals": STABLE_DECIMALS if code in STABLE else CRYPTO_DECIMALS,
        }
        for code in ASSETS
    ]
    money = [
        {
            "is_blockchain": False,
            "is_stablecoin": False,
            "is_fiat": True,
            "name": code,
            "code": code,
            "decimals": FIAT_DECIMALS,
        }
        for code in FIATS
    ]
    return coins + money
