"""The misfortunes of a storm of money, decided by the seed: those of the storm, aimed at payments above all."""

from collections.abc import Iterator
from typing import Final

from photomat_chaos.storm.weather import Blow, Kind, Trouble, blows

KINDS: Final[tuple[tuple[Kind, int], ...]] = (
    ("kill", 3),
    ("freeze", 2),
    ("deploy", 3),
    ("terminate", 2),
    ("restart", 1),
    ("forget_commit", 8),
    ("lose_commit", 3),
    ("forget_answer", 4),
    ("latency", 1),
    ("sever", 2),
    ("black_hole", 1),
    ("burst", 1),
    ("forge", 1),
    ("fault", 34),
)
"""A COMMIT that took effect and was never answered is what tempts a program to book twice: it comes often."""

TROUBLES: Final = (
    Trouble(world="telegram", method="update.successful_payment", action="never"),
    Trouble(world="telegram", method="update.successful_payment", action="never", times=2),
    Trouble(world="telegram", method="update.successful_payment", action="duplicate", times=2),
    Trouble(world="telegram", method="update.successful_payment", action="reorder"),
    Trouble(world="telegram", method="update.refunded_payment", action="never"),
    Trouble(world="telegram", method="update.refunded_payment", action="duplicate"),
    Trouble(world="telegram", method="update.refunded_payment", action="reorder"),
    Trouble(world="telegram", method="update.subscription", action="never"),
    Trouble(world="telegram", method="webhook", action="duplicate", times=3),
    Trouble(world="telegram", method="webhook", action="reorder"),
    Trouble(world="telegram", method="webhook", action="drop_after", times=2),
    Trouble(world="telegram", method="createInvoiceLink", action="drop_after"),
    Trouble(world="telegram", method="createInvoiceLink", action="error", status=502),
    Trouble(world="telegram", method="answerPreCheckoutQuery", action="drop_after"),
    Trouble(world="telegram", method="answerPreCheckoutQuery", action="drop_before"),
    Trouble(world="telegram", method="answerPreCheckoutQuery", action="delay", delay_s=1.0),
    Trouble(world="telegram", method="refundStarPayment", action="drop_after"),
    Trouble(world="telegram", method="refundStarPayment", action="drop_after", times=2),
    Trouble(world="telegram", method="refundStarPayment", action="drop_before"),
    Trouble(world="telegram", method="refundStarPayment", action="error", status=502),
    Trouble(world="telegram", method="refundStarPayment", action="too_many"),
    Trouble(world="telegram", method="getStarTransactions", action="error", status=502),
    Trouble(world="telegram", method="getStarTransactions", action="drop_after"),
    Trouble(world="telegram", method="editUserStarSubscription", action="drop_after"),
    Trouble(world="telegram", method="sendMessage", action="drop_after", times=2),
    Trouble(world="telegram", method="sendMessage", action="drop_before"),
    Trouble(world="telegram", method="sendMessage", action="error", status=502),
    Trouble(world="telegram", method="sendMessage", action="too_many"),
    Trouble(world="telegram", method="sendPhoto", action="drop_after"),
    Trouble(world="telegram", method="editMessageText", action="drop_after"),
    Trouble(world="telegram", method="editMessageMedia", action="drop_after"),
    Trouble(world="yookassa", method="createPayment", action="drop_after"),
    Trouble(world="yookassa", method="createPayment", action="error", status=502),
    Trouble(world="yookassa", method="createPayment", action="delay", delay_s=1.0),
    Trouble(world="yookassa", method="getPayment", action="error", status=502),
    Trouble(world="yookassa", method="getPayment", action="drop_after"),
    Trouble(world="yookassa", method="getPayment", action="too_many", times=2),
    Trouble(world="yookassa", method="createRefund", action="drop_after"),
    Trouble(world="yookassa", method="createRefund", action="drop_after", times=2),
    Trouble(world="yookassa", method="createRefund", action="error", status=500),
    Trouble(world="yookassa", method="notice", action="never", times=2),
    Trouble(world="yookassa", method="notice", action="duplicate", times=3),
    Trouble(world="yookassa", method="notice", action="reorder"),
    Trouble(world="yookassa", method="notice", action="delay", delay_s=4.0),
    Trouble(world="cryptopay", method="createInvoice", action="drop_after"),
    Trouble(world="cryptopay", method="createInvoice", action="error", status=502),
    Trouble(world="cryptopay", method="getInvoices", action="error", status=502),
    Trouble(world="cryptopay", method="getInvoices", action="drop_after"),
    Trouble(world="cryptopay", method="notice", action="never", times=2),
    Trouble(world="cryptopay", method="notice", action="duplicate", times=3),
    Trouble(world="cryptopay", method="notice", action="delay", delay_s=4.0),
    Trouble(world="kie", method="createTask", action="drop_after"),
    Trouble(world="kie", method="createTask", action="error", status=502),
    Trouble(world="kie", method="callback", action="never", times=2),
    Trouble(world="kie", method="callback", action="duplicate", times=3),
)
"""A request that takes effect twice is not among them: nobody could help it."""


def money_blows(seed: int) -> Iterator[Blow]:
    """The blows of this seed, without end."""
    return blows(seed, kinds=KINDS, troubles=TROUBLES)
