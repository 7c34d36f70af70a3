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
