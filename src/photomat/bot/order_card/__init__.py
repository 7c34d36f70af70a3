"""The card of a draft: buy, change, explain the price, cancel."""
