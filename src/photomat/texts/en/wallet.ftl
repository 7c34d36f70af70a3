### The wallet as a customer sees it: balance, statement, and the story of every move of money.

## Balance
balance = 💰 Available: <b>{ $available }</b>
wallet-held = ⏳ Set aside: { $held } for { $count } { $count ->
        [one] order
       *[other] orders
    }. You pay only for a finished result, else it comes back.
wallet-owed = ⚠️ Debt: <b>{ $owed }</b>. This money was returned or taken back when you had already spent it. While there is debt, new orders are not accepted. Top up: the debt is paid first, the rest becomes available.
wallet-to-statement = 📄 Statement

## Statement
wallet-statement = 📄 <b>Statement</b> · times are UTC

    💰 Available: <b>{ $available }</b>
wallet-held-for = ⏳ Set aside { $held } for { $count } { $count ->
        [one] order
       *[other] orders
    }: { $orders }
wallet-owes = ⚠️ Debt: { $owed }
wallet-line = <b>{ $number }. { $sum }</b> · { $what }
    <i>{ $when } · balance { $after }</i>
wallet-statement-tap = Tap the number of a line, and I will tell you all about it.
wallet-statement-empty = No money has moved yet.
wallet-plus = +{ $amount }
wallet-minus = −{ $amount }
wallet-zero = { $amount }
wallet-percent = { $code }, +{ $percent } %
wallet-what = { $what }: { $detail }
wallet-order = { $model } “{ $prompt }”
wallet-debt-grew = { $amount } became debt
wallet-debt-paid = { $amount } paid a debt
wallet-not-your-move = There is no such line in your statement. Open it anew: /statement

## What it was
wallet-move-welcome = 👋 Welcome credit
wallet-move-topup = 💳 Top-up
wallet-move-charge = { $kind ->
        [video] 🎬
        [audio] 🎵
        [voice] 🗣
        [text] 📝
       *[image] 🖼
    } Order
wallet-move-refund = ↩️ Refund of an order
wallet-move-undelivered = ↩️ Refund: the result could not be delivered
wallet-move-payment-refund = ↩️ Return of a payment
wallet-move-topup-back = ↩️ Return of a payment refused
wallet-move-debt = ⚖️ Debt paid
wallet-move-correction = ✏️ Correction of an entry
wallet-move-operator-in = 🤝 Credited by an operator
wallet-move-operator-out = 🤝 Debited by an operator
wallet-move-gift-in = 🎁 A gift for you
wallet-move-gift-out = 🎁 Your gift
wallet-move-gift-back = 🎁 Gift
wallet-move-promo-in = 🎟 Promo code
wallet-move-promo-out = 🎟 Promo code credit taken back
wallet-move-bonus-in = 🎉 Top-up bonus
wallet-move-bonus-out = 🎉 Top-up bonus taken back
wallet-move-referral-in = 👥 Reward for an invitation
wallet-move-referral-out = 👥 Reward for an invitation taken back
wallet-move-subscription-in = ⭐ Subscription allowance
wallet-move-subscription-out = ⭐ Subscription allowance taken back
wallet-referral-inviter = a friend's first order
wallet-referral-friend = you came by an invitation
wallet-referral-percent = a share of a friend's top-up
wallet-way-stars = Telegram Stars
wallet-way-yookassa = YooKassa
wallet-way-cryptopay = Crypto Pay
wallet-way-transfer = bank transfer
wallet-stars = ⭐ { $count }

## The story of one line
wallet-story = 🧾 <b>{ $sum }</b> · { $what }
wallet-story-when = { $when } UTC · balance after: { $after }
wallet-story-order = Order No. { $number }: { $order }
wallet-story-bought = • { $when }: ordered, its price fixed at { $price }
wallet-story-held = • { $when }: { $amount } set aside
wallet-story-open = • still being made, the money is set aside but not charged
wallet-story-charged = • { $when }: the result was ready, { $amount } charged
wallet-story-released = • { $when }: it failed or was canceled, { $amount } returned to the balance
wallet-story-paid = Paid { $amount } with { $way }, { $when } UTC.
wallet-story-given-back = • { $when }: { $amount } was given back to you (<code>{ $reference }</code>)
wallet-story-taken-back = • { $when }: { $amount } of it was taken back (<code>{ $reference }</code>)
wallet-story-number = Number to name to support: <code>{ $reference }</code>
wallet-to-page = ◀️ To the statement
wallet-why-welcome = Given once, when you open the bot for the first time.
wallet-why-topup = The money was credited once, by the number of its payment.
wallet-why-undelivered = The result was ready but did not reach you for days, so the money came back by itself.
wallet-why-payment-refund = The payment goes back the way it came, so its sum left the balance.
wallet-why-topup-back = The payment could not go back the way it came, so the money is on your balance again.
wallet-why-debt = Money that became free paid the debt first.
wallet-why-correction = A wrong entry was turned round as a whole: its sum was booked the other way.
wallet-why-operator-in = Credited by hand. You wonder what for? Ask support and name the number below.
wallet-why-operator-out = Debited by hand. You wonder what for? Ask support and name the number below.
wallet-why-gift-in = This money was given to you, spend it as your own.
wallet-why-gift-out = You gave this money away.
wallet-why-gift-back = Nobody opened the gift in time, or you took it back yourself: the money is yours again.
wallet-why-promo-in = The promo code was accepted, its sum is credited.
wallet-why-promo-out = The payment the promo code was used with was returned, and its credit with it.
wallet-why-bonus-in = Added to your top-up.
wallet-why-bonus-out = The top-up the bonus was added to was returned, and the bonus with it.
wallet-why-referral-in = Thank you for bringing friends!
wallet-why-referral-out = The payment this reward was for was returned, and the reward with it.
wallet-why-subscription-in = The next period of the subscription is paid.
wallet-why-subscription-out = The payment for the subscription was returned, and the allowance with it.
