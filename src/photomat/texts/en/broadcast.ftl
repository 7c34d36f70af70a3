# Broadcasts: answers to operators, and what a customer sees below one.

broadcast-offer-gone = This offer is over. Here is what there is now.

broadcast-no-such = There is no such broadcast.
broadcast-created = Broadcast { $id } is saved. Look at it in your own chat, then start it.
broadcast-changed = Saved. Look at it in your own chat once more: it cannot be started without that.
broadcast-deleted = The broadcast is deleted.
broadcast-not-open = It was started before: it cannot be changed, deleted or started again. Make a new one.
broadcast-preview-asked = It comes to chat { $chat } now, exactly as customers will see it.
broadcast-not-previewed = Look at it in your own chat first: that shows that Telegram accepts it.
broadcast-reaches-nobody = Nobody meets these conditions.
broadcast-reach-differs = You saw a reach of { $seen } and it is { $now } now, more than 10 % apart. Check the conditions and start it with the new number.
broadcast-started = It is on its way to { $reach ->
    [one] { $reach } recipient
   *[other] { $reach } recipients
}. Results of customers go first.
broadcast-stopped = Stopped: it goes to nobody else. What has left cannot be called back.
broadcast-not-sending = It is not being sent, so there is nothing to stop.
broadcast-resumed = Resumed: it goes to those who have not got it yet.
broadcast-not-resumable = It cannot be resumed: it is not stopped, or everyone has got it.

broadcast-text-empty = The text is empty.
broadcast-text-long = The text is longer than Telegram accepts: { $length } characters, { $limit } are allowed.
broadcast-tag-unknown = Telegram does not know the markup "{ $near }". Allowed: b, i, u, s, a, code, pre, blockquote and tg-spoiler.
broadcast-loose-bracket = A "<" without a tag: "{ $near }". Write &lt; instead.
broadcast-tag-not-opened = The tag </{ $tag }> is closed but not opened.
broadcast-tag-not-closed = The tag <{ $tag }> is opened but not closed.
broadcast-tag-crossed = The tag </{ $tag }> is closed before what is inside it.
broadcast-link-bad = The link "{ $link }" does not work: it begins with https://, http:// or tg://.
broadcast-media-one = Give a file_id of Telegram's or a file, not both.
broadcast-media-large = The file is empty or larger than { $limit } MB.
broadcast-button-title = The label of the button has 1 to { $limit } characters.
broadcast-button-one = The button leads to a link or into the bot, not both.
broadcast-button-opens = The button cannot open "{ $opens }": only topup, model:… or template:….

broadcast-segment-language = The language is ru or en.
broadcast-segment-days = Days are from 1 to 3650.
broadcast-segment-contradiction = "Never ordered" cannot be combined with conditions about orders: nobody would match.
broadcast-segment-ids = A list has 1 to 10,000 ids.

broadcast-to-everyone = everyone
broadcast-to-language = language: { $language ->
    [en] English
   *[ru] Russian
}
broadcast-to-payers = topped up at least once
broadcast-to-unpaid = never topped up
broadcast-to-active = { $days ->
    [one] ordered within the last day
   *[other] ordered within the last { $days } days
}
broadcast-to-sleeping = { $days ->
    [one] ordered, but not within the last day
   *[other] ordered, but not within the last { $days } days
}
broadcast-to-rich = balance of { $amount } or more
broadcast-to-newcomers = never ordered
broadcast-to-kind = ordered: { $kind ->
    [image] pictures
    [video] videos
    [audio] sound
    [text] texts
   *[other] { $kind }
}
broadcast-to-model = ordered the model { $model }
broadcast-to-listed = a list of { $count ->
    [one] { $count } id
   *[other] { $count } ids
}

broadcast-aimed = It is for them now.

admin-page-cast = 📣 Broadcast
admin-cast-none =
    📣 <b>Broadcasts</b>

    There are none yet. The message you send is first seen by you alone.
admin-cast-list = 📣 <b>Broadcasts</b>
admin-cast-new = ➕ New broadcast
admin-cast-ask-message =
    📣 <b>New broadcast</b>

    Send the message as customers will see it: a text, or a photo, video or GIF with a caption. Bold, italic and links are kept. Nothing is sent to anyone yet.
admin-cast-refused =
    { $why }

    Send the corrected message.
admin-cast-head = 📣 <b>Broadcast { $id }</b> · { $state }
admin-cast-to = To: <b>{ $conditions }</b>
admin-cast-reach = { $reach ->
    [one] Reach: <b>{ $reach }</b> user.
   *[other] Reach: <b>{ $reach }</b> users.
} { $blocked } more have blocked the bot.
admin-cast-step-draft = Look at it yourself first: it cannot be started without that.
admin-cast-looking = 👇 The broadcast comes as a message of its own now, exactly as customers will see it. Look at it and tap Next.
admin-cast-next = Next
admin-cast-step-ready = ✅ You have seen it. It can be started.
admin-cast-segment-all = Everyone
admin-cast-segment-paid = Topped up
admin-cast-segment-unpaid = Never topped up
admin-cast-segment-active = Active 30 days
admin-cast-segment-sleep = Asleep 30 days
admin-cast-segment-new = Never ordered
admin-cast-look = 👁 Send it to me
admin-cast-start = 🚀 Start: { $reach }
admin-cast-stop = ⏹ Stop
admin-cast-resume = ▶️ Resume
admin-cast-delete = 🗑 Delete
admin-cast-refresh = 🔄 Refresh
admin-cast-progress =
    { $bar } { $ended } of { $recipients }

    Sent: <b>{ $sent }</b>
    Not sent yet: { $waiting }
    Blocked the bot: { $blocked }, and { $known } before
    Unknown: { $unknown }
    Refused by Telegram: { $refused }
admin-cast-ask-start =
    Start broadcast { $id } for <b>{ $reach }</b>? Everyone gets it once; what has left cannot be called back.

    Say why by a button or in words. The answer starts it.
admin-cast-ask-resume =
    Resume broadcast { $id }?

    Say why by a button or in words.
admin-cast-ask-delete =
    Delete broadcast { $id }?

    Say why by a button or in words.
admin-cast-reason-offer = An offer
admin-cast-reason-news = News
admin-cast-reason-fix = A correction
admin-cast-reason-stop = Stopped from the phone
