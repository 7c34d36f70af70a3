### A restore from a backup: what is stopped and how to go on. For operators.
restore-title = The shop after a restore
restore-done = Restored from { $file }; jobs of unknown outcome: { $jobs }. The shop is paused.
restore-resume-it = This database was restored from a backup. Check it first (photomat restore status), then end the whole pause: photomat resume restore.
restore-payments-unread = Too early: payments have not been read again from their providers (no answer from: { $providers }). Start the bot and wait a minute.
restore-payments-unasked = Too early: payments have not been read again from their providers. Start the bot and wait a minute.
restore-audit-red = Too early: the audit is red ({ $names }).
restore-resumed = The shop works again. Jobs of unknown outcome: { $jobs }, notices about payments that were not sent: { $withheld }.
restore-submit-allowed = The job is in the queue and will be submitted.
restore-submit-certain = What became of this job is known: it must not be submitted again.
restore-submit-task = The job has a task at Kie already: its result will come by itself.

## Backups.
alert-backup = No recent backup
alert-backup-now =
    The last proved backup is { $hours } h old, and it should be no older than { $wanted } h. The shop works, but if the disk fails, everything since then is lost. { $error }

    👉 <code>photomat backup</code> makes one now and says what is wrong; <code>photomat backup list</code> shows those that were made.

setting-about-backup-dir = Folder of backups the bot makes by itself: on another disk than DATA_DIR. Empty: none.
setting-about-backup-every-h = Hours between two of them; 0: none by itself.
setting-about-backup-keep = How many of them stay; 0: all.
