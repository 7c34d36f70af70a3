"""The objects of the product that `tests/contract/test_frozen.py` looks at: code that moves is followed here alone.

What a snapshot finds without knowing its module (log tags, buttons, states, texts, tables) is collected there.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import Any, cast

import typer

from photomat.alerts.incident import IncidentKind, IncidentPhase
from photomat.app.flow import DUE
from photomat.app.settings import Settings
from photomat.audit.run import INVARIANTS
from photomat.catalog.load import load_catalog
from photomat.catalog.order import body_of
from photomat.checks.context import LOCK_KEY as CHECK_LOCK
from photomat.checks.storage import CHANNEL as CHECK_CHANNEL
from photomat.checks.storage import LOCK_KEY as CHECKED_LOCK
from photomat.cli.main import app, main
from photomat.cluster.leader import LOCK_KEY as ACTIVE_LOCK
from photomat.db.listen import CHANNEL
from photomat.db.migrate import LOCK_KEY as MIGRATION_LOCK
from photomat.db.pool import Transaction
from photomat.delivery.fallbacks import sign_result
from photomat.jobs.callback import KieCallback
from photomat.jobs.claims import CREATES, QUERIES
from photomat.jobs.timeline import Tag
from photomat.kernel.ids import JobId
from photomat.kernel.metrics import REGISTRY
from photomat.kie.signature import kie_signature, sign_job
from photomat.messages.outbox import Outcome
from photomat.providers.yookassa import MAX_KEY_LENGTH, short_key
from photomat.telegram import callback_data
from photomat.wallet import ledger, refunds
from support.full_orders import full_order
from support.money import buy, give_back, make_user, rub, sell

__all__ = ["Settings", "main"]

JOB = JobId(42)
SECRETS = (b"first", b"second")
CREDITS: tuple[Any, ...] = ("welcome", "topup", "operator", "gift", "promo", "bonus", "referral", "subscription")


def command_tree() -> Any:
    """The commands as the program's parser knows them."""
    return typer.main.get_command(app)


def shared_names() -> dict[str, list[str]]:
    """Names that instances of two versions share in one database, by what they name."""
    return {
        "advisory lock of the ACTIVE instance": [f"{ACTIVE_LOCK:#x}"],
        "advisory lock of migrations": [f"{MIGRATION_LOCK:#x}"],
        "advisory lock of a check": [f"{CHECK_LOCK:#x}", f"{CHECKED_LOCK:#x}"],
        "NOTIFY channel": [CHANNEL, CHECK_CHANNEL],
        "NOTIFY payload": list(DUE),
        "budget": [CREATES, QUERIES],
        "job event": values_of(Tag),
        "incident kind": values_of(IncidentKind),
        "incident notice about": values_of(IncidentPhase),
        "incident notice outcome": values_of(Outcome),
        "audit invariant": [each.name for each in INVARIANTS],
    }


def metrics() -> Iterator[str]:
    """Every metric with its labels and buckets; one without a value yet is not in what Prometheus reads."""
    ours = [each for each in cast("Any", REGISTRY)._collector_to_names if hasattr(each, "_name")]  # noqa: SLF001  no public list
    for each in ours:
        labels, buckets = each._labelnames, getattr(each, "_upper_bounds", "")  # noqa: SLF001  likewise
        yield f"{each._name} {each._type} {','.join(labels)} {buckets or ''}".rstrip()  # noqa: SLF001  likewise


def values_of(enum: type[StrEnum]) -> list[str]:
    """What is stored."""
    return [str(member.value) for member in enum]


def full_requests() -> Iterator[tuple[str, dict[str, Any]]]:
    """Every model of the catalogue with the request for an order that answers all it can ask."""
    for model in load_catalog().models.values():
        yield f"{model.id} {model.protocol}", body_of(model, full_order(model))


def signed_strings() -> dict[str, str]:
    """Signatures and digests of fixed inputs: what is stored or handed out today must be recognised tomorrow."""
    settings = Settings(bot_token="1:token", kie_api_key="key", _env_file=None)
    return {
        "callback URL of job 42": sign_job(JOB, SECRETS),
        "result URL of output 1 of job 42": sign_result(JOB, 1, SECRETS),
        "signature of Kie": kie_signature("task", "1800000000", "key"),
        "digest of a callback": KieCallback(job_id=JOB, task_id="task", payload={}, body=b"{}").digest.hex(),
        "short idempotency key": short_key("refund:1"),
        "long idempotency key": short_key("k" * (MAX_KEY_LENGTH + 1)),
        "derived secret of callbacks": settings.callback_secrets[0].hex(),
        "derived secret of the webhook": settings.webhook_secret,
    }


def buttons_outside_the_chat() -> list[str]:
    """What the buttons carry that stand under notices and on a job's card."""
    return [
        callback_data.OPEN_BALANCE,
        callback_data.OPEN_PICTURES,
        callback_data.OPEN_TOPUP,
        callback_data.send_receipt(1),
        callback_data.create_from_draft(1, 2),
        callback_data.approve_receipt(1),
        callback_data.approve_another_sum(1),
        callback_data.decline_receipt(1),
        callback_data.act_on_job(1, "cancel"),
        callback_data.turn_to_page(1, 2),
    ]


async def book_every_kind(tx: Transaction) -> None:
    """One ledger transaction of every kind, with fixed parameters: their digests and seals are stored for ever."""
    user = await make_user(tx, 7)
    for reason in CREDITS:
        await ledger.credit(tx, user_id=user, amount=rub(1000), reference=f"in:{reason}", reason=reason)
    await ledger.debit(tx, user_id=user, amount=rub(10), reference="out:operator", reason="operator")
    await ledger.debit(tx, user_id=user, amount=rub(11), reference="out:gift", reason="gift")
    sold = await buy(tx, user, price=64)
    await sell(tx, sold)
    await refunds.refund_charge(tx, job_id=sold, amount=rub(20), reference="refunded")
    await refunds.refund_charge(tx, job_id=sold, reference="given back", reason="undelivered")
    await refunds.take_back(tx, user_id=user, amount=rub(300), reference="taken back", of="in:topup")
    await refunds.correct(tx, of="in:operator", reference="corrected")
    failed = await buy(tx, user, price=65)
    await refunds.take_back(tx, user_id=user, amount=rub(9000), reference="owed", reason="referral")
    await give_back(tx, failed)
    await ledger.credit(tx, user_id=user, amount=rub(5000), reference="pays a debt", reason="topup")
