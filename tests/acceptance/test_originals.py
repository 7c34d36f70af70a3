"""The whole program: a bought picture on its card, its original by a tap, and our own copy behind a signed address."""

import hashlib
from pathlib import Path

import aiohttp

from photomat.delivery.fallbacks import sign_result
from photomat.kernel.ids import JobId
from support.endings import ends_well
from support.patience import until_found
from support.system import open_shop

SECRET = "secret-of-the-addresses"


async def test_the_original_comes_by_a_tap_and_its_copy_by_its_address(database: str, tmp_path: Path) -> None:
    async with open_shop(database, tmp_path, CALLBACK_SECRET=SECRET) as system:
        anna = system.customer()
        card = await anna.buys()
        await anna.gets_a_picture()
        await anna.taps("📎 Оригинал", message_id=card)
        await anna.taps("📎 Оригинал", message_id=card)

        async def arrived() -> list[str] | None:
            return [one["media"]["source_sha256"] for one in anna.screen() if one["kind"] == "document"] or None

        (original,) = await until_found(arrived, about=lambda: "the original")
        job_id = JobId((await system.job())["job_id"])
        good = sign_result(job_id, 0, [SECRET.encode()])
        async with aiohttp.ClientSession() as session:
            async with session.get(f"{system.instance.url}/result/{good}") as answer:
                assert answer.status == 200
                assert hashlib.sha256(await answer.read()).hexdigest() == original
            async with session.get(f"{system.instance.url}/result/{good[:-1]}") as answer:
                assert answer.status == 404
        assert good not in system.story
        await ends_well(system, anna, cards=(card,))
        assert len([one for one in anna.screen() if one["kind"] == "document"]) == 1
