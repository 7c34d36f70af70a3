"""Whatever keeps the embedded PostgreSQL from starting is said in one sentence that helps."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from photomat.db.embedded import Embedded
from photomat.kernel.errors import Startup
from support.owner import AS_NOBODY, as_root, needs_setpriv, owner_of


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of eight megabytes: enough for a folder, not for a database."""
    place = tmp_path / "disk"
    place.mkdir()
    mount, umount = shutil.which("mount"), shutil.which("umount")
    if mount is None or umount is None:
        pytest.skip("there is no mount here")
    done = subprocess.run([mount, "-t", "tmpfs", "-o", "size=8m", "photomat", str(place)], check=False, timeout=120)
    if done.returncode != 0:
        pytest.skip("this system does not let us mount")
    yield place
    subprocess.run([umount, str(place)], check=True, timeout=120)


@as_root
def test_a_full_disk_at_the_first_start_is_named_and_leaves_nothing_behind(small_disk: Path) -> None:
    with pytest.raises(Startup, match=rf"no space left on the disk of {small_disk}"):
        Embedded.start(small_disk)
    assert {path.name for path in small_disk.iterdir()} == {"photomat.lock"}


@as_root
def test_a_disk_that_fills_up_between_two_runs_is_named(tmp_path: Path, small_disk: Path) -> None:
    Embedded.start(tmp_path / "data").stop()
    subprocess.run(["/bin/mount", "-o", "remount,size=100m", str(small_disk)], check=True, timeout=120)
    data_dir = small_disk / "data"
    subprocess.run(["/bin/cp", "-a", str(tmp_path / "data"), str(data_dir)], check=True, timeout=600)
    fill(small_disk / "ballast")
    with pytest.raises(Startup, match="no space left on the disk"):
        Embedded.start(data_dir)
    (small_disk / "ballast").unlink()
    Embedded.start(data_dir).stop()


def fill(file: Path) -> None:
    with suppress(OSError), file.open("wb", buffering=0) as stream:
        while True:
            stream.write(bytes(4096))


def test_data_of_another_major_version_is_refused_untouched(tmp_path: Path) -> None:
    Embedded.start(tmp_path).stop()
    mark = tmp_path / "postgres" / "PG_VERSION"
    mark.write_text("16\n")
    with pytest.raises(Startup, match="made by PostgreSQL 16 and this program brings 18"):
        Embedded.start(tmp_path)
    assert mark.read_text() == "16\n"


def test_a_folder_that_holds_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "postgres").mkdir()
    (tmp_path / "postgres" / "holiday.jpg").touch()
    with pytest.raises(Startup, match="does not hold a database"):
        Embedded.start(tmp_path)
    assert (tmp_path / "postgres" / "holiday.jpg").exists()


def test_a_data_dir_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "data").touch()
    with pytest.raises(Startup, match=rf"{tmp_path}/data cannot be used"):
        Embedded.start(tmp_path / "data")


@as_root
@needs_setpriv
def test_a_data_dir_that_is_not_ours_to_write_is_named() -> None:
    with owner_of(Path("/usr/photomat"), prefix=AS_NOBODY) as owner:
        said = owner.line()
    assert said.startswith("refused: /usr/photomat is not ours to write")
    assert "DATA_DIR" in said


def test_a_server_that_will_not_start_gives_its_own_reason_and_the_lock_back(tmp_path: Path) -> None:
    with pytest.raises(Startup, match=r'invalid value for parameter "shared_buffers".*postgres\.log'):
        Embedded.start(tmp_path, settings={"shared_buffers": "a lot"})
    Embedded.start(tmp_path).stop()
