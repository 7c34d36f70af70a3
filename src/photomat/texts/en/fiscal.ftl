fiscal-notice-issued = 🧾 Your fiscal receipt for { $amount } is ready: the payment is registered with the tax service.
fiscal-notice-rest = 🧾 A new fiscal receipt for { $amount }: what is left of the payment after the refund.
fiscal-notice-annulled = 🧾 The fiscal receipt for { $amount } is annulled: the money went back.
fiscal-notice-annulled-part = 🧾 The fiscal receipt for { $amount } is annulled: { $refunded } went back. One for the rest will follow.
fiscal-notice-refund = 🧾 The fiscal receipt of your refund of { $amount } is ready.
fiscal-open-receipt = Open the receipt
health-loop-fiscal = Fiscal receipts

## For operators: decisions
fiscal-no-such = There is no fiscal receipt { $fiscal }.
fiscal-retried = Fiscal receipt { $fiscal } ({ $reference }) is tried now: sent if it was not, looked up first if that is unknown.
fiscal-not-open = Fiscal receipt { $fiscal } ({ $reference }) does not wait to be sent: there is nothing to try.
fiscal-wanted-again = Fiscal receipt { $fiscal } ({ $reference }) is queued.
fiscal-not-waiting = Fiscal receipt { $fiscal } ({ $reference }) is neither blocked nor left without a document.
fiscal-settled = Fiscal receipt { $fiscal } ({ $reference }) is recorded as done by hand.
fiscal-ended-before = Fiscal receipt { $fiscal } ({ $reference }) has ended, or is being sent right now.
fiscal-number-needed = Fiscal receipt { $fiscal } ({ $reference }) needs its number.
fiscal-number-used = Fiscal receipt { $fiscal } ({ $reference }): another receipt has this number already.
fiscal-link-refused = A number has 100 characters at most, a link begins with https:// and has 500 at most.
fiscal-dropped = Fiscal receipt { $fiscal } ({ $reference }) is not needed.
fiscal-may-exist = Fiscal receipt { $fiscal } ({ $reference }) cannot be called off: its document exists, or may exist.

## Incidents
alert-fiscal-receipts = Fiscal receipts are not issued
alert-fiscal-receipts-now =
    Waiting for more than six hours: { $late }; blocked, waiting for you: { $blocked }. Customers have their credit; only the documents are missing.

    👉 Console: Money → Fiscal receipts. Or in a terminal: <code>photomat fiscal show { $fiscal }</code>
alert-tax-service = «Мой налог» takes no receipts
alert-tax-service-now =
    { $cause ->
        [limit] The yearly limit of income is reached. Receipts that wait: { $count }.
       *[password] The INN or the password is wrong. Receipts that wait: { $count }; this password is tried every 10 minutes.
    } Payments are credited as usual; the receipts go out by themselves once the service takes them again.

    👉 { $cause ->
        [limit] Decide with your accountant how to take money from now on; removing MY_TAX_INN switches receipts off.
       *[password] Correct MY_TAX_INN and MY_TAX_PASSWORD and restart the bot.
    }

## Journal
did-retry-fiscal-receipt = try a fiscal receipt
did-issue-fiscal-receipt = issue a fiscal receipt
did-settle-fiscal-receipt = record a fiscal receipt done by hand
did-drop-fiscal-receipt = call a fiscal receipt off

## Settings
setting-about-my-tax-inn = «Мой налог»: the INN of the self-employed owner. Together with the password it switches receipts on.
setting-about-my-tax-password = «Мой налог»: the password of the taxpayer's account.
setting-about-my-tax-service-name = What a receipt of «Мой налог» says was sold; our number is added.
setting-about-my-tax-providers = The ways to pay whose receipts go to «Мой налог», by comma: stars, cryptopay, transfer, yookassa.
setting-about-my-tax-api-url = The API server of «Мой налог».
setting-about-my-tax-timeout-s = Seconds one request to «Мой налог» may take.
setting-about-my-tax-unknown-s = Seconds after which a request to «Мой налог» without an answer cannot arrive any more.
