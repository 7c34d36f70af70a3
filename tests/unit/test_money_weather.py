"""The plan of a storm of money: the same seed plans the same, and the seed of the gate strikes where it hurts."""

from itertools import islice

from photomat_chaos.money.operators import PROMOS
from photomat_chaos.money.schedule import (
    KINDS,
    PROMO_KINDS,
    VENDOR_FAULTS,
    customer_acts,
    money_disruptions,
    operator_acts,
    receipt_decisions,
    vendor_acts,
)
from photomat_chaos.money.workload import DEEDS
from photomat_sandbox.faults import Faults


def test_the_same_seed_plans_the_same() -> None:
    for plan in (vendor_acts, receipt_decisions, operator_acts, money_disruptions):
        assert list(islice(plan(7), 50)) == list(islice(plan(7), 50))
        assert list(islice(plan(7), 50)) != list(islice(plan(8), 50))
    assert list(islice(customer_acts(7, 3), 50)) != list(islice(customer_acts(7, 4), 50))


def test_everything_planned_can_be_done() -> None:
    planned = {act.kind for number in range(6) for act in islice(customer_acts(1, number), 300)}
    assert planned == set(DEEDS)
    assert len(PROMOS) == PROMO_KINDS


def test_every_trouble_can_be_armed() -> None:
    faults = Faults()
    for trouble in VENDOR_FAULTS:
        faults.arm(world=trouble.world, method=trouble.method, action=trouble.action, times=trouble.times)
    assert len(faults.pending()) == len(VENDOR_FAULTS)


def test_the_seed_of_the_gate_strikes_where_it_hurts() -> None:
    """The storm of tests/faults/test_money_storm.py is short; this seed has the worst in its first seconds."""
    at_s, seen = 0.0, set()
    for disruption in money_disruptions(87997):
        at_s += disruption.after_s
        if at_s > 11.0:
            break
        seen.add(disruption.kind)
    assert seen <= {kind for kind, _ in KINDS}
    assert seen >= {"kill", "freeze", "deploy", "restart", "forget_commit", "lose_commit", "sever", "fault"}
