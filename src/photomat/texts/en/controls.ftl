### Pauses made by an operator: the bot, the generation service, a model.
controls-until = Probably until { $until } UTC.
controls-until-unknown = It is not known yet for how long.
controls-bot-paused =
    🛠 <b>Maintenance break</b>

    { $why }
    The money on your balance is safe; generations already started go on and arrive here by themselves.
controls-bot-tap = 🛠 Maintenance break. { $why } Your money and running generations are safe.
controls-checkout = Maintenance break: payments are not taken right now. { $why } You were not charged.
controls-model-paused = ⏸ { $model }: this model is temporarily unavailable. { $why }
controls-model-button = ⏸ { $title } · temporarily unavailable
controls-provider-note = 🕓 Generation is paused right now. { $why } You can still order: the sum is set aside, and it starts by itself as soon as the pause is over.
controls-waiting = 🕓 Generation is paused right now. { $why } Yours is queued and starts by itself. The sum is set aside, not charged: you may wait or cancel.

## For operators: what was done, and why not.
controls-title-bot = The bot
controls-title-provider = Generation service { $name }
controls-title-model = Model { $name }
controls-paused = { $what }: paused.
controls-paused-already = It is paused already: resume it first to change anything.
controls-resumed = { $what }: working again.
controls-not-paused = It is not paused.
controls-notice-long = The text for customers is longer than { $longest } characters.
controls-lasts-wrong = A pause lasts between a minute and a year.
controls-draining = { $instance } claims nothing more and finishes what it holds; another instance takes over.
controls-draining-already = This instance is draining already.
controls-undrained = { $instance } works again.
controls-not-draining = This instance is not draining.
controls-no-such-instance = No such instance is alive.
controls-last-instance = It is the last instance that works: start another first, or pause the bot.
controls-paused-by = { $operator } has paused it ({ $reason })
controls-banner = ⏸ { $what }: paused{ $lasts ->
    [until] { " " }until { $until }
   *[open] { "" }
}. Why: { $reason } ({ $operator }).
