# Settings that change without a restart: answers to an operator, and what each setting means.

setting-changed = { $name }: was { $before }, is { $after } now. Every instance applies it within two seconds.
setting-reset = { $name }: back to its default, { $after } (was { $before }).
setting-unchanged = { $name } is { $value } already: nothing was changed.
setting-is-default = { $name } has its default already: { $value }.
setting-not-live = { $name } cannot change while the bot runs: it is read at the start only, from the environment or .env.
setting-from-environment = { $name } is given by the environment or .env ({ $value }), which wins. To change it here, take it away there and restart the bot.
setting-below-cost = { $place ->
    [terminal] With a MARKUP of { $value } you would sell for less than you pay Kie: prices stop at cost and nothing is earned. If you mean it, repeat with --confirm.
   *[page] With a MARKUP of { $value } you would sell for less than you pay Kie: prices stop at cost and nothing is earned. If you mean it, tick the confirmation.
}
setting-jump = { $place ->
    [terminal] { $name } would go from { $before } to { $after }, more than { $most } times up or down. It looks like a slip; if it is not, repeat with --confirm.
   *[page] { $name } would go from { $before } to { $after }, more than { $most } times up or down. It looks like a slip; if it is not, tick the confirmation.
}
setting-not-above = { $name }: a number above { $least } is needed.
setting-too-small = { $name }: at least { $least }.
setting-too-large = { $name }: at most { $most }.
setting-too-long = { $name }: one line of at most { $most } characters.
setting-no-number = { $name }: a number is needed, such as 1.5.
setting-no-whole-number = { $name }: a whole number is needed.
setting-no-switch = { $name }: 1 (on) or 0 (off).
setting-no-url = { $name }: an address that begins with http:// or https:// is needed.
setting-no-zone = TIMEZONE: a time zone such as Europe/Moscow or Asia/Almaty is needed.
setting-no-sums = { $name }: sums are written by comma, such as 100,300,500.
setting-no-packages = { $name }: packages are written by comma, such as 100,500+5%.
setting-usd-rate = USD_RATE must be 1 where CURRENCY is USD.
setting-least-above-most = The least top-up ({ $least }) is larger than the largest ({ $most }): change TOPUP_LEAST or TOPUP_MOST.

# What each setting means

setting-about-usd-rate = What one US dollar costs in your currency.
setting-about-markup = Price = what Kie costs × this.
setting-about-price-step = Prices are rounded up to a multiple of this.

setting-about-topup-sums = Sums offered for a top-up: by comma, in whole units of the currency.
setting-about-topup-least = The least top-up.
setting-about-topup-most = The largest top-up.
setting-about-topups-per-day = Payments of one user in 24 hours; 0: no limit.
setting-about-stars-packages = Packages of Telegram Stars by comma, each with the percent it adds. Empty: no Stars.
setting-about-star-usd = What one Star is worth to you, in US dollars.
setting-about-subscription-stars = Price of a month's subscription in Stars; 0: none.
setting-about-subscription-bonus = Percent that a subscription's month adds to the worth of its Stars.
setting-about-subscription-credit = What a subscription's month credits; 0: the worth of the Stars and SUBSCRIPTION_BONUS.
setting-about-transfer-details = Bank details for transfers by hand. Empty: no transfers.

setting-about-most-running = Jobs one user may have running at once; 0: no limit.
setting-about-orders-per-minute = Orders of one user in a minute; 0: no limit.
setting-about-updates-per-minute = Messages and taps of one user handled in a minute, the rest is skipped; 0: no limit.
setting-about-cooldown-s = Seconds between two orders of one user; 0: no wait.
setting-about-free-per-day = Free generations of one user in 24 hours; 0: no limit.

setting-about-welcome-credit = A new user's gift.
setting-about-referral-reward = The inviter's reward for a friend's first paid job.
setting-about-referral-friend-reward = What the friend gets then.
setting-about-referral-percent = The inviter's percent of a friend's top-ups; 0: none.
setting-about-referral-free = Extra free generations a day for each friend who has paid (ten friends at most).

setting-about-refund-undelivered-days = Days until a result that could not be delivered is refunded; 0: never.
setting-about-support-contact = Whom /paysupport names: a @username, an address, a link.
setting-about-terms-url = Your terms of sale; without it /terms shows a short text.
setting-about-rich-results = Several outputs as one rich message (Telegram of June 2026 or newer).
setting-about-timezone = The time zone of days and times in the console and in reports.

setting-about-assistant-calls-per-user-day = Calls to the chat model for one user in 24 hours; 0: no limit.
setting-about-assistant-credits-a-day = Kie credits for all its calls in 24 hours; 0: no limit.

setting-about-ticket-alert-min = Alert when a customer's message waits longer than this for an answer, in minutes; 0: never.
setting-about-disk-alert-mb = Alert when the disk of DATA_DIR has fewer free MB; 0: never.
setting-about-database-alert-mb = Alert when the database is larger than this, in MB; 0: never.

setting-about-keep-result-copies-days = Days to keep copies of what Telegram keeps unchanged; 0: for ever.
setting-about-keep-updates-days = Days to keep Telegram's updates once handled (2 to 6).
setting-about-keep-callbacks-days = Days to keep the bodies of callbacks, once their job is settled; 0: for ever.
setting-about-keep-orphans-days = Days to keep callbacks that found their job late; 0: for ever.
setting-about-keep-drafts-days = Days to keep drafts that were not bought; 0: for ever.
setting-about-keep-events-days = Days to keep the timelines of settled jobs; 0: for ever.
setting-about-keep-input-files-days = Days to keep what is known of files customers sent; 0: for ever.
setting-about-keep-resends-days = Days to keep records of results that were sent again; 0: for ever.
setting-about-keep-tickets-days = Days to keep closed tickets; 0: for ever.
setting-about-keep-notices-days = Days to keep notices that were sent; 0: for ever.
setting-about-keep-incidents-days = Days to keep incidents that are over; 0: for ever.
setting-about-keep-proofs-days = Days to keep the proofs of the nightly audit; 0: for ever.
setting-about-keep-assistant-calls-days = Days to keep what calls to the chat model cost; 0: for ever.
setting-about-keep-readings-days = Days to keep hourly readings of the balance at Kie; 0: for ever.

# Read at the start only

setting-about-bot-token = The token from @BotFather. Without it and KIE_API_KEY: sandbox.
setting-about-kie-api-key = The API key of your Kie.ai account.
setting-about-database-url = PostgreSQL 15 or newer; without it an embedded one in DATA_DIR.
setting-about-direct-database-url = The same database without a pooler, for locks and LISTEN.
setting-about-data-dir = Folder of the embedded database and of result copies.
setting-about-embedded-ok = Allow the embedded database on a disk that may not last.
setting-about-host = The address the web server listens on.
setting-about-port = Its port.
setting-about-public-url = Where Telegram and Kie reach us. Empty: long polling, no callbacks.
setting-about-render-external-url = Set by Render; stands in for PUBLIC_URL.
setting-about-telegram-api-url = The Bot API server.
setting-about-kie-api-url = Kie's API server.
setting-about-kie-upload-url = Kie's upload server.
setting-about-kie-webhook-key = Kie's webhook key: then callbacks must carry its signature.
setting-about-callback-secret = Signs callback URLs; by comma: the first signs, all are valid.
setting-about-admin-ids = Telegram ids of owners, by comma: they get alerts and decide receipts.
setting-about-console-password = The owner's password for the console.
setting-about-metrics-token = GET /metrics asks for it: `Authorization: Bearer …`. Without it only this machine may ask.
setting-about-currency = The currency of wallets and prices; it cannot change once there are any.
setting-about-stars-reconcile-s = Seconds between two comparisons with Telegram's list of Stars.
setting-about-yookassa-shop-id = YooKassa: your shop's id.
setting-about-yookassa-secret-key = YooKassa: its secret key.
setting-about-yookassa-api-url = YooKassa's API server.
setting-about-yookassa-sources = The networks YooKassa's notices come from.
setting-about-crypto-pay-token = Crypto Pay (@CryptoBot): your app's token.
setting-about-crypto-pay-api-url = Crypto Pay's API server.
setting-about-delivery-lease-s = How many seconds a delivery lock lasts.
setting-about-lease-s = How many seconds any other claim lasts.
setting-about-poll-first-s = Seconds from creating a task to its first poll.
setting-about-empty-result-grace-s = Seconds a success without a result is polled again.
setting-about-job-overdue-s = Seconds until a job is overdue; usually by kind.
setting-about-job-timeout-s = Seconds until a job is given up and its money released.
setting-about-disk-reserve-mb = With fewer free MB no result is copied: the rest is for the database.
setting-about-kie-creates-per-10s = Tasks per 10 s Kie allows this account.
setting-about-kie-queries-per-s = Queries per second Kie allows this account.
setting-about-telegram-calls-per-s = Calls per second Telegram allows this bot.
setting-about-update-workers = Which instances handle updates.
setting-about-log-format = Logs for people or for machines.
setting-about-assistant-model = A chat model of Kie that understands orders in plain words. Empty: rules only.
setting-about-failpoint = Tests only: where the process kills itself.
