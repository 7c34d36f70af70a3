"""Money coming in and going back. The books are `wallet`'s.

A top-up is committed before it can be paid (`service`, `topup`). Every way in ends in `receive.receive_payment`, which credits
a payment once by its provider's id: Stars by update (`stars`) or from Telegram's list (`stars_reader`), providers' invoices
(`invoices`), transfers approved by an operator (`transfers`). Every way back is in `refunds`.
"""
