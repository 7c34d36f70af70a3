"""Ways to pay: Stars, invoices of providers, subscriptions."""
