### Everything a customer reads in English. Keys and variables are those of ru.ftl.

## Start and menu
greeting = 👋 Hello, { $name }!

    I make pictures from your words. One order is one picture, and you pay only for a finished result.

    💰 Balance: <b>{ $balance }</b>
home = 🏠 <b>Main menu</b>

    💰 Balance: <b>{ $balance }</b>
help = ℹ️ <b>How it works</b>

    1. Tap “🖼 Create a picture” and pick a model.
    2. Describe what to draw and choose a format.
    3. Check the card with its price and tap “✅ Create”.

    The picture appears in that very card. If it fails, your money returns to the balance by itself.

    /start — menu
    /balance — balance
    /history — your orders
    /cancel — stop filling in
    /lang — language / язык
    /help — this page
menu-create = 🖼 Create a picture
menu-balance = 💰 Balance
menu-history = 🗂 History
menu-help = ℹ️ Help
menu-lang = 🌐 Language
menu-home = 🏠 Menu
command-start = Menu
command-balance = Balance
command-history = Your orders
command-cancel = Stop filling in
command-lang = Language / Язык
command-help = How it works

## Choosing a model, and questions
choose-model = 🖼 <b>Pick a model</b>

    The price is for one picture.
no-models = Nothing is on sale right now. Please come back later.
model-button = { $title } · { $price }
model-button-from = { $title } · from { $price }
question = <b>{ $model }</b> · step { $step } of { $steps }

    { $ask }
question-change = <b>{ $model }</b> · change

    { $ask }
ask-prompt = ✍️ Describe in one message what to draw (up to { $limit } { $limit ->
        [one] character
       *[other] characters
    }).
ask-aspect_ratio = 📐 Choose a format with a button.
input-prompt = Description
input-aspect_ratio = Format
form-expects-text = Text is needed here: describe it in words, in one message. Changed your mind? /cancel
form-too-long = Too long: up to { $limit } { $limit ->
        [one] character fits
       *[other] characters fit
    }, yours has { $length }, that is { $over } too many. Shorten it and send it again.
form-expects-choice = Choose one of the options with a button below the question: { $options }. Changed your mind? /cancel
button-leave = ✖️ Cancel

## The card of a draft
draft-card = 🖼 <b>{ $model }</b>

    { $inputs }

    Price: <b>{ $price }</b>
    Balance: { $balance }
draft-card-short = ⚠️ { $missing } is missing. Your order is kept: top up and tap “Create”.
draft-input = { $title }: { $value }
draft-create = ✅ Create · { $price }
draft-change = ✏️ Change
draft-cancel = ✖️ Cancel
draft-back = ◀️ Back
draft-what-to-change = ✏️ <b>{ $model }</b>

    What should be changed?
draft-change-input = ✏️ { $title }
draft-canceled = The order is canceled, nothing was charged.

## Answers to taps
tap-accepted = Accepted, your picture is being made
tap-accepted-before = This order is accepted already
tap-accepted-elsewhere = This order was started from another card
tap-card-renewed = The terms have changed: please check the renewed card
tap-draft-gone = This order is out of date, canceled or not yours. Start a new one: /start
tap-draft-bought = This order is running already and cannot be changed
tap-too-many = No more than { $limit } { $limit ->
        [one] order
       *[other] orders
    } at once. Wait for the running ones and tap again.
tap-not-enough = { $missing } is missing: the price is { $price }, available is { $available }. Your order is kept: top up and tap again.
tap-question-closed = This question is closed, or was not put to you. Start again: /start
tap-stale = This button no longer works. Open the menu: /start
tap-model-gone = This model is no longer on sale. Open the menu: /start
tap-page-gone = This page is not available. Open the menu: /start
tap-canceled = Canceled, your money is back on the balance
tap-cancel-too-late = It is being drawn and cannot be canceled. It usually takes up to { $minutes } min.
tap-cancel-finished = It is finished already, there is nothing to cancel
tap-not-yours = This is not your order
tap-offer-accepted = Done, here comes the result
tap-offer-gone = This offer is gone
tap-nothing = There is nothing to tap here
tap-failed = That did not work. Open the menu: /start

## The rest
balance = 💰 Available: <b>{ $available }</b>
balance-held = 💰 Available: <b>{ $available }</b>
    In work: { $held }
history = 🗂 <b>Your last orders</b>

    { $lines }
history-empty = 🗂 No orders yet. Time for the first one!
history-line = { $number }. { $status } { $model } · { $price } · { $when } UTC
history-again = 🔁 { $number }
status-pending = ⏳
status-submitting = ⏳
status-running = ⏳
status-done = ✅
status-failed = ❌
status-canceled = ✖️
cancel-done = Filling in is stopped, nothing was charged.
cancel-nothing = There is nothing to stop.
lang-ask = 🌐 Choose your language · Выберите язык
lang-ru = 🇷🇺 Русский
lang-en = 🇬🇧 English
lang-chosen = I speak English now.
fallback-text = To make a picture, tap the button below and I will ask what to draw.
fallback-command = There is no such command. Here is what there is: /help
fallback-other = I cannot do that yet. To make a picture, tap the button below.
parked = 😔 Your message could not be handled: the mistake is ours and the operator will see it. Your money is safe. Please try again: /start
checkout-closed = Payments are not open yet, nothing was charged.

## The card of a bought job, its ring and the reasons of a failure

card-accepted =
    ⏳ <b>{ $model }</b> · { $price }
    { $inputs }

    Order accepted, the sum is set aside. Sending it to work…
card-running =
    🎨 <b>{ $model }</b> · { $price }
    { $inputs }

    Generating
    { $bar }
card-overdue =
    🕰 <b>{ $model }</b> · { $price }
    { $inputs }

    This takes longer than usual. Still waiting: the money is set aside, not charged. You may cancel, and the sum is back at once.
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
card-offered =
    🎉 <b>{ $model }</b>
    { $inputs }

    You canceled this order, and the result came after all. Would you like it for { $price }?
card-stopped =
    🛠 <b>{ $model }</b>
    { $inputs }

    Sorry, this is our own error: the order is stopped. Your money is safe, the operator knows and will sort it out.
card-slot = ⏳ The card was deleted, the result will appear here…
card-link = The file could not be shown in the chat.
card-link-label = Download it (the link is temporary)
card-button-again = 🔁 Once more
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
