"""Which lane an update waits in."""

from typing import Any

import pytest

from photomat.inbox.update import kind_of, lane_of, update_id_of
from photomat.kernel.errors import Rejected
from support.updates import GROUP, checkout_update, tap_update, text_update


@pytest.mark.parametrize(
    ("update", "lane"),
    [
        (text_update(1, user_id=7), "u7"),
        (text_update(1, user_id=7, chat_id=GROUP), "u7"),
        (tap_update(1, "x", user_id=8, chat_id=GROUP), "u8"),
        (checkout_update(99, user_id=7), "p99"),
        ({"update_id": 1, "my_chat_member": {"from": {"id": 7}, "chat": {"id": 7}}}, "u7"),
        ({"update_id": 1, "message_reaction": {"user": {"id": 7}, "chat": {"id": GROUP}}}, "u7"),
        ({"update_id": 1, "channel_post": {"chat": {"id": -5}}}, "c-5"),
        ({"update_id": 1, "poll": {"id": "3"}}, "other"),
        ({"update_id": 1, "telepathy": "…"}, "other"),
        ({"update_id": 1}, "other"),
        (text_update(1, user_id=2**63), "other"),
        (text_update(1, user_id=True), "other"),
    ],
)
def test_a_lane_is_the_user_else_the_chat(update: dict[str, Any], lane: str) -> None:
    assert lane_of(update) == lane


def test_the_kind_is_what_the_update_carries() -> None:
    assert kind_of(tap_update(1, "x")) == "callback_query"
    assert kind_of({"update_id": 1}) == "empty"


@pytest.mark.parametrize("update", [{}, {"update_id": "1"}, {"update_id": True}, {"update_id": None}])
def test_without_a_number_it_is_not_an_update(update: dict[str, Any]) -> None:
    with pytest.raises(Rejected):
        update_id_of(update)
