# What operators are told, beside the incidents in chat.ftl.

alert-disk = The disk is nearly full
alert-disk-now =
    { $free } MB are free on the disk of DATA_DIR, the threshold is { $threshold } MB. Nothing is lost: when it is full, results still reach customers, but no copies are kept, and an embedded database stops taking orders until there is room.

    👉 <code>photomat prune --dry-run</code> shows what could go with shorter KEEP_…_DAYS; or make the disk larger.

alert-database-size = The database has grown large
alert-database-size-now =
    It takes { $size } MB, the threshold DATABASE_ALERT_MB is { $threshold } MB. Customers notice nothing yet.

    👉 <code>photomat prune --dry-run</code> shows what could go with shorter KEEP_…_DAYS; or choose a larger plan and raise the threshold.

alert-proof-missing = The nightly audit is missing
alert-proof-missing-now =
    The last full check of the books finished { $hours } hours ago; there must be one every night. By day only new rows are checked, so a mistake in older ones would go unnoticed. Customers notice nothing.

    👉 <code>photomat audit --store</code> runs the check now. Then look in the log for why the night had none (DUTY_ERROR with duty=proof).

alert-button-show = 📤 Show all again
alert-button-retry = 🔁 Retry
alert-button-match = 🧩 Match now
alert-button-send = ▶️ Try now
alert-button-unpark = 🔁 Handle again
alert-button-check = 🔍 Check now
alert-button-jobs = 📄 Open
alert-button-bills = 🧾 Receipts
alert-button-state = 💓 State
alert-button-sess = 👁 Show
alert-button-take = 👌 I take it
alert-button-console = 🖥 In the console
alert-checked-fine = 🔍 Checked: all is well now. If it stays so, the incident ends by itself.
alert-checked-again = 🔍 Checked: it has begun again. If it does not pass, a new message comes.
alert-checked-unknown = 🔍 It could not be checked: the service does not answer. The next check comes by itself.
