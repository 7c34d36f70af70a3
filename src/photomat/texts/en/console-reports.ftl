console-reports-tab-sales = Sales
console-reports-tab-models = By model
console-reports-tab-cohorts = Cohorts
console-reports-tab-funnel = Funnel
console-reports-revenue = Sales
console-reports-cost = Cost
console-reports-refunds = Refunds
console-reports-margin = Margin
console-reports-paid-in = Money in
console-reports-paid-in-hint = less refunded payments
console-reports-new-users = New users
console-reports-jobs = Jobs
console-reports-jobs-done = { $count } jobs done
console-reports-cost-unknown = { $count } more of unknown cost
console-reports-done = Done
console-reports-failed = Failed
console-reports-chart-revenue = Sales and money in
console-reports-chart-margin = What sales are made of
console-reports-chart-jobs = Jobs
console-reports-by-day = By day
console-reports-day = Day
console-reports-models = Sales by model
console-reports-others = others
console-reports-nothing = Nothing was sold in this period.
console-reports-csv-by-day = CSV by model and day
console-reports-what-active = Come back
console-reports-what-payers = Pay
console-reports-what-revenue = Money
console-reports-cohorts-explained = A row is the week of the first /start, a column how many weeks later. Money belongs to whoever paid it, less refunds.
console-reports-cohort = Week
console-reports-people = People
console-reports-ever-paid = Ever paid
console-reports-brought = Brought
console-reports-brought-hint = what these people have paid so far
console-reports-per-person = Per arrival
console-reports-per-person-hint = on average for each /start
console-reports-cell = { $active } ordered, { $payers } paid, { $money }
console-reports-funnel-explained = People whose first /start was in this period, and how far they have come by today. Cards that were not bought are kept for 30 days, so older periods show fewer of them.
console-reports-step-started = Pressed /start
console-reports-step-card = Opened a first card
console-reports-step-order = Made a first order
console-reports-step-payment = Paid
console-reports-step-second = Paid again
console-reports-of-before = { $percent } % of the step before
console-reports-days = { $count ->
    [one] { $count } day
   *[other] { $count } days
}
console-reports-weeks = { $count ->
    [one] { $count } week
   *[other] { $count } weeks
}
