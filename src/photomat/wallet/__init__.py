"""Users' money: a double-entry ledger in which every move happens once, and no wallet goes below zero."""
