### Everything a customer reads in English. Keys and variables are those of ru.

## Start and menu
greeting = 👋 Hello, { $name }!

    Just write what you wish to get, or send a photo. Or choose below: you see the price first and pay only for what is ready.

    💰 Balance: <b>{ $balance }</b>
home = 🏠 <b>Main menu</b>

    Write what you wish to get, send a photo, or choose:

    💰 Balance: <b>{ $balance }</b>
help = ℹ️ <b>How it works</b>

    1. Choose in the menu what you want to make, then a model. Not sure which? Say it: /search animate a photo
    2. Answer the questions: describe what you want, send files where they are needed.
    3. Check the card with its price and tap “✅ Create”.

    The result appears in that very card. If it fails, your money returns to the balance by itself.

    /start — menu
    /search — find a model by words
    /balance — your balance
    /topup — top up
    /statement — every move of your money
    /history — your orders
    /promo — enter a promo code
    /invite — invite a friend
    /gift — give money to a friend
    /cancel — stop filling in
    /lang — language / язык
    /support — ask support
    /paysupport — questions about payments
    /terms — terms
    /privacy — your data
    /export — get all of your data
    /forget — erase your data
    /help — this page
help-operator = You are an operator: /admin — jobs, customers and money
    /receipts — the receipts that wait for your decision
    /tickets — the tickets that wait for an answer
menu-balance = 💰 Balance
menu-history = 🗂 History
menu-help = ℹ️ Help
menu-lang = 🌐 Language
menu-home = 🏠 Menu
command-start = Menu
command-balance = Balance
command-statement = Statement
command-history = Your orders
command-cancel = Stop filling in
command-lang = Language / Язык
command-help = How it works

## What a price is made of
why-order = { $model } · order no. { $job }
why-title-free = ❓ <b>Why is it free?</b> · { $model }
why-title = ❓ <b>Why { $price }?</b> · { $model }
why-unit-generation = • { $price } for one generation
why-unit-image = • { $price } for a picture
why-unit-video = • { $price } for a video
why-unit-second = • { $price } for a second
why-unit-minute = • { $price } for a minute
why-unit-character = • { $count } characters at { $price } for { $each }
why-unit-megapixel = • { $price } for a megapixel
why-unit-token = • Tokens: { $count } at { $price } for { $each }
why-tokens = • Tokens are bits of words and sound, the model counts by them; how many there will be is reckoned from the length of the text.
why-fixed = • This model has one price, whatever you choose.
why-free = • This model is free.
why-free-limited = • This model is free: { $limit } { $limit ->
        [one] time
       *[other] times
    } in 24 hours.
why-discount = • { $percent } % off.
why-until = • Until { $until } UTC.
why-least = • This is the lowest price of such an order.
why-rounded = • Rounded up to { $step }.
why-total = Total: <b>{ $price }</b>. The price is fixed when you buy; if nothing comes of it, the money comes back.
## Answers to taps
tap-accepted = Accepted, { $kind ->
        [video] your video is being made
        [audio] your recording is being made
        [text] your text is being prepared
       *[image] your picture is being made
    }
tap-accepted-before = This order is accepted already
tap-accepted-elsewhere = This order was started from another card
tap-card-renewed = The terms have changed: please check the renewed card
tap-draft-gone = This order is out of date, canceled or not yours. Start a new one: /start
tap-again-twice = The card of this order is below already: press “✅ Create” on it
tap-draft-bought = This order is running already and cannot be changed
tap-limit-running = No more than { $limit } { $limit ->
        [one] order
       *[other] orders
    } at once. You can order again as soon as one of them is done.
tap-limit-minute = No more than { $limit } { $limit ->
        [one] order
       *[other] orders
    } a minute. You can order again in { $wait }.
tap-limit-pause = There must be { $limit } s between two orders. You can order again in { $wait }.
tap-limit-free = { $limit } a day { $limit ->
        [one] is
       *[other] are
    } free, and you have used them all. You can order again in { $wait }.
tap-why-unknown = This order was bought for { $price }; what the price was made of was not kept then
wait-seconds = { $seconds } s
wait-minutes = { $minutes } min
wait-hours = { $hours } h { $minutes } min
tap-not-enough = { $missing } is missing: the price is { $price }, available is { $available }. Your order is kept: top up and tap again.
tap-question-closed = This question is closed. Start anew: /start
tap-question-older = This question is closed. Another one is open, below in the chat: answer it, or press /cancel
tap-question-foreign = This question is closed, or was not for you. Start anew: /start
tap-form-left = The other order you were filling in ({ $model }) is closed: this one is being changed. Begin the other anew
tap-stale = This button no longer works. Open the menu: /start
tap-model-gone = This model is no longer on sale. Open the menu: /start
tap-page-gone = This page is not available. Open the menu: /start
tap-canceled = Canceled, your money is back on the balance
tap-cancel-too-late = It is being made and cannot be canceled. It usually takes up to { $minutes } min.
tap-cancel-finished = It is finished already, there is nothing to cancel
tap-not-yours = This is not your order
tap-offer-accepted = Done, here comes the result
tap-offer-gone = This offer is gone
tap-resend-sending = Sending it once more, free of charge
tap-resend-showing = The result is being shown on its card, free of charge
tap-resend-too-soon = It is on its way. If it does not arrive, tap again in a minute
tap-resend-no-result = This order has no result, there is nothing to send
tap-resend-not-yours = This is not your order
tap-nothing = There is nothing to tap here
tap-failed = That did not work. Open the menu: /start

## The rest
history-empty = 🗂 No orders yet. Time for the first one!
history-not-shown = 📦 done, but it has not reached you yet: tap ℹ️, then “Did not arrive?”
history-failed = ❌ failed: { $reason }. { $price } went back to your balance
history-canceled = ✖️ canceled, { $price } went back to your balance
history-failed-free = ❌ failed: { $reason }, the free generation is yours again
history-canceled-free = ✖️ canceled, the free generation is yours again
history-offered = 🎉 canceled, but the result is there: take it on its card for { $price }
history-running = ⏳ being made, { $price } set aside
history-fail-content = the model declined the request
history-fail-provider = the generation service could not handle it
history-fail-timeout = the result did not come in time
history-fail-empty = the service sent no result
cancel-done = Filling in is stopped, nothing was charged.
cancel-nothing = There is nothing to stop.
cancel-card = The order “{ $model }” waits on its card above and costs nothing until you press “✅ Create”. To put it away: “✖️ Cancel” on the card. Or write here what to make now.
lang-ask = 🌐 Choose your language · Выберите язык
lang-ru = 🇷🇺 Русский
lang-en = 🇬🇧 English
lang-chosen = I speak English now.
fallback-text = ✍️ Write what to make: “a cat in space”, “a song for my mum”, “read aloud: happy birthday”, or send a photo. You see the price before you pay.
fallback-command = There is no such command. Here is what there is: /help
only-private = This works only in a private chat with me: write to me there
fallback-other = I cannot do that yet. Choose in the menu what to make: a picture, a video, a song, a voice-over.
stray-file = 📎 { $kind ->
        [image] What shall I do with the picture? Choose, and I will ask you to send it at the right moment.
        [video] What shall I do with the video? Choose, and I will ask you to send it at the right moment.
       *[audio] What shall I do with the recording? Choose, and I will ask you to send it at the right moment.
    }
parked = 😔 Your message could not be handled: the mistake is ours and the operator will see it. Your money is safe. Please try again: /start

## The card of a bought job, its ring and the reasons of a failure

card-done =
    ✅ <b>{ $model }</b> · { $price }
    { $inputs }
card-gift =
    🎁 <b>{ $model }</b> · a gift
    { $inputs }

    The result came later than we waited. Your money is already back, so it is yours for free.
card-failed =
    ❌ <b>{ $model }</b>
    { $inputs }

    { $reason }
    { $price } are back on your balance.
card-canceled =
    ✖️ <b>{ $model }</b>
    { $inputs }

    Canceled. { $price } are back on your balance.
card-failed-free =
    ❌ <b>{ $model }</b>
    { $inputs }

    { $reason }
    The free generation is yours again.
card-canceled-free =
    ✖️ <b>{ $model }</b>
    { $inputs }

    Canceled. The free generation is yours again.
card-offered =
    🎉 <b>{ $model }</b>
    { $inputs }

    You canceled this order, and the result came after all. Would you like it for { $price }?
card-stopped =
    🛠 <b>{ $model }</b>
    { $inputs }

    Sorry, this is our own error: the order is stopped. Your money is safe, the operator knows and will sort it out.
card-slot = ⏳ The card was deleted, the result will appear here…
card-link-label = Download it (the link is temporary)
why-photo-too-big = 📎 The file is larger than { $photo_mb } MB, which is more than Telegram takes as a photo, so it came as a document, in full quality.
why-photo-shape = 📎 The picture is too large or too long to be a photo in Telegram, so it came as a document, in full quality.
why-see-through = 📎 The picture has a transparent background: it came as a file, because photos in Telegram lose transparency.
why-format = 📎 Telegram does not show this format in the chat, so the file came as a document.
why-refused = 📎 Telegram could not show this file in the chat, so it came as a document.
why-file-too-big = 📎 The file is larger than { $file_mb } MB, which is more than Telegram takes from a bot.
why-no-file = The file could not be shown in the chat.
resent =
    📩 <b>{ $model }</b> · once more, free
    { $inputs }
card-button-again = 🔁 Once more
card-button-why = ❓ Why { $price }?
card-button-retry = 🔁 Try again
card-button-cancel = ✖️ Cancel
card-button-accept = 🎁 Take it for { $price }

ring-done = ✅ Generation finished
ring-failed = ❌ The generation failed. Nothing was charged, the card says more.
ring-offer = 🎉 The result of your canceled order is ready: you can take it on the card.

fail-content = The model declined this request: its content is not allowed, or the input did not fit. Change it and try again.
fail-provider = The generation service could not handle the request. Please try again a little later.
fail-timeout = The result never came. Please try again.
fail-empty = The service reported success but sent no result. Please try again.

## What operators are told of incidents: a title and what to do for each kind

alert-open =
    🔴 <b>{ $title }</b>

    { $body }

    Incident { $number } · since { $since } UTC · <code>photomat incidents</code>
alert-over =
    ✅ Over: <b>{ $title }</b>

    It lasted { $lasted }. Incident { $number }.
alert-span-moment = less than a minute
alert-span-minutes = { $minutes } min
alert-span-hours = { $hours } h { $minutes } min

alert-no-active = No instance is ACTIVE
alert-no-active-now =
    Instances running: { $alive }, none of them leads. Customers' messages are stored and wait for an answer. Paid jobs are made and delivered, the money is in order.

    👉 Restart the bot. If that does not help: <code>photomat check --only storage</code>
alert-two-active = More than one instance is ACTIVE
alert-two-active-now =
    { $active } believe they lead. It harms neither money nor results: rows in the database decide. But it should not be.

    👉 <code>photomat check --only storage</code>. If the database is behind a pooler, set DIRECT_DATABASE_URL, then restart the instances.
alert-audit = The audit is red
alert-audit-now =
    Rules broken: { $count } ({ $names }). Money or jobs are not recorded as they must be. The bot goes on working.

    👉 <code>photomat audit</code>. Keep its output, repair nothing by hand in the database, report it.
alert-stopped-jobs = Jobs are stopped
alert-stopped-jobs-now =
    Stopped by an error of ours: { $count }. The customers' money is held, not charged. These jobs do not go on by themselves.

    👉 <code>photomat jobs list --stuck</code> shows them all. One of them: <code>photomat jobs show { $job }</code>, then <code>photomat jobs retry { $job }</code>, or give the money back: <code>photomat jobs cancel { $job } --reason "our error"</code>
alert-undelivered = Results do not reach customers
alert-undelivered-now =
    Ready and not shown: { $count }, the oldest for { $minutes } min. They are paid for; the results are safe and are tried again.

    👉 <code>photomat jobs list --undelivered</code> says why. If Telegram does not answer, they arrive by themselves.
alert-parked-deliveries = Telegram does not take cards
alert-parked-deliveries-now =
    Parked after many refusals: { $count }. They are not tried again by themselves. The results are safe, the money is in order.

    👉 <code>photomat jobs show { $job }</code> has Telegram's answer. Once the reason is gone: <code>photomat jobs redeliver { $job }</code>, never a second picture. The others: <code>photomat jobs list --stuck</code>
alert-refused-media = Telegram refuses results
alert-refused-media-now =
    Refused with an answer nobody planned for and shown as a text with a link instead, within a day: { $count }. The results are safe, the money is in order.

    👉 <code>photomat jobs show { $job }</code> has Telegram's answer. Once the reason is gone: <code>photomat jobs redeliver { $job }</code>
alert-unread-results = Kie answers in an unknown way
alert-unread-results-now =
    Finished jobs within a day whose answer held something this version does not know: { $count }. Nothing was dropped: customers got it as files.

    Unknown fields: <code>{ $fields }</code>

    👉 Look at what the customer got: <code>photomat jobs show { $job }</code>. Then report the fields, so that the next version shows them properly.
alert-parked-updates = Customers' messages were not handled
alert-parked-updates-now =
    Put aside within half an hour: { $count }. The customers were told to try again, the money is in order.

    👉 Find UPDATE_PARKED in the log; its <code>error</code> says why. <code>Unreadable</code>: nobody can use that update, nothing to do. "the process ended": look why instances end with it in their hands. Anything else failed three times and is a bug: report it; if it began with an upgrade, go a version back.
alert-orphans = Many answers of Kie without a job
alert-orphans-now =
    Not matched within the hour: { $count }. If the jobs are ours, customers wait longer; their money is held and goes back if no result comes.

    👉 <code>photomat jobs reconcile</code>, then <code>photomat jobs list --orphans</code>. Usually another installation uses the same Kie key.
alert-kie-key = Kie refuses the key
alert-kie-key-now =
    New jobs will not be made: the customers' money will be held, not charged.

    👉 Correct KIE_API_KEY and restart the bot. To check: <code>photomat check --only callback</code>
alert-kie-credits = Kie credits are running out
alert-kie-credits-now =
    Credits left: { $credits }. Once they are gone, new jobs wait; the customers' money will be held, not charged.

    👉 Top up at kie.ai. To check: <code>photomat check --only callback</code>
alert-kie-paused = Kie takes no jobs
alert-kie-paused-now =
    { $code ->
        [401] The key is refused (401).
        [402] The credits are gone (402).
       *[other] Refused with { $code }: the limit of the key.
    } Jobs waiting: { $count }. The customers' money is held, not charged; they may cancel for free.

    👉 { $code ->
        [401] Correct KIE_API_KEY and restart the bot.
        [402] Top up at kie.ai.
       *[other] Raise the limit of the key at kie.ai.
    } Then the jobs go out by themselves, one try a minute. Who waits: <code>photomat jobs list</code>
alert-old-transaction = The database holds an old transaction
alert-old-transaction-now =
    Session { $pid } has kept its transaction open for { $minutes } min. Customers notice nothing yet, the money is in order, but the database cannot tidy up and will get slow.

    👉 A backup or <code>photomat audit</code>? Wait for it. Otherwise, in psql: <code>SELECT pg_terminate_backend({ $pid });</code>
