# The pages of jobs, of one job and of orphans.

# Steps of a job

step-drafted = The order card was filled in
step-tapped = The customer tapped a button of the card
step-held = Money held: { $amount }
step-charged = Money charged: { $amount }
step-hold-released = Money released: { $amount }
step-callback = Kie says: { $state ->
    [success] done
    [fail] failed
    [running] running
   *[other] { $state }
}
step-copied = File { $number } was copied to us
step-operator-did = Operator: { $action }. { $outcome }
step-operator-refused = Operator: { $action }, refused. { $outcome }
step-other = Event: { $tag }
step-created = The job was created
step-intent = The request leaves for Kie
step-submitted = Kie took the task
step-unknown = No answer from Kie: the outcome is unknown
step-put-back = Not submitted, waits for its next try
step-woken = Woken: Kie is asked
step-overdue = Longer than usual
step-lost = Kie does not know this task
step-settled = The outcome is decided
step-not-all-of-the-answer-was-read = Not all of the answer was read
step-accepted = The customer bought the late result
step-canceled = Canceled
step-stopped = Stopped: a rule of ours broke
step-retried = Started again
step-restored = The database was restored from a backup: outcome unknown
step-locked = The card is locked for showing
step-shown = The card was shown
step-moved = The card moved to a new message
step-released = Showing failed, to be repeated
step-parked = The card is parked for an operator
step-undeliverable = The customer cannot be reached
step-rearmed = The card is shown again
step-asked-again = The customer asked for the files again
step-sent-again = The files were sent again
step-refunded = Money refunded
step-rung = The customer was notified of the result
step-ring-put-back = The notification was put off

# The list of jobs

console-jobs-states = States of jobs
console-jobs-all = All
console-jobs-lately = in 24 h
console-jobs-state-pending = Waiting
console-jobs-state-submitting = Submitting
console-jobs-state-running = Running
console-jobs-state-done = Done
console-jobs-state-failed = Failed
console-jobs-state-canceled = Canceled
console-jobs-state-undelivered = Not shown
console-jobs-state-stuck = Stuck
console-jobs-state-overdue = Overdue
console-jobs-state-stopped = Stopped
console-jobs-state-parked = Parked
console-jobs-state-uncertain = No answer from Kie
console-jobs-state-gift = Gifts
console-jobs-one-pending = waiting
console-jobs-one-submitting = submitting
console-jobs-one-running = running
console-jobs-one-done = done
console-jobs-one-failed = failed
console-jobs-one-canceled = canceled
console-jobs-one-gift = gift
console-jobs-name = Number, task or correlation id
console-jobs-user = Customer
console-jobs-model = Model
console-jobs-from = From
console-jobs-to = To
console-jobs-search = Search
console-jobs-clear = Clear
console-jobs-check-all = Select all on this page
console-jobs-column-state = State
console-jobs-column-what = What
console-jobs-column-user = Customer
console-jobs-column-price = Price
console-jobs-column-created = Bought
console-jobs-column-money = Money
console-jobs-took = delivered in { $span }
console-jobs-none-found = Nothing matches. The newest 100,000 jobs are searched.
console-jobs-none-yet = There are no jobs yet. They appear as soon as somebody taps “Create” in the bot.
console-jobs-verb-retry = Submit or check at Kie
console-jobs-verb-redeliver = Redeliver
console-jobs-verb-cancel = Cancel and release the money
console-jobs-verb-refund = Refund the charge
console-jobs-bulk = Several at once
console-jobs-bulk-chosen = With the selected
console-jobs-bulk-all = With all that match (up to { $most })
console-jobs-bulk-hint = You see first what exactly would happen, and to how much money.
console-jobs-bulk-title = { $verb }: dry run
console-jobs-bulk-nothing-yet = Nothing is done yet. Check the list and give a reason.
console-jobs-bulk-acting = Will be done
console-jobs-bulk-of = of { $count } selected
console-jobs-bulk-refused = Do not qualify
console-jobs-bulk-refused-hint = left as they are
console-jobs-bulk-money-cancel = Released from holds
console-jobs-bulk-money-refund = Goes back to customers
console-jobs-bulk-cut = These are the first { $most }: no more go at once. The rest next time.
console-jobs-bulk-do = { $verb }: { $count }
console-jobs-bulk-back = Do not
console-jobs-bulk-none = Nothing to do: none of the selected jobs qualifies.
console-jobs-bulk-which = Which
console-jobs-bulk-which-not = Do not qualify: { $count }

# One job

console-job-title = Job No. { $job }
console-job-price = Price
console-job-charged = Charged
console-job-refunded = { $amount } refunded
console-job-cost = Cost
console-job-margin = Margin
console-job-steps = From tap to result
console-job-no-steps = Nothing is recorded about it.
console-job-attempts = Attempts and answers of Kie
console-job-task = Kie's task
console-job-polls = Calls to Kie
console-job-callbacks = Callbacks of Kie
console-job-delivery = Showing the card
console-job-delivery-facts = { $attempts } attempts, fence { $fence }
console-job-delivery-error = Error of showing
console-job-last-error = Last error
console-job-corr = Mark in logs
console-job-callback-at = Received
console-job-callback-state = Kie says
console-job-row = The whole row
console-job-actions = Actions
console-job-danger = With money
console-job-no-danger = There is nothing to give back.
console-job-refund-amount = How much, { $most } at most
console-job-refund-all = all
console-job-release = Release the hold of { $amount }
console-job-card = The card as the customer sees it
console-job-output = File { $number }
console-job-output-gone = File { $number } ({ $mime }): no copy on this server
console-job-inputs = What the customer ordered
console-job-money = Money
console-job-hold-open = Held
console-job-hold-charge = Charged
console-job-hold-release = Released
console-job-links = Nearby
console-job-of-user = Customer { $name }
console-job-jobs-of-user = All jobs of the customer
console-job-ticket = Ticket No. { $number }
console-job-journal = Journal of the job: { $count }

# Orphans

console-orphans-uncertain = Submits without an answer
console-orphans-uncertain-hint = The request left for Kie and no answer came. You may wait: its callback finds the job, or the money goes back when its time is over. The request is never sent again: that could pay for it twice.
console-orphans-uncertain-none = Every submit got its answer.
console-orphans-left = Left { $ago } ago, given up in { $rest }
console-orphans-enter-task = The task is in Kie's log
console-orphans-enter-task-hint = Open kie.ai/logs, find the request by time and model, and enter the id of its task. Kie is asked about it at once.
console-orphans-task = Task id
console-orphans-give-up = Give up and release the money
console-orphans-callbacks = Callbacks without a job
console-orphans-callbacks-hint = Kie sent the result of a task that no job has. We look for its job every minute.
console-orphans-reconcile = Look now
console-orphans-waiting = Waiting
console-orphans-closed = Closed in 30 days
console-orphans-closed-at = closed
console-orphans-received = Received { $ago } ago
console-orphans-body = What Kie sent
console-orphans-state-success = done
console-orphans-state-fail = failed
console-orphans-state-running = running
console-orphans-attach = Attach to a job
console-orphans-attach-hint = The job asks Kie about this task: Kie's answer decides, not this callback.
console-orphans-job = Number of the job
console-orphans-dismiss = Close: not ours
console-orphans-none = Nothing waits: every callback found its job.
console-orphans-none-closed = Nothing was closed within 30 days.

orphan-why-no-job = the job named in its URL does not exist
orphan-why-no-task = no job has this task
orphan-why-taken = another job has this task
orphan-why-other-task = job { $job } has another task
orphan-why-dismissed = closed by an operator
