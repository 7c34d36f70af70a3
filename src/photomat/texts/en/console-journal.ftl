# The operators' journal.

console-journal-operator = Who
console-journal-anyone = everyone
console-journal-action = Action
console-journal-anything = any
console-journal-result = Result
console-journal-any-result = any
console-journal-done = done
console-journal-refused = refused
console-journal-job = Job
console-journal-user = Customer
console-journal-reference = Reference
console-journal-when = When
console-journal-about = About
console-journal-outcome = Outcome
console-journal-because = Because: { $reason }
console-journal-none-found = No entry matches.
console-journal-none-yet = Nobody has done anything yet. Every act of an operator appears here with its reason.
