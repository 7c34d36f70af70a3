"""PostgreSQL: connections, wake-ups, migrations, whose database it is, and an embedded server where none is given."""
