fiscal-notice-issued = 🧾 Your fiscal receipt for { $amount } is ready: the payment is registered with the tax service.
fiscal-notice-rest = 🧾 A new fiscal receipt for { $amount }: what is left of the payment after the refund.
fiscal-notice-annulled = 🧾 The fiscal receipt for { $amount } is annulled: the money went back.
fiscal-notice-annulled-part = 🧾 The fiscal receipt for { $amount } is annulled: { $refunded } went back. One for the rest will follow.
fiscal-notice-refund = 🧾 The fiscal receipt of your refund of { $amount } is ready.
fiscal-open-receipt = Open the receipt
health-loop-fiscal = Fiscal receipts
