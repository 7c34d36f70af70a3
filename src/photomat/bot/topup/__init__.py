"""Payment methods: Stars, invoices of providers, subscriptions."""
