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
broadcast-tag-unknown = Telegram does not know the markup "{ $place }". Allowed: b, i, u, s, a, code, pre, blockquote and tg-spoiler.
broadcast-loose-bracket = A "<" without a tag: "{ $place }". Write &lt; instead.
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
