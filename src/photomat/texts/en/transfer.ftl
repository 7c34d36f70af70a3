### Transfers by hand: the customer and their receipt, the operator and their decision.

## The customer
transfer-button = 🏦 Bank transfer
transfer-ask-sum = 🏦 <b>Bank transfer</b>

    How much do you want to add? Pick a button or write a number: from { $least } to { $most }.
transfer-sum = { $amount }
transfer-bad-sum = A sum from { $least } to { $most } is needed, one number such as 500. Changed your mind? /cancel
transfer-requisites = 🏦 <b>Transfer of { $amount }</b>

    1. Transfer exactly <b>{ $amount }</b>:
    { $details }

    2. Put the code <code>{ $code }</code> into the transfer's comment: we find your payment by it.
    3. Send the receipt here: a photo, a screenshot or a PDF.

    An operator credits the money when the transfer is seen. Changed your mind? /cancel
transfer-send-receipt = 📎 Send the receipt
transfer-expects-receipt = 📎 Waiting for the receipt of { $amount } (code <code>{ $code }</code>): a photo, a screenshot or a PDF. Changed your mind? /cancel
transfer-expects-file = A receipt is needed here: a photo, a screenshot or a PDF. Its caption is kept for the operator. Changed your mind? /cancel
transfer-file-too-big = This file is larger than 20 MB, more than I can read. Send a screenshot or a smaller file.
transfer-file-unreadable = Telegram did not give me this file. Send it again, or take a screenshot.
transfer-file-of-wrong-kind = This does not look like a receipt: by its content the file is neither a picture nor a PDF. Send a photo, a screenshot or a PDF.
transfer-waiting = ⏳ The receipt of <b>{ $amount }</b> is being checked

    Code { $code }, sent { $sent } UTC. An operator credits it, usually within an hour; I will write at once. There is no need to send it again.
transfer-state = 🔄 Where does it stand?
transfer-approved = ✅ The receipt of { $amount } was checked: <b>{ $credited }</b> credited

    Code { $code }, sent { $sent } UTC.
transfer-declined = ❌ The receipt of <b>{ $amount }</b> (code { $code }) was not accepted, nothing was credited.

    Reason: { receipt-reason }

    What to do: look at the transfer in your bank. If it went through, send the receipt again; its sum, date and number must be readable.
transfer-again = 🏦 Send the receipt again
transfer-toast-waiting = The receipt is still being checked, there is nothing to do
transfer-toast-approved = The receipt was checked, the money is credited
transfer-toast-declined = The receipt was not accepted, nothing was credited. The reason and what to do are in the message about it
transfer-waiting-line = ⏳ A receipt of { $amount } is being checked (code { $code }, sent { $sent } UTC)
transfer-waiting-sum = ⏳ Being checked: { $total } by transfer. Available once an operator has confirmed it.
transfer-stray-file = This file belongs to no transfer. If it is a receipt, press “🏦 Bank transfer” first, name the sum, and send it when I ask for it.
transfer-too-many = { $limit } { $limit ->
        [one] receipt of yours is
       *[other] receipts of yours are
    } being checked already. No money is lost. You can send another one when one of them is decided.
transfer-closed = Transfers are not accepted now: please do not send any. Other ways: /topup
transfer-lost = This transfer was lost, your balance is unchanged. Start again: /topup → “🏦 Bank transfer”; if you have sent the money already, send the receipt there.
transfer-left = The transfer is put away, nothing was taken or credited. If you have transferred the money already, start again and send the receipt.

## The operator
receipt-card = 🧾 <b>Receipt { $number }</b> of <b>{ $amount }</b>

    From: { $who }
    Code: <code>{ $code }</code> · { $sent } UTC
    Caption: { $note }

    See whether the transfer arrived: nothing is credited before you decide.
receipt-card-flagged = 🚨 <b>RECEIPT { $number } LOOKS LIKE A REPEAT</b>, { $amount }

    ⚠️ { $same ->
        [file] The same file
        [note] The same transfer number
       *[both] The same file and the same transfer number
    } as in receipt { $twin } of { $twin_whose ->
        [own] the same person
       *[other] ANOTHER person (<code>{ $twin_user }</code>)
    }, { $twin_when } UTC: { $twin_state ->
        [approved] it WAS CREDITED ALREADY
        [declined] it was declined
       *[waiting] it is still waiting
    }.{ $more ->
        [0] {""}
       *[other] {" "}More like it: { $more }.
    }

    From: { $who }
    Code: <code>{ $code }</code> · { $sent } UTC
    Caption: { $note }
receipt-card-approved = ✅ <b>Receipt { $number }</b>: <b>{ $credited }</b> credited

    From: { $who }, stated { $amount }
    Code: <code>{ $code }</code> · { $sent } UTC
    Caption: { $note }

    Decided: { $by }, { $when } UTC
receipt-card-declined = ❌ <b>Receipt { $number }</b> of { $amount } declined

    From: { $who }
    Code: <code>{ $code }</code> · { $sent } UTC
    Caption: { $note }

    Reason: { receipt-reason }
    Decided: { $by }, { $when } UTC
receipt-approve = ✅ Credit { $amount }
receipt-approve-flagged = ⚠️ Credit { $amount }
receipt-other-sum = ✏️ Another sum
receipt-decline = ❌ Decline
receipt-anyway = ⚠️ Credit anyway
receipt-reason = { $reason ->
        [not-arrived] The transfer did not arrive
        [other-sum] The receipt shows another sum
        [unreadable] The receipt cannot be read
        [repeated] This receipt was sent before
       *[other] { $reason }
    }
receipt-ask-sum = ✏️ Receipt { $number } of { $amount }: write how much to credit, one number. Changed your mind? /cancel
receipt-ask-reason = ❌ Receipt { $number } of { $amount }: why decline it? Pick a reason or write your own, the customer will read it. Changed your mind? /cancel
receipt-approved = Receipt { $number }: { $credited } credited
receipt-declined = Receipt { $number } declined, the customer is told why
receipt-approved-before = Decided before: { $credited } credited ({ $by }, { $when } UTC)
receipt-declined-before = Decided before: declined ({ $by }, { $when } UTC). { receipt-reason }
receipt-bad-sum = More than nothing and no more than { $most } can be credited. Write a number such as 500, or /cancel
receipt-bad-reason = A reason in words is needed, up to { $limit } characters. Write it, or /cancel
receipt-gone = There is no such receipt
receipt-twin-toast = A receipt like it was credited already
receipt-twin-credited = ⚠️ Receipt { $number } was <b>not credited</b>: { $same ->
        [file] the same file
       *[note] the same transfer number
    } was credited as receipt { $twin } (user <code>{ $twin_user }</code>).

    Credit it only if you see a second such transfer in the bank.
receipt-twin-type-again = If it is another transfer, write the sum again. Changed your mind? /cancel
receipt-not-operator = Receipts are checked by operators. Look at your own by “🔄 Where does it stand?”.
receipt-not-yours = This is not your receipt
receipt-left = Nothing was decided, the receipt waits: /receipts
receipt-list = Waiting: { $count }.
receipt-list-oldest = Waiting: { $count }. Showing the oldest: { $shown }.
receipt-list-empty = No receipt is waiting.

## The incident
alert-receipts-waiting = Receipts wait for a decision
alert-receipts-waiting-now =
    Waiting for more than an hour: { $count }, the oldest for { $minutes } min. Customers have transferred money and cannot spend it; nothing is credited before a decision.

    👉 Open the chat with the bot: /receipts. Or in a terminal: <code>photomat receipts list</code>, then <code>photomat receipts approve { $receipt }</code> or <code>decline</code>
