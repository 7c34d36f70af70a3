"""Moments in a text, as aiogram writes them, are kept as entities and come back the same."""

from datetime import UTC, datetime

import pytest
from aiogram.utils.text_decorations import html_decoration

from support.telegram_sim import running_telegram

MOMENT = datetime(2026, 11, 16, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize("form", ["", "r", "wDT", "dt", "t"])
async def test_a_moment_is_an_entity_with_its_format(form: str) -> None:
    async with running_telegram() as telegram, telegram.bot() as bot:
        anna = telegram.person()
        text = html_decoration.date_time("в полдень", MOMENT, form)
        sent = await bot.send_message(anna.user_id, f"Готово {text}", parse_mode="HTML")
        (entity,) = sent.entities or []
        assert (entity.type, entity.unix_time, entity.date_time_format or "") == ("date_time", 1_794_830_400, form)
        assert sent.text == "Готово в полдень"
        again = await bot.send_message(anna.user_id, sent.text, entities=[entity])
        assert again.entities == sent.entities
