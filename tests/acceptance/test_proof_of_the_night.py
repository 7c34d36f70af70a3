"""The running bot proves its own books: one proof a night, kept by the ACTIVE instance without anybody asking."""

from pathlib import Path

from support.patience import until
from support.system import running_system


async def test_the_active_instance_keeps_the_proof_of_the_night(database: str, tmp_path: Path) -> None:
    async with running_system(database, tmp_path) as system:
        instance = await system.start()
        await until(lambda: instance.lines("AUDIT_KEPT"), about=lambda: system.story)
        async with system.sql() as connection:
            proofs = await connection.fetch("SELECT night, violations, invariants FROM audit_runs")
        assert [(proof["night"] is None, proof["violations"]) for proof in proofs] == [(False, [])]
        assert await instance.stop() == 0
