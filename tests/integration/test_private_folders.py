"""Results and inputs of customers are readable by our own user alone, whatever the umask, also those of an older version."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from photomat.files.sources import empty_folder
from photomat.kernel.private_files import tighten
from support.delivery import delivery_desk
from support.telegram_media import picture


@pytest.fixture(autouse=True)
def usual_umask() -> Iterator[None]:
    before = os.umask(0o022)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    found = {each.relative_to(folder.parent): each.stat().st_mode for each in (folder, *folder.rglob("*"))}
    return {str(name): f"{stat.S_IMODE(mode):o}" for name, mode in found.items()}


async def test_a_delivered_result_is_private(database: str, tmp_path: Path) -> None:
    async with delivery_desk(database, tmp_path) as desk:
        job_id = await desk.done_job(desk.files.add("cat.png", picture(), "image/png"))
        await desk.deliver()
        kept = desk.folder
        assert modes(kept) == {
            kept.name: "700",
            f"{kept.name}/{job_id}": "700",
            f"{kept.name}/{job_id}/0.png": "600",
        }


def test_what_an_older_version_left_open_is_closed_at_a_start(tmp_path: Path) -> None:
    job = tmp_path / "results" / "7"
    job.mkdir(parents=True)
    (job / "0.png").write_bytes(b"x")
    (tmp_path / "outside").write_bytes(b"x")
    (job / "link").symlink_to(tmp_path / "outside")
    assert tighten(tmp_path / "results") == 2
    assert (modes(tmp_path / "results")["results/7"], modes(job)["7/0.png"]) == ("700", "600")
    assert stat.S_IMODE((tmp_path / "outside").stat().st_mode) == 0o644, "a link leads nowhere"
    assert tighten(tmp_path / "results") == 0
    assert tighten(tmp_path / "none") == 0


def test_the_folder_for_copies_is_private(tmp_path: Path) -> None:
    empty_folder(tmp_path / "tmp")
    assert modes(tmp_path / "tmp") == {"tmp": "700"}
