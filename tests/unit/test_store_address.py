"""RESULTS_STORE: a folder or a bucket; an address with a key in it is refused without quoting it."""

from pathlib import Path

import pytest

from photomat.storage.address import BucketAddress, FolderAddress, parse_address


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://bucket", BucketAddress("bucket")),
        ("s3://bucket/", BucketAddress("bucket")),
        ("s3://my.bucket-1/shop/results/", BucketAddress("my.bucket-1", "shop/results")),
        ("/srv/results", FolderAddress(Path("/srv/results"))),
        ("file:///srv/with%20space", FolderAddress(Path("/srv/with space"))),
    ],
)
def test_an_address_is_read_and_written_back(text: str, expected: object) -> None:
    assert parse_address(text) == expected
    assert parse_address(str(expected)) == expected


def test_a_relative_folder_is_the_same_from_everywhere() -> None:
    assert parse_address("results") == FolderAddress(Path.cwd() / "results")


@pytest.mark.parametrize(
    "text",
    [
        "s3://AKIAZQ:zqsecret@bucket/prefix",
        "s3://bucket/prefix?X-Amz-Signature=zqsecret",
        "s3://bucket#zqsecret",
        "https://zqsecret@storage.example/bucket",
        "s3://b/..",
        "s3://bucket/../zqsecret",
        "s3://",
    ],
)
def test_what_is_no_address_is_refused_without_quoting_it(text: str) -> None:
    with pytest.raises(ValueError, match="must ") as caught:
        parse_address(text)
    assert "zqsecret" not in str(caught.value)
