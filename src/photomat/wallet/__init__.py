"""Users' money: a double-entry ledger in which every posting happens once and no wallet goes below zero."""
