### The questions of an order, and its card. Keys and variables are the same as in ru.

## A question: the first of them is the model's page
question = <b>{ $model }</b> · step { $step } of { $steps }

    { $ask }
question-change = <b>{ $model }</b> · change

    { $ask }
form-page = <b>{ $model }</b> · step { $step } of { $steps }
    { $about }

    { $ask }
form-take-example = 💡 Use the example
form-example = 💡 Example: <code>{ $prompt }</code>
form-price = 💰 { $price }
form-price-from = 💰 from { $price }
form-price-usual = 💰 from { $price }, usually { $usual }
form-free = 🎁 Free
form-way = 🔀 What shall we begin with? Choose with a button, or just send what you have.
form-default = By default: { $value }
form-now = Now: { $value }
form-line = <b>{ $title }</b> · no. { $number }
form-ask-text = ✍️ { $title }: write it in one message.
form-ask-choice = { $title }: choose with a button.
form-ask-number = 🔢 { $title }: send a number.
form-ask-switch = { $title }: yes or no?
form-ask-link = 🔗 { $title }: send a link.
form-ask-file = 📎 { $title }: send the file.
form-ask-files = 📎 { $title }: send the files.
form-ask-list = ✍️ { $title }: one after the other.
form-ask-task = 🗂 { $title }: choose from what was made before.
form-ask-track = 🎵 { $title }: choose the track.

## What can be answered
form-limit-length = Up to { $limit } { $limit ->
        [one] character
       *[other] characters
    }.
form-limit-message = Up to { $limit } { $limit ->
        [one] character
       *[other] characters
    }, in one message: a second one does not continue it.
form-limit-lengths = From { $least } to { $limit } { $limit ->
        [one] character
       *[other] characters
    }.
form-limit-total = Up to { $limit } { $limit ->
        [one] character
       *[other] characters
    } in all.
form-limit-number = From { $least } to { $most }.
form-limit-least = From { $least }.
form-limit-most = Up to { $most }.
form-limit-step = In steps of { $step }.
form-limit-formats = { $kind ->
        [image] Picture
        [video] Video
        [audio] Sound
       *[document] Document
    }: { $formats }.
form-limit-mb = Up to { $limit } MB.
form-limit-seconds = Up to { $limit } s.
form-limit-seconds-from = From { $least } to { $limit } s.
form-limit-seconds-total = Up to { $limit } s together.
form-limit-side = The short side from { $limit } px.
form-limit-files = Up to { $limit } { $limit ->
        [one] file
       *[other] files
    }, an album is fine.
form-limit-files-exact = { $limit } { $limit ->
        [one] file is
       *[other] files are
    } needed.
form-limit-lines = Up to { $limit } { $limit ->
        [one] line
       *[other] lines
    }.
form-limit-lines-from = From { $least } to { $limit } { $limit ->
        [one] line
       *[other] lines
    }.
form-lines-how = Each line of your message is one item.
form-lines-parts = In each line, in this order, with “|” between them: { $parts }.
form-lines-besides = After “|” you may add: { $parts }.
form-lines-numbers = Numbers may be separated by commas or spaces.
form-file-how = { $kind ->
        [image] Send it as a photo, a file or a link.
        [video] Send it as a video, a file or a link.
        [audio] Send it as audio, a voice message, a file or a link.
       *[document] Send it as a file or a link.
    }
form-limit-mb-link = Up to { $telegram } MB, by a link up to { $limit } MB.
form-reply = ↩️ Answer by replying to this message.
form-reply-or = ↩️ Answer by replying to this message. One word will do, too: { $words }.
form-options-page = Page { $page } of { $pages }. You may also type the name.

## An answer bit by bit
form-counter = 📎 { $title }: { $count } of { $limit } received.
form-counter-more = Send more, or tap “✅ Done”.
form-counter-need = { $count } more needed.
form-lines-so-far = { $title }, { $count }:

    { $lines }
form-lines-line = { $number }. { $text }
form-lines-more = Send more lines, or tap “✅ Done”.
form-lines-next = Add another, or tap “✅ Done”.
form-lines-full = That is all there can be: tap “✅ Done”.
form-files-wait = I am waiting for files, no text is needed here. There are { $count } already. Send more or press “✅ Done”.
form-files-full = { $count } were taken already and no more fit: the rest is not needed. Answer the question above.
form-album-rest = The other files of the album were not taken: they are not needed here.
form-expects-pick = Choose with a button below the question. Changed your mind? /cancel

## What was made before
form-sources = These are your latest results that fit:
form-sources-none = You have no result yet that fits. Make one first: { $models }. Then come back here.
form-sources-empty = You have no result yet that fits, and what makes one is not on sale right now.
form-results = 🗂 <b>From my results</b>

    { $ask }
form-results-none = 🗂 There is no finished result yet that fits. Send a file instead.
form-source = { $when } · { $what }
form-source-output = { $when } · { $what } · no. { $number }
form-source-track = { $when } · { $what } · track { $number }
form-file-taken = 📎 { $kind ->
        [image] Picture taken
        [video] Video taken
        [audio] Recording taken
       *[document] File taken
    }, { $count } in all. No need to send it again.
tap-source-gone = This result is no longer there, choose another one

## Buttons of a question
form-yes = Yes
form-no = No
form-skip = ⏭ Skip
form-finish = ⚡ Straight to the order
form-back = ◀️ Back
form-done = ✅ Done
form-more = ➕ Another
form-drop = 🗑 Remove the last one
form-walk = 🎛 Set up each line
form-remove = 🗑 Remove the value
form-from-results = 🗂 From my results
form-to-question = ◀️ To the question
form-previous = ◀️
form-next = ▶️
button-leave = ✖️ Cancel

## What a question expects, and why an answer does not fit
form-expects-text = Text is needed here: describe it in words, in one message. Changed your mind? /cancel
form-too-long = Too long: up to { $limit } { $limit ->
        [one] character fits
       *[other] characters fit
    }, yours has { $length }, that is { $over } too many. Shorten it and send it again.
form-too-short = Too short: at least { $limit } { $limit ->
        [one] character is
       *[other] characters are
    } needed, yours has { $length }.
form-expects-choice =
    There is no such option. Choose with a button below the question, or type a name: { $options }

    Changed your mind? /cancel
form-line-choice = After “|” stands “{ $value }”, and there is no such option. { $input }: { $options }. Mend it and send it again.
form-line-number = After “|” stands “{ $value }”, where a number can be: { $input }. Mend it and send it again.
form-line-bounds = After “|” stands “{ $value }”, and it can be { $least } to { $most }: { $input }. Mend it and send it again.
form-expects-number = A number from { $least } to { $most } is needed here.
form-number-bounds = It may be from { $least } to { $most }.
form-number-step = The number goes in steps of { $step }.
form-expects-switch = Answer with a button: yes or no.
form-expects-link = A link is needed here, one that begins with https://.
form-file-kind = { $kind ->
        [image] A picture is needed here
        [video] A video is needed here
        [audio] A recording is needed here
       *[document] A document is needed here
    } ({ $formats }).
form-file-format = The format { $format } does not fit, it takes one of: { $formats }.
form-file-heavy = The file is too large: { $size } MB, up to { $limit } MB fit.
form-file-long = Too long: { $seconds } s, up to { $limit } s fit. Cut it and send it again.
form-file-brief = Too short: { $seconds } s, at least { $limit } s are needed.
form-files-long = Too long together: { $seconds } s, up to { $limit } s fit for all files.
form-file-small = The picture is too small: its short side has { $side } px, at least { $limit } px are needed.
form-file-large = The picture is too large: its long side has { $side } px, up to { $limit } px fit.
form-too-many = Too many: { $count }, up to { $limit } fit.
form-too-few = Too few: { $count }, at least { $limit } are needed.
form-gone = No longer there: { $input }. Send it or choose it anew.
form-missing = Still missing: { $input }.
form-one-of = One of these is needed: { $inputs }.
form-never = These do not go together: { $inputs }. Change one of them.
form-never-because = That cannot be done: { $why }.
form-pattern = “{ $text }” does not fit. { $input } is written like this: { $like }.
form-lines-sum = “{ $input }”: { $total } s together, while { $least } to { $most } s are possible. Change a length or take out a line.
form-lines-total = “{ $input }”: the sum must be { $limit }, now it is { $total }. Correct it and send it again.
form-lines-lack = “{ $value }” speaks, but “{ $input }” has no such line. Add it or choose another.
form-lines-twice = “{ $value }” stands twice in “{ $input }”. Leave one line.

## The card of a draft
draft-card = { $kind ->
        [video] 🎬
        [audio] 🎧
        [text] 📝
       *[image] 🖼
    } <b>{ $model }</b>

    { $inputs }

    Price: <b>{ $price }</b>
    Balance: { $balance }
draft-card-short = ⚠️ { $missing } is missing. Your order is kept: top up and tap “Create”.
draft-input = { $title }: { $value }
draft-create-free = ✅ Create · free
draft-create = ✅ Create · { $price }
draft-change = ✏️ Change
draft-cancel = ✖️ Cancel
draft-back = ◀️ Back
draft-what-to-change = ✏️ <b>{ $model }</b>

    What should be changed?
draft-ran-elsewhere = This order is running already: its card is further down in this chat, and its result is in the history too: /history
draft-canceled = The order is canceled, nothing was charged.
draft-change-value = ✏️ { $title }: { $value }
draft-add-value = ➕ { $title }
draft-more-settings = ⚙️ More settings
draft-more-title = ⚙️ <b>{ $model }</b>

    More settings
draft-settings-back = ◀️ To the changes
