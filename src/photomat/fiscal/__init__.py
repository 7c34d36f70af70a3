"""Fiscal receipts: the documents the tax law wants for every payment and refund, each issued exactly once."""
