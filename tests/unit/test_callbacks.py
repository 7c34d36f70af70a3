"""Buttons drawn outside of the conversation are the ones it reads, and nobody writes what a button carries by hand."""

import re
from pathlib import Path
from typing import get_args

import pytest

import photomat
from photomat.bot.buttons import (
    DraftAction,
    DraftButton,
    JobAction,
    JobButton,
    JobPageButton,
    MenuButton,
    ReceiptAction,
    ReceiptButton,
    Screen,
    TransferReceiptButton,
)
from photomat.telegram import callback_data

CODE = Path(photomat.__file__).parent
ACTS = get_args(callback_data.ActOnJob)
BY_HAND = re.compile(r"""data=f?["'][a-z]+:""")


@pytest.mark.parametrize(
    ("carried", "button"),
    [
        (callback_data.OPEN_BALANCE, MenuButton(screen=Screen.BALANCE)),
        (callback_data.OPEN_PICTURES, MenuButton(screen=Screen.PICTURES)),
        (callback_data.OPEN_TOPUP, MenuButton(screen=Screen.TOPUP)),
        (callback_data.send_receipt(4), TransferReceiptButton(topup_id=4)),
        (callback_data.create_from_draft(7, 2), DraftButton(action=DraftAction.CREATE, draft_id=7, revision=2)),
        (callback_data.approve_receipt(9), ReceiptButton(action=ReceiptAction.APPROVE, receipt_id=9)),
        (callback_data.approve_another_sum(9), ReceiptButton(action=ReceiptAction.OTHER_SUM, receipt_id=9)),
        (callback_data.decline_receipt(9), ReceiptButton(action=ReceiptAction.DECLINE, receipt_id=9)),
        *((callback_data.act_on_job(5, act), JobButton(job_id=5, action=JobAction(act))) for act in ACTS),
        (callback_data.turn_to_page(5, 3), JobPageButton(job_id=5, action="page", page=3)),
    ],
)
def test_what_is_drawn_elsewhere_is_what_the_conversation_reads(carried: str, button: MenuButton) -> None:
    assert carried == button.pack()
    assert type(button).unpack(carried) == button


def test_every_act_on_a_job_can_be_drawn() -> None:
    assert set(ACTS) == set(JobAction)


def test_nobody_writes_by_hand_what_a_button_carries() -> None:
    files = {file: file.read_text(encoding="utf-8") for file in CODE.rglob("*.py")}
    assert [str(file) for file, text in files.items() if BY_HAND.search(text)] == []
