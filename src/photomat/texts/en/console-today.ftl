console-today-as-of = compared with yesterday up to this hour
console-today-needs = Waiting for you
console-today-needs-nothing = Nothing waits for your decision.
console-today-since = for { $age }
console-today-receipts = Receipts to approve
console-today-tickets = Tickets without an answer
console-today-stopped = Stopped jobs
console-today-uncertain = Uncertain submits to Kie
console-today-parked = Cards that could not be shown
console-today-orphans = Orphans: callbacks without a job
console-today-differences = Differences from providers' lists
console-today-incidents = Open incidents
console-today-audit = Broken rules of the books
console-today-credits = Kie credits are running out
console-today-stuck = Stuck
console-today-stuck-nothing = Everything moves by itself.
console-today-overdue = Kie takes longer than usual
console-today-undelivered = Done but not shown
console-today-waiting = Waiting to be sent to Kie
console-today-updates = Messages of customers not handled
console-today-parked-updates = Messages the bot stumbled over within a day
console-today-refunds = Refunds of payments that do not go through
console-today-revenue = Sales
console-today-margin = Margin
console-today-paid-in = Money in
console-today-was = { $was } yesterday
console-today-delta = { $percent } % · { $was } yesterday
console-today-bought = Jobs bought
console-today-failed = Failed
console-today-failed-hint = { $failed } failed, { $gifts } gifts
console-today-cost = Cost at Kie
console-today-cost-hint = margin { $percent } %
console-today-refunded = Refunded for jobs
console-today-new-users = New users
console-today-conversion = New users who paid
console-today-conversion-hint = { $ordered } ordered, { $paid } paid
console-today-by-hour = Sales by hour
console-today-legend-today = today
console-today-legend-yesterday = yesterday
console-today-jobs = Jobs on their way
console-today-state-pending = waiting
console-today-state-submitting = sending
console-today-state-running = at Kie
console-today-state-delivering = showing
console-today-money-in = Money in by provider
console-today-payments = { $count ->
    [one] { $count } payment
   *[other] { $count } payments
}
console-today-no-money = Nobody has topped up today yet. Sums by provider will appear here.
console-today-incidents-open = Open incidents
console-today-models = Best models of the day
console-today-model-jobs = { $done } done, { $failed } failed
console-today-no-models = Nothing is done yet today.
console-today-kie = Kie credits
console-today-credits-left = { $count } credits
console-today-credits-days = enough for { $days ->
    [0] less than a day
    [one] { $days } day
   *[other] { $days } days
}: { $per_day } go a day
console-today-credits-read = read { $age } ago
console-today-no-credits = Kie's balance has not been read yet: the first reading comes within the hour.
console-age-now = less than a minute
console-age-minutes = { $count } min
console-age-hours = { $count } h
console-age-days = { $count } d
