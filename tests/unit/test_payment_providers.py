"""Which payment providers an instance talks to: those whose keys are set, and no others."""

from contextlib import AsyncExitStack
from typing import Any

import pytest

from photomat.app.clients import payment_providers
from photomat.app.settings import Settings

SHOP = {"yookassa_shop_id": "100500", "yookassa_secret_key": "secret"}
COINS = {"crypto_pay_token": "1000:token"}


@pytest.mark.parametrize(
    ("keys", "names"),
    [({}, []), (SHOP, ["yookassa"]), (COINS, ["cryptopay"]), (SHOP | COINS, ["yookassa", "cryptopay"])],
)
async def test_only_providers_with_keys_are_there(keys: dict[str, Any], names: list[str]) -> None:
    settings = Settings.model_construct(**keys)
    async with AsyncExitStack() as stack:
        found = payment_providers(stack, settings)
        assert list(found) == names
        assert [provider.name for provider in found.values()] == names
