"""Backups of the database, the proof that they can be restored, and the restore itself."""
