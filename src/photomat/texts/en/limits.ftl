### Refusals: a ban, too many messages; a message from the operator.
tap-limit-banned = The operator has closed orders for you. You can order again in { $wait }. Why, and whom to ask: /start
tap-limit-banned-for-good = The operator has closed orders for you for good. Why, and whom to ask: /start
ban-message =
    🚫 <b>The operator has closed your access for good.</b>

    Reason: { $reason }
    The money on your balance stays yours; orders that have started will arrive here.

    { $appeal }
ban-message-until =
    🚫 <b>The operator has closed your access until { $until }.</b>
    { $wait } left, then everything opens by itself.

    Reason: { $reason }
    The money on your balance stays yours; orders that have started will arrive here.

    { $appeal }
ban-appeal = If this is a mistake: /support or { $contact }. About payments: /paysupport
ban-appeal-here = If this is a mistake: /support. About payments: /paysupport
ban-toast = Your access is closed for good. { $reason }
ban-toast-until = Your access is closed until { $until }. { $reason }
ban-canceled-jobs =
    🚫 <b>The operator has closed your access for good.</b>
    { $jobs ->
        [one] { $jobs } queued order was
       *[other] { $jobs } queued orders were
    } canceled, the money is back on your balance.

    Reason: { $reason }
ban-canceled-jobs-until =
    🚫 <b>The operator has closed your access until { $until }.</b>
    { $jobs ->
        [one] { $jobs } queued order was
       *[other] { $jobs } queued orders were
    } canceled, the money is back on your balance.

    Reason: { $reason }
pay-banned = 🚫 The operator has closed your access, so you cannot top up now. You can again in { $wait }.
pay-banned-for-good = 🚫 The operator has closed your access for good, so you cannot top up.
checkout-banned = The operator has closed your access, nothing was charged. You can pay again in { $wait }.
checkout-banned-for-good = The operator has closed your access for good, nothing was charged.
updates-too-many = ⏳ Too fast: I answer no more than { $limit } messages and taps a minute. I skipped the rest, no money was touched. Write again in { $seconds } s.
wait-days = { $days } d { $hours } h
operator-message = { $text }
