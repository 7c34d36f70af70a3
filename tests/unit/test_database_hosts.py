"""A DATABASE_URL that names several servers."""

import pytest

from photomat.db.hosts import each_server
from photomat.db.pool import display_name


@pytest.mark.parametrize(
    ("url", "servers"),
    [
        ("postgresql://u:p@db1/shop", ["postgresql://u:p@db1/shop"]),
        (
            "postgresql://u:p@db1:5432,db2:5433/shop?sslmode=require",
            ["postgresql://u:p@db1:5432/shop?sslmode=require", "postgresql://u:p@db2:5433/shop?sslmode=require"],
        ),
        (
            "postgresql://u:p@/shop?host=/a,/b&port=5432",
            ["postgresql://u:p@/shop?host=%2Fa&port=5432", "postgresql://u:p@/shop?host=%2Fb&port=5432"],
        ),
        (
            "postgresql://u@/shop?host=db1,db2&port=1,2",
            ["postgresql://u@/shop?host=db1&port=1", "postgresql://u@/shop?host=db2&port=2"],
        ),
        ("postgresql://u@/shop?host=/a", ["postgresql://u@/shop?host=/a"]),
    ],
)
def test_each_server_has_a_url_of_its_own(url: str, servers: list[str]) -> None:
    assert list(each_server(url)) == servers


@pytest.mark.parametrize(
    ("url", "name"),
    [
        ("postgresql://anna:secret@db1:5432,db2:5433/shop", "anna@db1:5432,db2:5433/shop"),
        ("postgresql://anna:secret@/shop?host=/a,/b", "anna@/a,/b/shop"),
        ("postgresql://anna:sec/ret@db1,db2/shop", "the database of DATABASE_URL"),
    ],
)
def test_all_of_them_are_named_and_no_password(url: str, name: str) -> None:
    assert display_name(url) == name
