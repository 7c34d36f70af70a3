### Where receipts of card payments go: the question, the page, the invoice. Words for the operator about YooKassa's receipts.

## The question
fiscal-contact-ask = 🧾 <b>Where should the receipt go?</b>

    By law every payment by card or SBP needs a receipt. Type { $email_only ->
        [yes] an e-mail address
       *[no] an e-mail address or a phone number
    }: the receipt will come there by itself. It is used for receipts alone, and only the payment service gets it.
fiscal-contact-then = The invoice for <b>{ $sum }</b> follows right after your answer. I ask once; change it in /balance.
fiscal-contact-not-understood = This does not look like { $email_only ->
        [yes] an e-mail address. Type all of it, for example anna@example.com
       *[no] an e-mail address or a phone number. Type, for example, anna@example.com or +44 20 7946 0123
    }. Changed your mind? /cancel
fiscal-contact-wrong-email = There is a mistake in the address: it should look like anna@example.com, without spaces. Changed your mind? /cancel
fiscal-contact-wrong-phone = There is a mistake in the number: type it with the country's code, for example +44 20 7946 0123. Changed your mind? /cancel
fiscal-contact-email-only = A receipt cannot be sent to a phone, only by e-mail. Type an address, for example anna@example.com. Changed your mind? /cancel

## The page in the balance
fiscal-contact-button = 🧾 Where receipts go
fiscal-contact-page = 🧾 <b>Receipts of payments by card and SBP</b>

    They go to <b>{ $contact }</b>.
fiscal-contact-saved = ✅ Receipts of new payments go to <b>{ $contact }</b>. An invoice that was made before keeps the old address.
fiscal-contact-none = 🧾 <b>Receipts of payments by card and SBP</b>

    There is no address. I will ask before the first such payment, or type it now.
fiscal-contact-change = ✏️ Change
fiscal-contact-name = ✏️ Set
fiscal-contact-delete = 🗑 Delete
fiscal-contact-deleted = Deleted. I will ask again before the next card payment.
fiscal-contact-needed = A refund is under way and its receipt goes there. Delete the contact when the money is back.

## The invoice
fiscal-contact-line = 🧾 The receipt goes to { $contact }.
fiscal-way-closed = <b>{ $way }</b>: not available right now, nothing was charged. The operator knows. Choose another way.
fiscal-receipt-item = Balance top-up

## For the operator
fiscal-contact-word = Contact for receipts
alert-shop-receipts = YooKassa refuses payments because of their receipts
alert-shop-receipts-now =
    The last refusal: “{ $reason }”, { $count } so far. Customers were told that this way is not available; nothing was charged.

    👉 { $setting ->
        [YOOKASSA_RECEIPTS] Set <code>YOOKASSA_RECEIPTS=54fz</code> (a company or a sole proprietor) or <code>YOOKASSA_RECEIPTS=self-employed</code>
        [YOOKASSA_EMAIL_ONLY] Set <code>YOOKASSA_EMAIL_ONLY=1</code>: receipts of this shop go to e-mail addresses alone
       *[other] Correct the setting <code>{ $setting }</code>
    } and restart the bot. More in docs/operations/fiscal-yookassa.md. It ends when YooKassa accepts a payment.

## Settings
setting-about-yookassa-receipts = Receipts inside YooKassa's payments: 54fz for companies, self-employed for the self-employed; empty: none.
setting-about-yookassa-vat-code = The VAT code of a receipt by YooKassa's list: 1 is no VAT. 54-FZ only.
setting-about-yookassa-tax-system = The tax system of a receipt, 1 to 6, where the shop has several. 54-FZ only.
setting-about-yookassa-payment-subject = The subject of payment of a receipt. 54-FZ only.
setting-about-yookassa-payment-mode = The mode of payment of a receipt. Closing receipts of prepayments are yours to make. 54-FZ only.
setting-about-yookassa-receipt-item = What a receipt says was sold; at most 128 characters.
setting-about-yookassa-measure = The unit of a receipt, where the cash register wants one. 54-FZ only.
setting-about-yookassa-email-only = Ask for an e-mail address alone: «Чеки от ЮKassa» cannot be sent to a phone.
