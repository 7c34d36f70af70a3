"""A storm is decided by its seed alone."""

from itertools import islice

from photomat_chaos.weather import KINDS, blows
from photomat_sandbox.faults import Faults

MANY = 300


def test_the_same_seed_blows_the_same_way_again_and_another_does_not() -> None:
    assert list(islice(blows(7), MANY)) == list(islice(blows(7), MANY))
    assert list(islice(blows(7), MANY)) != list(islice(blows(8), MANY))


def test_every_kind_of_blow_comes_and_every_trouble_makes_sense_to_the_simulators() -> None:
    seen = list(islice(blows(1), MANY))
    assert {blow.kind for blow in seen} == {kind for kind, _ in KINDS}
    faults = Faults()
    for trouble in {blow.trouble for blow in seen if blow.trouble is not None}:
        faults.arm(world=trouble.world, method=trouble.method, action=trouble.action, delay_s=trouble.delay_s)
    assert all((blow.trouble is None) == (blow.kind != "fault") for blow in seen)
