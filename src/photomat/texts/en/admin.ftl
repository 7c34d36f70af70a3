# /admin: the operator's console in the chat.

command-admin = For the operator: today, find, receipts, console
command-receipts = For the operator: receipts that wait for a decision
command-tickets = For the operator: tickets that wait for an answer

admin-menu =
    🛠 <b>Operator</b>

    { $needs ->
        [0] { $paused ->
            [yes] Nothing else waits for you.
           *[no] All is quiet, nothing waits for you.
        }
        [one] { $needs } thing waits for you.
       *[other] { $needs } things wait for you.
    }

    Send the number of a job, a name or @name, or forward a customer's message here.
admin-page-menu = 🛠 Operator's menu
admin-page-today = 📊 Today
admin-page-needs = ❗ What needs me
admin-page-find = 🔎 Find
admin-page-bills = 🧾 Receipts
admin-page-tickets = 🆘 Tickets
admin-page-incidents = 🚨 Incidents
admin-page-pause = ⏸ Pause
admin-page-state = 💓 State
admin-page-web = 🖥 Console
admin-only-looks = You may look, not act.
admin-stale = It was done or left already. Open the page again: /admin
admin-left = The operator's menu is closed. Open it again: /admin
admin-forgotten = Nothing was done.
admin-forget = ✖️ Cancel
admin-tap-button = Tap a button or “✖️ Cancel”.

admin-ask-whom =
    🔎 <b>Whom or what to find?</b>

    The number of a job or a user, the id of a task at Kie, the 8 characters of the log, @name, a first name, or forward a customer's message.
admin-hidden-sender = The sender hides their account, so I search by the name alone.
admin-forwarded-bot = This is a message of a bot. Forward one that the customer wrote.
admin-nothing = There is no such thing.
admin-found-none =
    Nothing was found for “{ $words }”.

    A name is found by its beginning, a number as a whole. Customers appear here after their first message to the bot.
admin-found = Found for “{ $words }”:
admin-found-many = Found for “{ $words }”; these are the newest, write more of the name:
admin-hit-job = No. { $job } · { $model }
admin-jobs = <b>Jobs</b>, the oldest first:
admin-jobs-none = There are no such jobs now.
admin-to-user = 👤 Customer
admin-to-job = 📄 Job

admin-today =
    📊 <b>Today</b>

    Sales <b>{ $revenue }</b>, yesterday at this hour { $before }
    Jobs { $bought }: { $done } done, { $failed } failed
    Cost { $cost }, refunds { $refunds }
    Margin <b>{ $margin }</b>{ $percent ->
        [none] { "" }
       *[other] { " " }({ $percent } %)
    }
admin-today-money =
    Paid in <b>{ $paid }</b> ({ $payments }), yesterday { $before }
    New customers { $people }, of whom { $payers } paid
admin-today-jobs = { $pending } waiting, { $running } at Kie, { $delivering } being shown
admin-today-credits = Kie credits { $credits }{ $days ->
    [-1] {""}
   *[other] {" "}for about { $days } days
 }
admin-incidents = 🚨 <b>Open incidents</b>. Tap one to see what helps.
admin-incidents-none = There are no open incidents.
admin-needs = ❗ <b>What needs you</b>
admin-needs-none = { $paused ->
    [yes] Nothing but the pause: nobody waits and nothing is stuck.
   *[no] All is quiet: nobody waits and nothing is stuck.
 }
admin-open-stuck = ⛔ Stuck
admin-open-unseen = 📭 Not shown

admin-status-pending = waits to be sent
admin-status-submitting = being sent
admin-status-running = in the making
admin-status-done = done
admin-status-failed = failed
admin-status-canceled = canceled

admin-job =
    📄 <b>Job { $job }</b> · { $model } · { $status }
    👤 { $user }
    <code>{ $corr }</code>
admin-job-free = 💳 Free.
admin-job-held = 💳 { $price }: { $held } is held.
admin-job-charged = 💳 { $price }: charged, { $left } can be refunded.
admin-job-gift = 💳 { $price }: a gift, no money was taken.
admin-job-not-charged = 💳 { $price }: the customer has the money.
admin-step-created = { $at } bought
admin-step-intent = { $at } sent to Kie
admin-step-submitted = { $at } accepted by Kie
admin-step-overdue = { $at } longer than usual
admin-step-settled = { $at } ended
admin-step-delivered = { $at } shown to the customer
admin-step-rung = { $at } the customer was notified

admin-user =
    👤 <b>{ $name }</b> <code>{ $number }</code>
    Since { $since }, language { $speaks }, jobs done: { $done }
admin-user-wallet = 💳 { $available } available, { $held } held. Paid { $paid } in all.
admin-user-owes = { " " }Owes { $owed }.
admin-user-no-wallet = 💳 No wallet: has not bought or paid anything yet.
admin-user-blocked = 🚫 Has blocked the bot: messages do not arrive.
admin-user-banned = ⛔ <b>Banned</b> { $until ->
    [forever] for good
   *[other] until { $until }
 }: { $reason }
admin-user-no-jobs = No jobs.
admin-user-job = No. { $job } · { $model } · { $status } · { $price } · { $at }

admin-verb-retry = 🔁 Check at Kie
admin-verb-show = 📤 Show again
admin-verb-cancel = ✖️ Cancel the job
admin-verb-refund = 💸 Refund
admin-verb-credit = ➕ Credit
admin-verb-debit = ➖ Debit
admin-verb-ban = ⛔ Ban
admin-verb-unban = ✅ Lift the ban
admin-verb-text = ✉️ Write
admin-verb-match = 🧩 Match Kie's answers

admin-ask-refund = 💸 How much to refund? Tap or type a sum such as 12.50.
admin-ask-credit = ➕ How much to credit? Tap or type a sum such as 150.
admin-ask-debit = ➖ How much to debit? Tap or type a sum such as 150.
admin-ask-text = ✉️ Type the text. The customer gets it in the bot's name.
admin-ask-reason = Why? Tap or type: it stays in the journal.
admin-sum-all = All: { $amount }
admin-bad-sum = That is no sum. Type a number above zero, such as 150 or 12.50.
admin-too-much = { $act ->
    [refund] That is too much: { $most } is left of what the job was charged.
   *[debit] That is too much: { $most } is available.
 }
admin-bad-text = A text of 1 to { $longest } characters is needed.

admin-reason-stuck = It is stuck
admin-reason-asked = The customer asked for it
admin-reason-not-seen = The customer does not see the result
admin-reason-bad-result = A bad result
admin-reason-not-delivered = Not delivered
admin-reason-goodwill = Goodwill
admin-reason-compensation = Compensation
admin-reason-paid-outside = Paid outside the bot
admin-reason-mistake = An operator's mistake
admin-reason-paid-back = Paid back outside the bot
admin-reason-spam = Spam
admin-reason-fraud = Fraud
admin-reason-rules = Against the rules
admin-reason-settled = Settled
admin-reason-question = Answer to a question
admin-reason-trouble = Warning about trouble

admin-confirm-retry = 🔁 <b>Check job { $target } at Kie?</b> If it has not left for Kie yet, it is submitted now; a request that has left never leaves twice.
admin-confirm-show = 📤 <b>Show job { $target } again?</b> Its card is refreshed; there is no second picture and no charge.
admin-confirm-cancel = ✖️ <b>Cancel job { $target }?</b> The customer gets the money back; a result that comes later is offered for its price.
admin-confirm-refund = 💸 <b>Refund { $amount } of job { $target }?</b> The money goes to the customer's balance, with a message.
admin-confirm-credit = ➕ <b>Credit { $amount }</b> to { $target }?
admin-confirm-debit = ➖ <b>Debit { $amount }</b> from { $target }?
admin-confirm-ban = ⛔ <b>Ban</b> { $target }? Queued jobs are canceled with the money back; the customer reads the reason.
admin-confirm-unban = ✅ <b>Lift the ban</b> of { $target }?
admin-confirm-text = ✉️ <b>Send a message</b> to { $target }?
admin-confirm-match = 🧩 <b>Match Kie's answers with jobs now?</b>
admin-confirm-reason = Reason: { $reason }
admin-yes-retry = 🔁 Yes, check
admin-yes-show = 📤 Yes, show
admin-yes-cancel = ✖️ Yes, cancel the job
admin-yes-refund = 💸 Yes, refund
admin-yes-credit = ➕ Yes, credit
admin-yes-debit = ➖ Yes, debit
admin-yes-ban = ⛔ Yes, for good
admin-yes-ban-days = { $days ->
    [1] ⛔ For a day
    [7] ⛔ For a week
   *[other] ⛔ For { $days } days
 }
admin-yes-unban = ✅ Yes, lift the ban
admin-yes-text = ✉️ Yes, send
admin-yes-match = 🧩 Yes, match

admin-pauses = ⏸ <b>Pause</b>
admin-pauses-none = Nothing is paused. During a pause new orders wait or are not taken, and what is at Kie arrives.
admin-paused =
    ⏸ <b>{ $what }</b> since { $since }
    { $by }: { $reason }
admin-pause = ⏸ Pause: { $what }
admin-resume = ▶️ Resume: { $what }
admin-pause-model = ⏸ Pause a model…
admin-ask-model = Which model? Type its name or a part of it.
admin-models = Which one?
admin-models-none = No such model is on sale. Try another word.
admin-reason-outage = Outage of the provider
admin-reason-upkeep = Maintenance
admin-confirm-pause = ⏸ <b>Pause: { $target }?</b> Nothing new begins until you resume; what is at Kie reaches the customers.
admin-confirm-resume = ▶️ <b>Resume: { $target }?</b> What waited begins at once.
admin-yes-pause = ⏸ Yes, pause
admin-yes-resume = ▶️ Yes, resume

admin-state =
    💓 <b>State</b>

    { $instances }

    Messages not handled yet: { $updates }
    Database: { $size } MB
admin-instance = { $role ->
    [active] 🟢 ACTIVE
   *[other] ⚪ PASSIVE
 } <code>{ $name }</code> { $version }, seen { $seen } s ago
admin-no-instances = No instance answers.
admin-sessions = <b>Sessions of the database with an open transaction:</b>
admin-session = • <code>{ $pid }</code> { $name }: { $state }, { $minutes } min
admin-no-sessions = There are no long transactions now.

admin-console-link = 🖥 A link that signs in to the console. It lasts 5 minutes and works once; forward it to nobody.
admin-console-open = Open the console
admin-console-no-url = 🖥 The bot has no public URL (PUBLIC_URL). The command <code>photomat console link</code> prints a sign-in link.

incident-unknown = There is no such incident.
incident-over = This incident is over.
incident-taken = Incident { $number } is yours.
incident-taken-by = Taken by { $by }
incident-taken-before = { $by } has taken it.
incident-just-done = This was done just now.
incident-checking = Checking. The result comes as a message.
incident-redelivered = { $count ->
    [0] There is nothing left to show.
   *[other] Shown again: { $count }.
 }
incident-retried = { $count ->
    [0] There is nothing to retry.
   *[other] Retried: { $count }.
 }{ $left ->
    [0] {""}
   *[other] {" "}Left: { $left }; their requests have left for Kie: wait for the answers, or cancel them.
 }
incident-submitting = The pause is lifted: the next job leaves for Kie now. If Kie refuses again, the pause returns.
incident-not-paused = There is no pause any more: jobs leave for Kie.
incident-unparked = { $count ->
    [0] There is nothing to repeat: no recent messages are left.
   *[other] Handled again: { $count }.
 }
