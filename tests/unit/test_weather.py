"""A storm is decided by its seed alone."""

from itertools import islice

from photomat_chaos.storm.faults import AT_LARGE, KINDS, MEETING, disruptions
from photomat_sandbox.faults import Faults

MANY = 2000


def test_the_same_seed_blows_the_same_way_again_and_another_does_not() -> None:
    assert list(islice(disruptions(7), MANY)) == list(islice(disruptions(7), MANY))
    assert list(islice(disruptions(7), MANY)) != list(islice(disruptions(8), MANY))


def test_every_kind_of_blow_comes_and_every_trouble_makes_sense_to_the_simulators() -> None:
    seen = list(islice(disruptions(1), MANY))
    assert {disruption.kind for disruption in seen} == {kind for kind, _ in KINDS}
    faults = Faults()
    for fault in {disruption.vendor_fault for disruption in seen if disruption.vendor_fault is not None}:
        faults.arm(world=fault.world, method=fault.method, action=fault.action, delay_s=fault.delay_s)
    assert all((disruption.vendor_fault is None) == (disruption.kind != "fault") for disruption in seen)


def test_every_blow_is_carried_out_by_somebody() -> None:
    assert {kind for kind, _ in KINDS} == {*AT_LARGE, *MEETING, "fault"}


def test_the_seed_of_the_gate_holds_every_kind_of_blow() -> None:
    """The storm of tests/faults/test_storm.py is short; this seed has everything in its first seconds."""
    at_s, seen = 0.0, set()
    for disruption in disruptions(18813):
        at_s += disruption.after_s
        if at_s > 14.0:
            break
        seen.add(disruption.kind)
    assert seen == {kind for kind, _ in KINDS}


def test_a_fault_aimed_at_rings_strikes_nothing_but_replies() -> None:
    faults = Faults()
    faults.arm(world="telegram", method="sendMessage.reply", action="drop_after")
    assert faults.take("telegram", "sendMessage") is None
    struck = faults.take("telegram", "sendMessage", specific="sendMessage.reply")
    assert struck is not None
    assert struck.action == "drop_after"
    assert not faults.pending()
