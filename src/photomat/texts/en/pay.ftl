### Top-ups, payments, refunds.

## News of payments
payment-received = 💰 <b>{ $credit }</b> added. Available: <b>{ $available }</b>.
payment-received-bonus = 💰 <b>{ $credit }</b> added, and a bonus of <b>{ $bonus }</b>. Available: <b>{ $available }</b>.
payment-received-owing = 💰 <b>{ $credit }</b> added. Part of it paid your debt, <b>{ $owed }</b> is still owed: top up once more and orders open again.
payment-received-part = 💰 <b>{ $credit }</b> added: { $paid } of { $billed } arrived. Available: <b>{ $available }</b>. You can pay the rest: /topup
payment-received-part-bonus = 💰 <b>{ $credit }</b> added, and a bonus of <b>{ $bonus }</b>: { $paid } of { $billed } arrived. Available: <b>{ $available }</b>.
payment-received-month = 💰 <b>{ $credit }</b> added: ⭐ your subscription is paid until { $until }. Available: <b>{ $available }</b>.
subscription-not-renewed = ⚠️ Your subscription was not renewed: { $stars } ⭐ were not there. It is paid until { $until }. Top up your Stars in Telegram, it will be tried again by itself.
payment-run-order = ✅ Create · { $price }
payment-refunded = ↩️ { $is_part ->
        [yes] A part of your payment
       *[no] Your payment
    } was returned: <b>{ $amount }</b> went back where it came from and left your balance{ $has_bonus ->
        [yes] , and so did the bonus that had come with it: <b>{ $bonus }</b>
       *[no] {""}
    }.
payment-refunded-owing = ↩️ { $is_part ->
        [yes] A part of your payment
       *[no] Your payment
    } was returned: <b>{ $amount }</b>{ $has_bonus ->
        [yes] , and the bonus that had come with it left your balance too: <b>{ $bonus }</b>
       *[no] {""}
    }. Part of it had been spent, so you owe <b>{ $owed }</b>. Top up and orders open again.
payment-refund-refused = ↩️ The payment could not be returned: <b>{ $amount }</b> is on your balance again. The operator knows and will contact you.

## The menu of ways
menu-topup = 💳 Top up
command-topup = Top up the balance
command-paysupport = Questions about payments
command-terms = Terms
pay-ways = 💳 <b>Top up</b>

    Available now: <b>{ $balance }</b>. How would you like to pay?
pay-for-order = 🧾 Your order needs <b>{ $missing }</b> more. It is kept: when the money is there, one button runs it.
pay-nothing-open = Paying is not set up right now. Come back later: your orders and your balance stay.
pay-way-stars = ⭐ Telegram Stars
pay-way-yookassa = 💳 Card or SBP
pay-way-cryptopay = 🪙 Crypto
pay-way-transfer = 🏦 Bank transfer
pay-way-subscription = ⭐ Subscription
pay-way-closed = This way to pay is switched off right now, nothing was charged. Please choose another.
pay-limit = That is a lot of payments for one day: { $limit } in 24 hours. Nothing was charged, and your balance is available. You can top up again in { $wait }.
pay-packages = ⭐ <b>Telegram Stars</b>

    How many Stars to pay, and what comes to your balance:
pay-package = ⭐ { $stars } → { $credit }
pay-package-more = ⭐ { $stars } → { $credit } (+{ $percent }%)
pay-sums = <b>{ $way }</b>

    How much shall it be?
pay-sum = { $sum }
pay-stars = { $stars } ⭐
pay-with-bonus = { $label } + 🎁 { $bonus }
pay-bonus-waits = 🎁 Your promo code adds { $percent } % to the next top-up: the buttons show the bonus.
pay-own-sum = ✍️ Another sum
pay-ask-sum = Type a sum between { $least } and { $most }.
pay-wrong-sum = This sum will not do. Type a number between { $least } and { $most }, for example 750. Changed your mind: /cancel
pay-back = ⬅️ Back
pay-back-to-ways = ⬅️ Another way
pay-again = 🔄 Try again

## The bill
pay-title = Top up: { $credit }
pay-description = { $credit } comes to your balance. It pays for pictures, videos and music in this bot and never expires.
pay-stars-bill = ⭐ <b>{ $stars }</b> → <b>{ $credit }</b>

    Tap the button and confirm in Telegram. The money is there at once, and I will tell you.
pay-stars-button = ⭐ Pay { $stars }
pay-bill = <b>{ $way }</b>: a bill for <b>{ $sum }</b>

    Tap the button, pay on the page that opens, and come back. When the money is there I will tell you.
pay-bill-button = Pay { $sum }
pay-check = 🔄 Check the payment
pay-check-paid = Paid, the money is on your balance.
pay-check-open = Checking. If you have paid, the money is here in a few seconds, and I will tell you.
pay-bill-paid = ✅ This bill is paid, the money is on your balance.
pay-bill-ended = ✅ The bill is paid: <b>{ $credit }</b> on your balance.
pay-bill-canceled = ✖️ This bill was canceled or has expired, nothing was charged for it.
pay-check-canceled = This bill was canceled or has expired, nothing was charged. Make a new one: /topup
pay-provider-trouble = <b>{ $way }</b> does not answer right now, nothing was charged. Try again or choose another way.

## What Telegram shows when it may not be paid
checkout-closed = This way to pay is switched off, nothing was charged. Open /topup.
checkout-unknown = I do not know this bill, nothing was charged. Open /topup and choose a sum.
checkout-paid = This bill is paid already, nothing was charged a second time. To top up again: /topup.
checkout-expired = The bill is out of date, nothing was charged. Open /topup, a new one takes a second.
checkout-blocked = You have stopped the bot, nothing was charged. Open the chat, press Start and try again.
checkout-limit = That is a lot of payments for one day, nothing was charged. You can pay again in { $wait }.
checkout-subscribed = You have a subscription already, nothing was charged. See it in /topup → “⭐ Subscription”.
checkout-trouble = Payments cannot be taken right now, nothing was charged. Please try again in a minute.

## The subscription
pay-plan = ⭐ <b>Subscription</b>

    <b>{ $stars }</b> Stars a month, and every month <b>{ $credit }</b> comes to your balance. It never expires: what you do not spend stays. Cancel at any time, what is paid stays yours.
pay-plan-more = 🎁 <b>+{ $percent } %</b> with each payment: more than the same Stars paid once.
pay-subscribe = ⭐ Subscribe for { $stars } a month
pay-subscribe-button = ⭐ Subscribe for { $stars }
pay-subscribed = ⭐ <b>Subscription</b>

    <b>{ $stars }</b> Stars a month, <b>{ $credit }</b> to your balance every month. It never expires.
pay-subscription-active = ✅ Paid until { $until }, then it goes on by itself.
pay-subscription-failed = ⚠️ Paid until { $until }. The next month could not be paid: too few Stars. Top up your Stars in Telegram, it is tried again by itself.
pay-subscription-canceled = ⏹ Canceled. Paid until { $until }, nothing more will be charged.
pay-subscription-cancel = ⏹ Cancel
pay-subscription-resume = ▶️ Resume
pay-subscription-none = You have no subscription, nothing will be charged.
pay-subscription-canceled-before = The subscription is canceled already.
pay-subscription-canceled-now = Canceled: nothing more will be charged, what is paid stays yours.
pay-subscription-how-to-resume = Done. Now switch it on in Telegram: Settings → My Stars → this subscription → Renew.
pay-subscription-title = Subscription, one month
pay-subscription-description = Every month { $credit } comes to your balance. It never expires, and you can cancel at any time.
pay-no-plan = There is no subscription here yet. You can top up once, any sum: /topup

## Questions about payments, and terms
pay-support = 🧾 <b>Questions about payments</b>

    If you were charged and the balance does not show it, wait five minutes: I find a lost payment by myself. Money for an order that failed is back on your balance at once. To have a payment returned, write its number and the reason.
pay-contact = Write to: { $contact }
pay-support-list = Your last payments:
pay-support-empty = No payments yet.
pay-support-line = No. { $number } · { $when } UTC · { $paid } → { $credit }
pay-support-refunding = { $amount } is being returned
pay-support-refunded = { $amount } returned
pay-terms = 📄 <b>Terms</b>

    Sold here: pictures, videos and other files made by neural networks from your description. Money lies on your balance in the bot and never expires. You see the price before you order; it is set aside with the order and charged only for a finished result. If it fails, the money is free again at once. A payment you have not spent is returned where it came from: /paysupport. Telegram is not responsible for purchases in the bot.
pay-terms-link = 📄 Terms of sale: { $url }
