"""What an operator is told of a migration before it runs: which tables it locks, and against whom."""

import pytest

from photomat.backup.upgrade import TableLocks, locks_of
from photomat.db.migrate import Migration, read_migrations


def locks(sql: str) -> TableLocks:
    return locks_of(Migration(number=1, name="0001_it", sql=sql))


@pytest.mark.parametrize(
    ("sql", "exclusive", "writers"),
    [
        ("CREATE TABLE new (id int); CREATE INDEX new_by_id ON new (id);", (), ()),
        ("ALTER TABLE users ADD COLUMN age int;", ("users",), ()),
        ("LOCK TABLE users, wallets IN ACCESS EXCLUSIVE MODE;", ("users", "wallets"), ()),
        ("CREATE UNIQUE INDEX users_name ON users (name);", (), ("users",)),
        ("-- ALTER TABLE users ADD COLUMN age int;\nSELECT 1;", (), ()),
        ("UPDATE users SET age = 1;", (), ("users",)),
    ],
)
def test_locks_are_read_from_the_text(sql: str, exclusive: tuple[str, ...], writers: tuple[str, ...]) -> None:
    assert locks(sql) == TableLocks(exclusive=exclusive, writers=writers)


def test_every_migration_of_ours_can_be_read() -> None:
    found = {migration.name: locks_of(migration) for migration in read_migrations()}
    assert found["0039_controls"].exclusive == ("instances",)
    assert found["0022_indexes_of_jobs"].writers
    assert all(name.isidentifier() for each in found.values() for name in (*each.exclusive, *each.writers))
