console-money-tab-fiscal = Fiscal receipts
console-today-fiscal = Fiscal receipts are blocked
console-today-fiscal-late = Fiscal receipts are late
console-fiscal-one = Fiscal receipt { $number }
console-fiscal-kind = What
console-fiscal-kind-income = Income
console-fiscal-kind-annulment = Annulment
console-fiscal-issuer = Issuer
console-fiscal-issuer-my_tax = Мой налог
console-fiscal-issuer-yookassa = YooKassa
console-fiscal-issuer-hand = By hand
console-fiscal-document = Document
console-fiscal-reference = Our number
console-fiscal-sent = Sent
console-fiscal-next = Next try
console-fiscal-of-payment = All of this payment
console-fiscal-none = There are no such receipts.
console-fiscal-state-wanted = To be sent
console-fiscal-state-sending = Being sent
console-fiscal-state-unknown = Answer lost
console-fiscal-state-without = Without receipt
console-fiscal-state-blocked = Blocked
console-fiscal-state-issued = Issued
console-fiscal-state-annulled = Annulled
console-fiscal-state-unneeded = Not needed
console-fiscal-explained-wanted = There is no document yet. It is sent as soon as that is possible.
console-fiscal-explained-sending = The request is leaving. If no answer comes, the document is looked up in the tax service's list.
console-fiscal-explained-unknown = The request left and its answer was lost. The document is looked up by our number, and nothing is sent again until it is certain that there is none.
console-fiscal-explained-without = Receipts are not enabled for this way to pay, so the payment has none. Issue it now, or record that you did it by hand.
console-fiscal-explained-blocked = It cannot go on without you: read the last answer, remove the cause and issue it again, or record that you did it by hand.
console-fiscal-explained-issued = Done: the document exists and the customer has its link.
console-fiscal-explained-annulled = The document is annulled.
console-fiscal-explained-unneeded = No document is needed: the money went back before it was issued, or an operator decided so.
console-fiscal-without-explained =
    { $count ->
        [one] { $count } payment has no receipt: they are not enabled for its way to pay.
       *[other] { $count } payments have no receipt: they are not enabled for their ways to pay.
    }
console-fiscal-retry = Try now
console-fiscal-issue = Issue the receipt
console-fiscal-settle = Done by hand
console-fiscal-number = Number of the document
console-fiscal-url = Link for the customer
console-fiscal-drop = No receipt needed
console-fiscal-nothing-to-do = There is nothing to do.
