### The card of an order: options with what they change in the price, a gift.
card-option-chosen = ✓ { $value }
card-option-dearer = { $value } +{ $price }
card-option-cheaper = { $value } −{ $price }
card-option-more = …
card-option-list = { $title }: { $value } ▾
card-switch-is-on = ☑️ { $title }
card-switch-is-off = ⬜ { $title }
card-auto = Auto
card-count = ×{ $count }
card-why = ❓ Price
card-voucher = 🎟 Use my gift
card-voucher-note = 🎟 A gift by promo code { $code }, left: { $left }. Use it for this order or keep it: you decide.
card-back = ◀️ To the order
why-begun = A begun { $each } counts in full.
