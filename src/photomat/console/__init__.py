"""The operators' web console: pages below /console/, who may see them, and forms that call `operators`. No rule lives here."""
