# What operators read about their acts, about a job and about money. `$place` is `terminal` or `page`: commands belong to a terminal.
# The English of a terminal is part of the commands' output and of the journal.

# Acts on jobs

action-plain = { $words }
action-no-such-job = There is no such job.
action-card-due = Its card is due now.
action-settled = It is { $status } already: its money has moved, there is nothing to cancel.
action-canceled = It is canceled and its money is back; a late result becomes an offer.
action-hold = Hold { $reference }: { $outcome }
action-reconciled = { $matched } matched, { $waiting } wait.
action-refused = Refused: { $why }.
action-bad-sum = This is not a sum such as 12.50: nothing was done.
action-so-already = It is so already: nothing was changed.

retry-submits = It is submitted now.
retry-looks = Kie is asked about it now.
retry-done-already = It is done already: to show its result again, redeliver it.
retry-intent = Its request has left for Kie and the answer never came: submitting it again could pay twice. Wait for its callback or its time, or cancel it.
retry-no-task = It never became a task at Kie, so there is nothing to look at.

release-released = The money is the customer's again.
release-no-such-hold = { $place ->
    [terminal] There is no such hold; `wallet show` and `jobs show` list their references.
   *[page] There is no such hold.
}
release-ended-before = It ended before: there is nothing to release.
release-job-lives = { $place ->
    [terminal] Its job is on its way and ends it; `jobs cancel` gives the money back now.
   *[page] Its job is on its way and ends it; canceling the job gives the money back now.
}
release-owed = Its job is done and was never charged: released, the picture would be free. Report it.

# Acts on money

money-done-before = It was done before with this reference; nothing was done again.
money-credited = { $amount } credited
money-debited = { $amount } debited
money-refunded = { $amount } of job { $job } refunded
money-now = { $done }. User { $user } has { $available } available.
money-now-owing = { $done }. User { $user } has { $available } available, { $owed } owed.
money-reversed = { $reference } is reversed by { $by }.
money-not-enough = Only { $available } is available, { $asked } was asked for.
money-too-much = { $rest } is left of { $reference }: no more can be given back.
money-not-charged = It was never charged: there is nothing to give back.
money-no-such-move = { $place ->
    [terminal] There is no move { $reference }; `wallet show` lists their references.
   *[page] There is no move { $reference }.
}
money-not-reversible = { $reference } is a charge (refund its job), gives something back itself, or was given back before: it cannot be reversed.

correct-of-payment = { $place ->
    [terminal] { $reference } is a payment, or goes back to one: `photomat payments refund` it.
   *[page] { $reference } is a payment, or goes back to one: refund the payment.
}
correct-of-bonus = { $place ->
    [terminal] { $reference } follows its payment: `photomat payments refund` takes it back, `photomat wallet debit` takes money alone.
   *[page] { $reference } follows its payment: a refund of the payment takes it back, a debit of the wallet takes money alone.
}
correct-of-referral = { $place ->
    [terminal] { $reference } follows the friend's order and payments: `photomat wallet refund` or `photomat payments refund` those, or `photomat wallet debit` the wallet.
   *[page] { $reference } follows the friend's order and payments: refund those, or debit the wallet.
}
correct-of-promo = { $place ->
    [terminal] { $reference } belongs to the use of a code: `photomat wallet debit` takes it away, `photomat promo stop` ends the code.
   *[page] { $reference } belongs to the use of a code: debit the wallet, or stop the code.
}
correct-of-gift = { $place ->
    [terminal] { $reference } is one side of a gift: its giver takes it back until it is opened, then `photomat wallet debit` the taker and `photomat wallet credit` the giver.
   *[page] { $reference } is one side of a gift: its giver takes it back until it is opened, then debit the taker and credit the giver.
}

difference-owned = Difference { $difference } is { $owner }'s now.
difference-resolved = Difference { $difference } is resolved.
difference-none = There is no such open difference.

payment-none = { $place ->
    [terminal] There is no such payment; `photomat payments list` shows their numbers.
   *[page] There is no such payment.
}
payment-by-hand = { $place ->
    [terminal] { $provider } cannot refund: send { $amount } to the payer, then say so with --by-hand.
   *[page] { $provider } cannot refund: send { $amount } to the payer yourself, then refund it here as given back by hand.
}
payment-without-contact = The customer's contact for receipts was deleted, and { $provider } wants a receipt for a part of a payment. No money was moved. Refund { $amount } in the cabinet of { $provider }: the bot notices it by itself.
payment-spent = { $place ->
    [terminal] Only { $available } of { $asked } is left in the wallet; --owing lets the rest become a debt.
   *[page] Only { $available } of { $asked } is left in the wallet; the rest can become a debt if you allow it.
}
payment-refunded-before = All of it went back before (refund { $refund }); nothing was done again.
payment-goes-back = { $how ->
    [hand] { $amount } is given back (refund { $refund }).
   *[provider] { $amount } left the wallet, { $provider } is asked to give it back (refund { $refund }).
}
payment-owed = { $done } { $owed } is owed now.

promo-how-written = A code has 3 to 32 letters (English or Russian), digits, - or _.
promo-no-sum = The sum must be more than nothing.
promo-exists = There is a code { $code } already; a code is never changed.
promo-created = { $code }: { $gives }.
promo-stopped = { $code } is stopped; who has used it keeps what it gave.
promo-none-to-stop = There is no such code to stop.
promo-gives-sum = { $amount } at once
promo-gives-percent = { $percent } % of the next top-up
promo-gives-percent-most = { $percent } % of the next top-up, { $most } at most
promo-gives-free = { $count } free generations of up to { $most } each
promo-any-uses = any number of uses
promo-uses = { $count ->
    [one] { $count } use
   *[other] { $count } uses
}
promo-in-words = { $gives }, { $often }, { $each } per user{ $whom ->
    [new] , new users only
   *[all] { "" }
}{ $ends ->
    [yes] , until { $until }
   *[no] { "" }
}

receipt-says-none = { $place ->
    [terminal] There is no receipt { $receipt }; `receipts list` shows them.
   *[page] There is no receipt { $receipt }.
}
receipt-says-bad-sum = { $amount } is not a sum up to { $most }: not credited.
receipt-says-bad-reason = A reason has 1 to { $most } characters.
receipt-says-approved = { $amount } credited to user { $user }; they are notified.
receipt-says-declined = Declined, nothing was credited; the user is notified of the reason.
receipt-says-approved-before = It was approved with { $amount } by { $by } at { $at }; nothing was done again.
receipt-says-declined-before = It was declined ({ $reason }) by { $by } at { $at }; nothing was done again.
receipt-says-duplicate = Receipt { $receipt } of user { $user } has the same { $same } and was credited: not credited again. If it really is another transfer, approve it { $place ->
    [terminal] with --anyway.
   *[page] anyway.
}

# Acts on the catalogue

model-hidden = It is hidden from customers: neither listed nor sold.
model-shown = Customers see it again.
model-featured = It comes first in its lists.
model-unfeatured = It has its usual place in its lists again.
model-sold = It is sold although the catalogue has it off.
model-unsold = It is sold only if its file says so.
model-sold-already = The catalogue sells it: there is nothing to turn on.
model-cannot-be-sold = It cannot be sold: { $why }.
model-no-title = Say how it shall be called.
model-bad-title = A title is one line of 1 to { $most } characters.
model-renamed = It is called “{ $ru }” in Russian and “{ $en }” in English.

price-refused = { $place ->
    [terminal] Refused: { $why }. --confirm does it all the same.
   *[page] Refused: { $why }. Confirm it to do it all the same.
}
price-nothing-to-clear = It has no price of its own: there is nothing to clear.
price-objections = { $loss }; { $jump }
price-no-objection = nothing speaks against it
price-below-cost = { $price } is below the cost of { $cost }{ $some ->
    [yes] {" "}({ $inputs })
   *[no] { "" }
}
price-jump = from { $old } to { $new }{ $some ->
    [yes] {" "}({ $inputs })
   *[no] { "" }
} is a jump of more than ×{ $times }
price-changed = from { $old } to { $new }{ $later ->
    [yes] , from { $since } on
   *[no] { "" }
}{ $ends ->
    [yes] , until { $until }
   *[no] { "" }
}.{ $confirmed ->
    [yes] {" "}Confirmed: { $why }.
   *[no] { "" }
}

template-none = { $place ->
    [terminal] There is no such template; `photomat templates list` shows them.
   *[page] There is no such template.
}
template-hidden = It is hidden from customers.
template-shown = Customers see it again.
template-replaced = It was replaced.
template-added = Customers see it now.
example-none = { $place ->
    [terminal] There is no such example; `photomat examples list` shows them.
   *[page] There is no such example.
}
example-forgotten = It is forgotten: `photomat examples make` makes it again.
examples-made = { $made }

# Why a job is not delivered

explain-span = { $count } { $unit ->
    [days] days
    [hours] h
    [minutes] min
   *[seconds] s
}
explain-worker = { $alive ->
    [yes] instance { $name }
   *[no] instance { $name }, which is no longer alive,
}
explain-no-error = no error recorded
explain-no-reason = no reason given
explain-in-span = in { $span }
explain-next-look = at the next look
explain-start-one = once an instance runs: start one
explain-due = { $what ->
    [submit] its submit
    [look] the next look
   *[card] the card
} has been due for { $waited }{ $alive ->
    [yes] , an instance takes it within a second
   *[no] {" "}and no instance is running: start one
}
explain-not-yet = Not delivered yet: { $why }.
explain-stopped = Not delivered: a rule of our own broke { $ago } ago ({ $error }), so it is stopped with its money held; { $place ->
    [terminal] `jobs retry { $job }` goes on, `jobs cancel { $job }` gives the money back.
   *[page] retry it to go on, cancel it to give the money back.
}
explain-submitting-now = Not delivered yet: { $worker } is submitting it right now.
explain-submit-later = Not delivered yet: it waits to be submitted ({ $error }), next try in { $wait }.
explain-submits-blocked = Not delivered yet: its submit has been due for { $waited } and nothing is submitted at the moment: { $why }.
explain-submit-due = Not delivered yet: its submit has been due for { $waited }; it leaves in its turn, within Kie's limit (KIE_CREATES_PER_10S).
explain-waits-for-answer = Not delivered yet: its request left for Kie { $ago } ago and { $worker } waits for the answer.
explain-unknown = Not delivered yet: its request left for Kie { $ago } ago and the outcome is unknown ({ $error }); it is never sent again, its callback finds it or the money goes back { $given_up }.
explain-at-kie = Kie has had task { $task } for { $had }
explain-at-kie-error = { $kie } ({ $error })
explain-at-kie-empty = { $kie } and says success without a result for { $empty }
explain-at-kie-overdue = { $kie }, longer than usual (it is given up { $given_up }, the customer may cancel)
explain-looking-now = Not delivered yet: { $kie }; { $worker } is asking Kie right now.
explain-not-polled = Not delivered: { $kie }, and it is no longer polled; { $place ->
    [terminal] `jobs retry { $job }` polls it now.
   *[page] retry it to poll it now.
}
explain-look-later = Not delivered yet: { $kie }; the next look comes in { $wait }.
explain-look-due = Not delivered yet: { $kie }; { $due }.
explain-delivered = Delivered{ $gift ->
    [yes] {" "}as a gift
   *[no] { "" }
}: the card has shown the result for { $shown }.
explain-delivered-card = Delivered{ $gift ->
    [yes] {" "}as a gift
   *[no] { "" }
}: the card has shown the result for { $shown }; { $card }.
explain-result-there = Not delivered{ $stuck ->
    [yes] { "" }
   *[no] {" "}yet
}: the result{ $gift ->
    [yes] {" "}as a gift
   *[no] { "" }
} is there; { $card }.
explain-failed = Nothing to deliver: it failed ({ $reason }) and the money went back; { $card }.
explain-canceled = Nothing to deliver: it was canceled and { $late ->
    [offered] a late result is offered for its price
   *[no] the money went back
}; { $card }.
explain-card-says-so = the card says so
explain-card-unreachable = the customer has not been reachable for { $since } ({ $error }); it is shown when they return, or now by { $place ->
    [terminal] `jobs redeliver { $job }`
   *[page] a redelivery
}
explain-card-parked = { $tried }, it has been parked for { $parked } ({ $error }); { $place ->
    [terminal] `jobs redeliver { $job }` tries again
   *[page] redeliver it to try again
}
explain-card-failed-long = the card could not be shown for { $span }
explain-card-refused = Telegram refused the card too often
explain-card-again = the card is rendered again
explain-card-in-turn = the card waits for its turn in the chat
explain-card-failed = the last try failed ({ $error })
explain-card-failing = the last try failed ({ $error }), it has been failing for { $since }
explain-card-later = { $last }, next try in { $wait }
explain-card-lock-died = the instance that had locked the card died; { $due }
explain-card-editing = { $worker } has been editing the card for { $since }, attempt { $attempt }
explain-card-lock-stale = { $worker } locked the card and did not come back; { $due }

# What a job's price is made of

price-alone = price { $price }
price-made-of = price { $price } = { $made }
price-by-formula = { $credits } credits × $0.005 × { $rate } × markup { $markup }{ $whose ->
    [operator] {" "}(an operator's)
   *[ours] { "" }
}
price-free = free
price-fixed = fixed by an operator
price-by-code = paid by promo code { $code } instead of { $price } = { $made }
price-less = { $made }, less { $percent } %
price-raised = { $made }, raised to cost
price-stepped = { $made }, up to a step of { $step }
price-cost-unknown = cost unknown; Kie has not said what it took
price-cost-expected = cost { $cost } expected by the catalogue; Kie has not said what it took
price-cost = cost { $cost }: Kie took { $credits } credits
price-expected = the catalogue expected { $cost }
price-margin = margin { $margin }

# One posting, or the money of a job

move-welcome = a welcome credit
move-topup = a top-up
move-operator = moved by an operator
move-charge = charged for a job
move-refund = a refund
move-undelivered = a refund, because the result could not be delivered
move-payment-refund = a payment taken back
move-debt = a debt paid with money that became free
move-correction = a correction
move-gift = a gift
move-promo = a promo code
move-bonus = a bonus
move-referral = a reward for an invitation
move-subscription = the allowance of a subscription
move-is = { $reference } is { $what }, booked { $at }.
move-line = { $account }: { $sign }{ $amount }.
move-line-of-user = { $account } of user { $user }: { $sign }{ $amount }.
move-gives-back = It gives back { $reference }.
move-given-back = { $reference } ({ $what }) gave back { $amount } of it { $at }.
move-facts = Recorded when it was booked: { $facts }.
money-of-job = Job { $job } ({ $model }, { $status }{ $gift ->
    [yes] , given away
   *[no] { "" }
}) of user { $user } was quoted { $price } when it was bought { $at }.
money-of-job-free = It is free: no money was held.
money-held = { $amount } was held as { $reference } { $at }.
money-still-held = It is held still: the job is on its way.
money-was-charged = It was charged { $at }.
money-was-released = It was released { $at }: the customer paid nothing.
money-given-back = { $amount } was given back as { $reference } ({ $what }) { $at }.
money-unknown-time = at an unknown time
operator-did = { $operator } { $done ->
    [yes] did
   *[no] was refused
} “{ $action }” { $at }{ $given ->
    [yes] , because: { $reason }
   *[no] { "" }
}. { $outcome }

# Who may use the console

operator-incomplete = Name a person, their Telegram id, and the role viewer or operator.
operator-added = { $name } ({ $id }) is a { $role } now.
operator-none = There is no such operator.
operator-removed = { $name } ({ $id }) is no operator any more.
session-ended = The session of { $operator } is over.
session-over-before = It was over before.
sign-in-link-made = A link for one sign-in was made.
sign-in-password-wrong = The password was wrong.
sign-in-opened = A session was opened by { $method }.

# Orphans and submits without an answer

attach-done = It belongs to job { $job } now; Kie is asked about it.
attach-no-job = There is no job { $job }.
attach-no-orphan = No callback waits under this number.
attach-not-sent = Nothing was sent to Kie for job { $job } yet: it cannot have a task.
attach-other-task = Job { $job } has a task already.
attach-taken = Another job has this task.
attach-job-done = Job { $job } is done already.
attach-bad-task = Enter the task id as Kie shows it, without spaces.
attach-which-job = Enter the number of a job.
orphan-dismissed = It is closed and waits no more.

# Many jobs at once

bulk-done = Done: { $done } of { $count }.
bulk-partly = Done: { $done } of { $count }. Not done: { $refused }
bulk-one = No. { $job }: { $why }
bulk-more = { $list } … and { $more } more, see the journal.
bulk-both = { $first } { $second }
bulk-nothing = No job was chosen.
