"""Hostile callbacks and webhooks against the endpoints of two running processes.

Each case is decided by its seed and number, and by the victims of its round. Whatever is sent, an endpoint answers with a
refusal or with 200; a victim's money, drafts and jobs move only as its own owner and Kie move them.
"""

import asyncio
import base64
import hashlib
import hmac
import random
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from typing import Final

from photomat.kernel.ids import JobId
from photomat.kie.signature import SIGNATURE_HEADER, TIMESTAMP_HEADER, sign_job
from photomat.web.telegram_webhook import SECRET_HEADER
from photomat_chaos.fuzz import kie as fuzz_kie
from photomat_chaos.fuzz.environment import WEBHOOK_KEY, WELCOME, FuzzEnvironment, VictimJob, buy, draft_of, join
from photomat_chaos.fuzz.payloads import Targets, dressed, hostile_update
from photomat_chaos.fuzz.wire import CLOSED, CUT, HUNG, RawRequest, Wire, post, wire_to

AT_ONCE: Final = 24
VICTIMS: Final = 12
ATTACKERS: Final = 30
FIRST_VICTIM: Final = 7_100_000
FIRST_UPDATE: Final = 10_000_000
JOBS_A_ROUND: Final = 60
ODD_TOKENS: Final = (
    b"",
    b".",
    b"1",
    b"1.",
    b"1.00000000000000000000000000000000",
    b"-1.abc",
    b"%00",
    b"%ff%fe",
    b"\xff\xfe",
    b"%ED%A0%80.%ED%B0%80",
    b"1.%ED%B0%80",
    b"1.\xed\xb0\x80",
    b"1.\xd0\xb6",
    b"1.%D0%B6",
    b"9" * 18 + b".x",
    b"9" * 19 + b".x",
    b"9" * 5000 + b".x",
    b"%D9%A3.x",
    b"1/2",
    b"..%2f..%2fmetrics",
    b"a" * 7000,
    b"a" * 9000,
    b"1.x?y=%zz",
    b"1.x%0d%0aX:y",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class FuzzRound:
    """The victims of one round, and what attackers know of them."""

    aims: Targets
    tasks: Sequence[tuple[JobId, str]]


@dataclass(slots=True, kw_only=True)
class EndpointFuzzer:
    """Both endpoints of both processes; `offences` are the cases with a forbidden answer."""

    environment: FuzzEnvironment
    seed: int
    statuses: Counter[str] = field(default_factory=Counter)
    offences: list[tuple[int, str, bytes]] = field(default_factory=list)

    async def prepare(self, number: int) -> FuzzRound:
        """Create new victims' drafts and jobs for a round; half of the jobs wait to be submitted to a lying Kie."""
        environment = self.environment
        bot_id = environment.program.bot_id
        attackers = [
            environment.telegram.add_person(first_name="Мэллори", user_id=6_600_000 + place, started=True).user_id
            for place in range(ATTACKERS)
        ]
        victims = [FIRST_VICTIM + place for place in range(VICTIMS)]
        drafts, bought = [], list[VictimJob]()
        for user_id in victims:
            environment.telegram.add_person(first_name="Анна", user_id=user_id, started=True)
            user = await join(environment.open_pool, user_id, WELCOME)
            drafts.append(await draft_of(environment.open_pool, bot_id, user, origin=f"fuzz draft {number} {user_id}"))
            for place in range(JOBS_A_ROUND // VICTIMS):
                one = await buy(environment.open_pool, bot_id, user, origin=f"fuzz job {number} {user_id} {place}")
                bought += [] if one is None else [one]
        chance = random.Random(f"{self.seed}:round:{number}")  # noqa: S311  repeatable on purpose
        environment.process_kie.record = lambda task_id: fuzz_kie.record_answer(chance, task_id, environment.trap.port)
        environment.process_kie.create = lambda job_id: fuzz_kie.create_answer(
            chance, f"task-{number}-{job_id}", environment.trap.port
        )
        aims = Targets(
            attackers=attackers,
            victims=victims,
            drafts=[draft.draft_id for draft in drafts],
            jobs=[one.job_id for one in bought],
            cards=[one.card for one in bought],
        )
        return FuzzRound(aims=aims, tasks=[(one.job_id, f"task-{number}-{one.job_id}") for one in bought])

    async def fire(self, this: FuzzRound, callbacks: Sequence[int], webhooks: Sequence[int]) -> None:
        cases = iter(sorted((*((number, True) for number in callbacks), *((number, False) for number in webhooks))))
        async with AsyncExitStack() as stack:
            lines = [
                [await stack.enter_async_context(wire_to(instance.url)) for instance in self.environment.instances]
                for _ in range(AT_ONCE)
            ]

            async def worker(wires: Sequence[Wire]) -> None:
                for number, is_callback in cases:
                    place, request = (self.callback if is_callback else self.webhook)(this, number)
                    status = await wires[place].send(request)
                    self._judge("callback" if is_callback else "webhook", number, status, request)

            async with asyncio.TaskGroup() as group:
                for wires in lines:
                    group.create_task(worker(wires))

    def callback(self, this: FuzzRound, number: int) -> tuple[int, RawRequest]:
        """The callback of this number, and the process it goes to."""
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311  repeatable on purpose
        keyed = chance.randrange(2)
        job_id, task_id = chance.choice(this.tasks)
        task_id = chance.choice((task_id, task_id, task_id, chance.choice(this.tasks)[1], f"unknown-{number}"))
        body = fuzz_kie.callback_body(chance, task_id, self.environment.trap.port)
        signed = sign_job(job_id, self.environment.settings.callback_secrets).encode()
        of_no_job = sign_job(JobId(10**15 + number), self.environment.settings.callback_secrets).encode()
        path = b"/kie/callback/" + chance.choices((signed, of_no_job, chance.choice(ODD_TOKENS)), (70, 8, 22))[0]
        if chance.random() < 0.15:  # noqa: PLR2004  the general endpoint
            path = b"/kie/callback"
        return keyed, post(chance, path, body, _kie_headers(chance, task_id) if chance.random() < 0.8 else {})  # noqa: PLR2004

    def webhook(self, this: FuzzRound, number: int) -> tuple[int, RawRequest]:
        chance = random.Random(f"{self.seed}:{number}")  # noqa: S311  repeatable on purpose
        update_id: object = FIRST_UPDATE + number
        if chance.random() < 0.03:  # noqa: PLR2004  a share
            update_id = chance.choice((-1, 0, 2**63, 2**63 - 1 - number, True, 1.5, "7", None))
        body = dressed(chance, hostile_update(chance, update_id, this.aims))
        secret = self.environment.settings.webhook_secret
        if chance.random() < 0.08:  # noqa: PLR2004  a share
            secret = chance.choice(("", "x", secret[:-1], secret.upper(), "\udcff", "ü", "a" * 4000))
        return chance.randrange(2), post(chance, b"/telegram/webhook", body, {SECRET_HEADER: secret})

    def _judge(self, endpoint: str, number: int, status: int, request: RawRequest) -> None:
        word = {HUNG: "hung", CUT: "we hung up", CLOSED: "closed"}.get(status, f"{status}")
        self.statuses[f"{endpoint} {word}"] += 1
        if status == HUNG or status >= 500:  # noqa: PLR2004  a server's own failure
            self.offences.append((number, f"a {endpoint} was answered: {word}", request.raw))


def _kie_headers(chance: random.Random, task_id: str) -> dict[str, str]:
    """Kie's signature: right, for another moment, or no signature at all."""
    now = int(time.time())
    stamp = chance.choice(
        (f"{now}",) * 6 + (f"{now - 4000}", f"{now + 4000}", "0", "-1", "٣", "9" * 40, "", "1.5", "\udcff")
    )
    key = WEBHOOK_KEY if chance.random() < 0.8 else "guess"  # noqa: PLR2004  a share
    message = f"{task_id}.{stamp}".encode("utf-8", "surrogateescape")
    signature = base64.b64encode(hmac.new(key.encode(), message, hashlib.sha256).digest()).decode()
    if chance.random() < 0.1:  # noqa: PLR2004  a share
        signature = chance.choice(("", "=", "\udcff", "ü", signature[:-2], signature + "=" * 300))
    return {TIMESTAMP_HEADER: stamp, SIGNATURE_HEADER: signature}
