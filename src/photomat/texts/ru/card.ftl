### Карточка заказа: варианты с разницей в цене, подарок. Ключи те же, что в en.
card-option-chosen = ✓ { $value }
card-option-dearer = { $value } +{ $price }
card-option-cheaper = { $value } −{ $price }
card-option-more = …
card-option-list = { $title }: { $value } ▾
card-switch-is-on = ☑️ { $title }
card-switch-is-off = ⬜ { $title }
card-auto = Авто
card-count = ×{ $count }
card-why = ❓ Цена
card-voucher = 🎟 Потратить подарок
card-voucher-note = 🎟 Подарок по промокоду { $code }, осталось: { $left }. Потратить его на этот заказ или сохранить — решаете вы.
card-back = ◀️ К заказу
why-begun = Начатые { $each } считаются целиком.
