"""The six ways a job can go: what is set, what goes wrong outside, what is ordered."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from photomat_chaos.lab.arena import Arena
from photomat_chaos.storm.weather import Trouble
from photomat_sandbox.faults import FOR_EVER

PLAIN: Final = ("кот-космонавт",)
QUICK_POLLS: Final = "0.2"
RARE_POLLS: Final = "20"
POLLS_WITH_THE_CALLBACK: Final = "0.8"
LATE_S: Final = 1.5
"""Past the poll that finds the result, and past its delivery."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A way a job can go; `callbacks` is how many Kie sends for it, `poll_first_s` when we look ourselves."""

    poll_first_s: str
    callbacks: int = 1
    troubles: tuple[Trouble, ...] = ()
    prompts: tuple[str, ...] = PLAIN

    def prepare(self, arena: Arena) -> None:
        """Let go wrong outside what shall go wrong."""
        for trouble in self.troubles:
            arena.faults.arm(
                world=trouble.world,
                method=trouble.method,
                action=trouble.action,
                times=trouble.times,
                delay_s=trouble.delay_s,
            )


WAYS: Final[Mapping[str, Way]] = {
    "callback first": Way(poll_first_s=RARE_POLLS),
    "poll first": Way(
        poll_first_s=QUICK_POLLS,
        callbacks=0,
        troubles=(Trouble(world="kie", method="callback", action="never", times=FOR_EVER),),
    ),
    "both at once": Way(
        poll_first_s=POLLS_WITH_THE_CALLBACK,
        callbacks=2,
        troubles=(Trouble(world="kie", method="callback", action="duplicate", times=9),),
    ),
    "late callback": Way(
        poll_first_s=QUICK_POLLS,
        troubles=(Trouble(world="kie", method="callback", action="delay", delay_s=LATE_S, times=9),),
    ),
    "lost create answer": Way(
        poll_first_s=QUICK_POLLS, troubles=(Trouble(world="kie", method="createTask", action="drop_after"),)
    ),
    "failed task": Way(poll_first_s=QUICK_POLLS, prompts=("маяк [fail]",)),
}
