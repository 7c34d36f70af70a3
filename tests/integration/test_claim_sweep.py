"""The claims of an instance that is gone are freed at once; while all are alive a sweep is rare."""

from photomat.app.duties import MAX_SKIPPED, ClaimSweep
from photomat.app.polled import PolledState
from photomat.cluster.instances import Heartbeat
from photomat.cluster.leader import ActiveState
from photomat.kernel.ids import InstanceId
from support.database import pool_of
from support.jobs import ONE, TWO, a_job, a_user, claim_submit, row_of


async def test_claims_are_freed_when_an_instance_is_gone_and_now_and_then_in_any_case(database: str) -> None:
    async with pool_of(database) as pool:
        one, two = (Heartbeat(pool, name, ActiveState(), version="1") for name in (ONE, TWO))
        await one.beat()
        await two.beat()
        job_id = await a_job(pool, await a_user(pool))
        await claim_submit(pool, job_id, instance=ONE)
        sweep = ClaimSweep(pool=pool, polled=PolledState())
        await sweep.sweep_if_due()
        assert (await row_of(pool, job_id))["leased_until"] is not None
        await one.leave()
        await sweep.sweep_if_due()
        assert (await row_of(pool, job_id))["leased_until"] is None

        await claim_submit(pool, job_id, instance=InstanceId("never seen"))
        freed = []
        for _ in range(MAX_SKIPPED + 1):
            await sweep.sweep_if_due()
            freed.append((await row_of(pool, job_id))["leased_until"] is None)
        assert freed == [False] * MAX_SKIPPED + [True]
