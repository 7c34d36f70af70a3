### Backups on the page "Health" and in the journal.
did-restore = restore from a backup
did-submit-again = submit an uncertain job
health-figure-backup = Backup
health-figure-backup-none = none
health-figure-backup-good = proved
health-figure-backup-bad = not proved
health-restored = Restored from { $file } as of { $snapshot }; the shop is paused. Jobs of unknown outcome: { $jobs }. Payments { $read ->
    [yes] were read again from their providers
   *[no] are being read again
}. Check it with photomat restore status, then end the pause "{ restore-title }".
