alert-partitions = Partitions are running out
alert-partitions-now =
    The tables { $tables } have partitions for { $left } more jobs: no new ones have been made for long. Nothing is lost, and purchases and results go on; rows without a partition lie in the default one and move when theirs is made.

    👉 Look in the log for DUTY_ERROR with duty=partitions, or PARTITION_WAITS. Most often a session has kept a transaction open for hours: end it. The next pass makes the partitions, within 10 minutes.
