"""Payment providers behind one port: invoices, what they report as paid, refunds."""
