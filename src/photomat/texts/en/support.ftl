### Support: the customer and their ticket, the operator and their answer.

## Customer
command-support = Ask support
support-open = 🆘 Support
card-button-support = 🆘
support-ask = 🆘 <b>What happened?</b>

    Choose, or say it in words. A photo, a video, a document or a voice message helps too.
support-ask-job = 🆘 <b>What happened?</b> · { $model }

    Choose, or say it in words. A photo, a video, a document or a voice message helps too. I attach the order myself.
support-here = Ask right here: the button below, or /support.
support-topic-wrong = 🖼 Not what I wanted
support-topic-missing = 📭 It did not arrive
support-topic-money = 💳 Money
support-topic-other = 💬 Something else
support-accepted = 🆘 <b>Ticket № { $number } is open</b>

    A person answers, here in this chat. Until then add details or a screenshot: all of it goes into the ticket.
support-added = ✅ Added to ticket № { $number }. The answer comes here.
support-ask-more = ✍️ Go ahead: I add it to ticket № { $number }. A text, a photo, a video, a document or a voice message.
support-wrong-kind = I cannot pass this on. A text, a photo, a video, a document or a voice message works.
support-limit-messages = { $limit } { $limit ->
        [one] message
       *[other] messages
    } an hour can be sent to support. We have those you sent. The next one: after { $until } UTC.
support-limit-tickets = { $limit } { $limit ->
        [one] ticket
       *[other] tickets
    } a day can be opened. We have those you opened, and you can add to them: /support. A new one: after { $until } UTC.
support-thread = 🆘 <b>Ticket № { $number }</b>{ $about } · { $state ->
        [open] waits for our answer
        [waiting] answered
       *[closed] closed
    }

    { $lines }
support-about = { " " }· { $model }
support-line = <b>{ $side ->
        [customer] You
        [operator] Support
       *[system] ·
    }</b> <i>{ $when }</i>
    { $words }
support-list = 🆘 <b>Your tickets</b>

    Open one, or ask something new.
support-list-line = № { $number } · { $state ->
        [open] waits for our answer
        [waiting] answered
       *[closed] closed
    }
support-new = ➕ New question
support-write = ✍️ Write more
support-reply = ↩️ Reply
support-show = 💬 Thread
support-solved = ✅ Solved
support-close = ✅ Close
support-leave = 👌 Done
support-left = 👌 Your messages no longer go into the ticket. The answer comes here; add to it at /support.
support-closed = ✅ Ticket № { $number } is closed. If something is left, write: I open it again.
support-not-open = This ticket is closed already.
support-not-yours = This is somebody else's ticket.
support-only-private = Support answers in the private chat: write /support to me there, or tap 🆘 in your history.
support-answer = 💬 <b>Support</b> · ticket № { $number }

    { $words }
support-answer-file = 💬 <b>Support</b> · ticket № { $number }
support-closed-by-us = ✅ Ticket № { $number } is closed. If something is left, write: I open it again.
support-canceled = ↩️ Ticket № { $number }: the order “{ $model }” is canceled, { $amount } is available again.
support-repeat-offered = 🎁 Ticket № { $number }: this order is on us once more, “{ $model }”.

    Tap the button: its card opens, tap “🎟 Use my gift” there.
support-repeat-free = 🔁 Ticket № { $number }: you can repeat this order, “{ $model }”.
support-repeat = 🔁 Repeat the order

## What happened in a ticket
ticket-event-refunded = 💸 { $amount } was given back
ticket-event-canceled = ↩️ The order is canceled, { $amount } is available again
ticket-event-repeated = 🎁 The order can be repeated for free
ticket-event-shown = 📤 The result was sent once more
ticket-event-closed = ✅ The ticket was closed
ticket-event-reopened = 🔓 The ticket was reopened
ticket-file-photo = 🖼 photo
ticket-file-video = 🎬 video
ticket-file-animation = 🎞 GIF
ticket-file-audio = 🎵 audio
ticket-file-voice = 🎤 voice message
ticket-file-document = 📎 file

## Operator
ticket-topic = { $topic ->
        [wrong] Not what I wanted
        [missing] It did not arrive
        [money] Money
       *[other] Question
    }
ticket-job = { $where ->
        [none] No order
       *[any] Order № { $job } · { $model } · { $price } · { $bought } UTC
    }
ticket-where = { $where ->
        [queued] Waits for its turn at Kie
        [submitting] The request left for Kie, no answer yet
        [running] Kie is making it
        [overdue] Kie takes longer than usual
        [stopped] Stopped by a mistake of ours, the money is held
        [shown] The result was shown to the customer
        [not-shown] The result is there, the card does not show it yet
        [parked] The result is there, Telegram refused to show it
        [unreachable] The result is there, the customer cannot be reached
        [failed] It failed ({ $code }), the money went back
        [canceled] Canceled, the money went back
        [offered] Canceled; the late result is offered for its price
       *[none] —
    }
ticket-card = 🆘 <b>Ticket № { $number }</b> · { ticket-topic }
    { $who }
    { ticket-job }
    { ticket-where }

    { $words }

    <i>To answer, reply to this message.</i>
ticket-card-more = 🆘 № { $number } · { $who } writes more
    { ticket-job }
    { ticket-where }

    { $words }
ticket-answered = 💬 № { $number }: { $by } answered the customer

    { $words }
ticket-answer = ↩️ Answer
ticket-thread = 💬 Thread
ticket-refund = 💸 Refund
ticket-repeat = 🎁 Repeat for free
ticket-show = 📤 Show again
ticket-close = ✅ Close
ticket-keep = Leave it
ticket-kept = Nothing was done: № { $number }
ticket-ask-answer = ↩️ Write the answer to the customer, № { $number }: a text, a photo, a video, a document or a voice message. Changed your mind: /cancel
ticket-ask-reason = { $act ->
        [refund] 💸 Give the money back for ticket № { $number }?
        [repeat] 🎁 Give the customer the same order once more, № { $number }?
        [show] 📤 Send the result to the customer once more, № { $number }?
       *[close] ✅ Close ticket № { $number }?
    }

    { ticket-job }
    { ticket-where }

    Choose a reason (it is done at once), or write your own.
ticket-reason-quality = Not what was ordered
ticket-reason-lost = It did not arrive
ticket-reason-mistake = Our mistake
ticket-reason-goodwill = Goodwill
ticket-reason-asked = The customer asked
ticket-reason-solved = Solved
ticket-reason-silent = The customer does not answer
ticket-reason-spam = Spam
ticket-bad-reason = Give the reason in words, up to { $limit } characters. Changed your mind: /cancel
ticket-desk = 🆘 <b>№ { $number }</b> · { ticket-topic } · { $state ->
        [open] waits for our answer
        [waiting] answered
       *[closed] closed
    }
    { $who }
    { ticket-job }
    { ticket-where }

    { $lines }
ticket-line = <b>{ $side ->
        [customer] Customer
        [operator] { $author }
       *[system] ·
    }</b> <i>{ $when }</i>
    { $words }
ticket-list = 🆘 Waiting for an answer: { $count }
ticket-list-empty = 🆘 Every ticket is answered.
ticket-list-line = № { $number } · { $age } · { $words }
ticket-age-minutes = { $count } min
ticket-age-hours = { $count } h
ticket-not-operator = Tickets are answered by operators.

## What came of an action
ticket-unknown = There is no ticket { $number }.
ticket-has-no-job = Ticket { $number } carries no order.
ticket-answer-sent = The answer was sent to the customer: ticket { $number }.
ticket-answer-refused = The answer was not sent: it needs a text of up to { $limit } characters, or a file.
ticket-close-done = Ticket { $number } is closed.
ticket-close-before = Ticket { $number } is closed already.
ticket-reopen-done = Ticket { $number } is open again.
ticket-reopen-refused = Ticket { $number } is not closed, or another one is open about the same order.
ticket-assign-done = Ticket { $number } is answered by { $to }.
ticket-refund-done = { $amount } was given back for ticket { $number }.
ticket-refund-canceled = The order is canceled and { $amount } is the customer's again: ticket { $number }.
ticket-refund-before = The money of ticket { $number } went back before; nothing was done again.
ticket-refund-nothing = The order of ticket { $number } cost the customer nothing: there is nothing to give back.
ticket-repeat-done = The customer may repeat the order for free: ticket { $number }.
ticket-repeat-before = The order of ticket { $number } was given before; nothing was done again.
ticket-repeat-live = The order of ticket { $number } is still being made: it is too early to repeat it.
ticket-show-done = The result is sent to the customer once more: ticket { $number }.
ticket-show-soon = The result was sent less than a minute ago: ticket { $number }.
ticket-show-nothing = The order of ticket { $number } has no result.

## The incident
alert-button-tickets = 🆘 Tickets
alert-tickets-waiting = Customers wait for an answer of support
alert-tickets-waiting-now =
    Waiting for too long: { $count }, the oldest question for { $minutes } min.

    👉 Open the chat with the bot: /tickets. Or in a terminal: <code>photomat tickets list</code>, then <code>photomat tickets answer { $ticket } "…"</code>
