"""The newest release is the newest by its numbers."""

from pathlib import Path

from support.releases import version_of


def test_the_tenth_comes_after_the_ninth() -> None:
    names = ["photomat-0.10.0.zip", "photomat-0.9.2.zip", "photomat-0.9.10.zip"]
    assert max(map(Path, names), key=version_of).name == "photomat-0.10.0.zip"
