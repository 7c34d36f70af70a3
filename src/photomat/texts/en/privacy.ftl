command-privacy = Your data
command-export = Get all of your data
command-forget = Erase your data
privacy-stored = 🔐 <b>Your data</b>

    <b>What is stored and why.</b> The number of your Telegram account (its ID, not your phone), your name, @username and language, to answer you. Your descriptions, options, facts about the files you sent, and the results, to make your order and show it in your history. Payments and moves of money, to keep the balance right and because the law asks for it. Your e-mail or phone for receipts, if you gave one, to send the receipt; while a refund is under way they cannot be deleted, its receipt needs them. What you wrote to support, to settle it. The files you send are not kept here.
privacy-kept = <b>For how long.</b> Orders and their descriptions: until you ask to erase them. Drafts that were not bought: { $drafts }. Facts about files: { $files }. Our copies of results: { $copies }, where Telegram has the same file. Messages to the bot: { $updates }. Our notices: { $notices }. Closed tickets: { $tickets }. Descriptions refused by the rules: { $refused }, and longer while an appeal of yours waits. Records of money are kept for good, by number only.
privacy-days = { $days ->
        [one] { $days } day
       *[other] { $days } days
    }
privacy-days-always = until you ask to erase them
privacy-receivers = <b>Who receives it.</b> Telegram: everything you write to the bot. Kie.ai and the owners of the models behind it: the description and the files of an order, without your name. { $providers } The tax service: facts about a payment, if the shop issues fiscal receipts; your e-mail or phone for receipts goes to the payment service alone.
privacy-paid-with = Payment services ({ $names }) and Telegram: facts about payments.
privacy-paid-stars = Telegram: facts about payments.
privacy-contact = <b>Who is responsible.</b> { $contact }
privacy-contact-here = <b>Who is responsible.</b> The owner of this bot: write to /support
privacy-document = Privacy policy: { $url }
privacy-rights = <b>What you can do.</b> Get all of it as one file: /export. Erase it: /forget. Ask: /support.
privacy-consent = ✅ You agreed to the processing of your data (version { $version }) on { $given }.
privacy-export = 📦 Export
privacy-forget = 🗑 Forget me
privacy-withdraw = Withdraw the consent
privacy-back = ‹ Your data
export-queued = 📦 Collecting everything that is held about you. The file will come here, usually within a minute.
export-wait = 📦 You can get the file with your data once a day. Again in { $wait }.
export-caption = 📦 Everything that is held about you. Start with index.txt. { $listed ->
        [0] Results inside: { $inside }.
       *[other] Results inside: { $inside }; { $listed } more as links: they did not fit, or we have no copy.
    }
export-too-large = 📦 There is more data than Telegram lets us send in one file. Write to /support: an operator will hand it over in another way.
export-failed = 📦 The file could not be sent; your data is as it was. Please try again: /export
export-index-title = What this bot holds about user { $user }
export-index-data = JSON files: the name, what is inside, the number of records. Sums are in the smallest unit of the currency, times are UTC. The numbers of other people are left out:
export-file-users = who you are: name, @username, language, limits
export-file-conversations = where you are in the conversation with the bot
export-file-inbox = your latest messages and taps
export-file-drafts = orders that were not paid
export-file-generation-jobs = orders: model, description, options, price, time
export-file-job-outputs = files of results
export-file-job-events = what happened to your orders
export-file-result-marks = favourites and hidden results
export-file-result-sends = results that were sent again
export-file-input-files = facts about the files you sent
export-file-assistant-calls = help with descriptions
export-file-notices = what the bot told you
export-file-tickets = requests to support
export-file-ticket-messages = what was written with support
export-file-broadcast-sends = broadcasts you got
export-file-consents = consents: when given and withdrawn
export-file-export-requests = requests for this file
export-file-forget-requests = requests to erase your data
export-file-wallets = balance
export-file-ledger-transactions = moves of money: what and when
export-file-entries = moves of money: sums
export-file-holds = money held for orders
export-file-hold-closings = how held sums ended
export-file-payments = payments
export-file-payment-refunds = refunds
export-file-topups = top-ups that were begun
export-file-provider-invoices = invoices of payment services
export-file-receipts = proofs of transfers
export-file-fiscal-contacts = e-mail or phone for receipts
export-file-fiscal-receipts = fiscal receipts
export-file-subscriptions = subscriptions
export-file-stars-listed = payments in Stars as Telegram lists them
export-file-promo-uses = promo codes you used
export-file-promo-tries = promo codes you tried
export-file-pass-uses = free orders by promo codes
export-file-invite-codes = your link for invitations
export-file-referrals = invitations and their rewards
export-file-referral-shares = shares of what invited people paid
export-file-gifts = gifts
export-file-content-refusals = orders refused by the content rules
export-file-content-verdicts = checks of descriptions
export-file-operator-journal = what operators did with your account
export-index-inside = Results in the folder results: { $count }
export-index-listed = Results as links (order/number): { $count }
export-index-left-out = Not exported is what is not about you: prices and settings of the shop, records of operators, counters of the machine. Nor are the raw answers of Kie: what they say is in your orders.
export-index-others = Telegram and Kie.ai keep their own: messages stay in your chat, Kie deletes files after 1 to 14 days.
forget-page = 🗑 <b>Erase my data?</b>

    <b>Gone for good:</b> your name, the descriptions of your orders, results and our copies of them, history, favourites, facts about files, what you wrote to support, proofs of transfers, the e-mail or phone for receipts.

    <b>Kept by number only, without names or words:</b> moves of money, used promo codes, invitations, gifts, limits and bans; of orders their number, model, price and time.
forget-balance = 💰 Your balance is <b>{ $balance }</b>. It is not lost: it stays with your number, and you will see it if you come back from the same Telegram account. If you want it paid back, write to /paysupport first: after erasing there is nothing left to prove a payment with.
forget-debt = You owe { $owed }: that stays with your number too.
forget-elsewhere = Telegram keeps the messages of this chat: delete the chat yourself. Kie.ai deletes what it was sent after 1 to 14 days. You can get everything as a file first: /export

    This cannot be undone.
forget-confirm = 🗑 Yes, erase for good
forget-keep = No, keep it
forget-blocked = This is not possible right now:
forget-blocked-job = an order is still being made. Wait for it, or cancel it on its card, then repeat /forget
forget-blocked-receipt = a transfer waits for an operator's decision. It will come here, then repeat /forget
forget-blocked-refund = a refund is not finished yet. Wait for it, then repeat /forget
forget-blocked-subscription = your subscription is renewed. Cancel it in /topup, then repeat /forget
forget-balance-changed = Your balance has changed. Please look again.
forget-tap-begun = Erasing…
forget-begun = 🗑 Erasing your data. It takes up to a minute; I will write when it is done.
forget-under-way = Your data is being erased. Wait a minute; I will write when it is done.
forget-done = ✅ Your data is erased. Only records of money, rewards and limits are left, by number. Telegram keeps the messages of this chat: delete the chat yourself.

    If you want to come back: /start
tap-limit-forgetting = Your data is being erased. You can order again as soon as that is over.
consent-ask = 📝 <b>Your consent is needed</b>

    To make your order the bot will process your data: your Telegram name and ID, the description and the files. Kie.ai receives the description and the files. Your order is kept: tap “I agree” and it goes on, nothing has to be typed again.

    You can withdraw the consent at any time: /privacy
consent-agree = ✅ I agree
consent-read = 📄 Read
consent-back = ‹ Back
consent-decline = I do not agree
consent-tap = Your consent is needed first
consent-tap-thanks = Thank you!
consent-thanks = ✅ Thank you, your consent is recorded.
consent-declined = All right. Without consent the order cannot be made, so it is canceled and nothing was charged. If you change your mind, order again and I will ask once more.
consent-withdrawn = The consent is withdrawn. No new orders without it; what is done stays. To erase your data: /forget
consent-document = 📄 <b>Consent to the processing of personal data</b>

    I agree that the owner of this bot processes my data: my Telegram ID, name and @username, language, my e-mail or phone for receipts if I give one, my descriptions, the files I send, results, payments and what I write to support.

    <b>Purposes:</b> to make my orders, show their history, keep the balance, answer questions, obey the law.

    <b>Actions:</b> collecting, recording, storing, using, handing over and erasing, by programs.

    <b>Who receives it:</b> Telegram, Kie.ai and the owners of models (also abroad): the description and files of an order; payment services and the tax service: facts about a payment; the payment service: my contact for receipts.

    <b>For how long:</b> until I withdraw this consent or ask to erase my data. Withdraw: /privacy, erase: /forget. Records of money are kept as long as the law asks for.

    I understand that without this consent the bot cannot make an order.
setting-about-privacy-url = The link to your privacy policy; without it /privacy shows a complete text.
setting-about-consent-required = Ask for consent to the processing of data, once, with the first card; no orders without it.
setting-about-consent-version = The version of the consent; a new one asks everybody again.
setting-about-consent-url = The link to your consent document; without it our own text is shown.
setting-about-keep-exports-days = For how many days records of exports are kept; their files are never kept.
console-settings-group-privacy = Customers' data
journal-words-forgotten = (words erased: the user asked to be forgotten)
