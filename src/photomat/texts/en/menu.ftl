### The menu: wishes, lists of models, the search, prices.

## What a person wants
wish-picture = 🖼 Create a picture
wish-edit = 🎨 Edit a photo
wish-animate = 📸 Animate a photo
wish-video = 🎬 Make a video
wish-revideo = 🎞 Change a video
wish-avatar = 🧑 Talking avatar
wish-music = 🎵 Music and songs
wish-song-tools = 🎛 Work on a song
wish-voice = 🗣 Voice a text
wish-sound = 🔊 Sounds and voice
wish-enhance = ✨ Enhance quality
wish-background = ✂️ Cut out background
wish-read = 🔎 Read a photo
wish-transcribe = 📝 Speech to text
wish-all = 📚 All models

## First screen
group-photo = 🎨 Photo
group-photo-ask = What shall we do with a photo?
group-video = 🎬 Video
group-video-ask = What video shall we make?
group-music = 🎵 Music
group-music-ask = A song, a tune or a sound: what shall we make?
group-voice = 🗣 Voice
group-voice-ask = Read a text aloud, or work with speech?
menu-ideas = ✨ Ideas
menu-more = ➕ More
menu-more-ask = ➕ <b>More</b>

    Find a model by words, see all of them, change the language, or read how it all works.

## A list of models
list-or-write = ✍️ Just write what to draw, and I will pick a model.
list-choose = Pick a model. “From” is the price of the simplest order, the card shows the exact one.
list-empty = Nothing is on sale here right now. Please come back later or look at the other sections.
list-page = Page { $page } of { $pages }.
list-best = ⭐ Best
list-new = 🆕 New
list-cheap = 💸 Cheap
list-free = 🎁 Free
list-filter-on = { $label } ✓
list-previous = ◀️
list-next = ▶️
list-line = <b>{ $title }</b> — { $good_at }
good-best = 🏆 the best
good-fast-cheap = ⚡ fast and cheap
good-cheap = 💸 inexpensive
good-text = 🔤 text in pictures
good-realistic = 📷 like a real photo
good-sound = 🎧 with sound
good-faces = 🧑 faces
good-long = ⏳ up to 30 seconds
good-detail = 🔍 up to 4K
good-transparent = 🫥 transparent background
good-series = 🎲 several at once
good-samples = 🖼 many samples
good-purpose = { $tag ->
        [best] 🏆 { $purpose }
        [free] 🎁 { $purpose }
        [fast] ⚡ { $purpose }
        [cheap] 💸 { $purpose }
        [new] 🆕 { $purpose }
       *[none] { $purpose }
    }
model-button = { $title } · { $price }
model-button-from = { $title } · from { $price }
model-button-free = { $title } · 🎁 free
menu-to-models = ◀️ To the models
menu-model-gone = { $title } is not on sale right now. Pick another model: /start
menu-model-replaced = { $title } is no longer sold. There is { $instead } in its place.
menu-usual-seconds = ⏱ Usually about { $seconds } s
menu-usual-minutes = ⏱ Usually about { $minutes } min

## The search
menu-search = 🔎 Search
command-search = Find a model
search-ask = 🔎 What are you looking for? A few words will do: “animate a photo”, “voice”, “kling”.
search-found = 🔎 “{ $words }”: { $count ->
        [one] { $count } model
       *[other] { $count } models
    } found:
search-nothing = 🔎 Nothing fits “{ $words }”. Try other words, or choose what you want to do:

## The prices of a model
menu-prices = 💰 Prices
prices-title = 💰 <b>{ $model }</b>: what costs how much
prices-one = Any order costs <b>{ $price }</b>.
prices-free = 🎁 This model is free right now.
prices-cell = { $choice } — { $price }
prices-none = not chosen
prices-rate-generation = { $price }
prices-rate-image = { $price } for a picture
prices-rate-video = { $price } for a video
prices-rate-second = { $price } for a { $kind ->
        [video] second of video
       *[other] second
    }
prices-rate-minute = { $price } for a minute
prices-rate-character = { $price } for { $each } characters
prices-rate-megapixel = { $price } for a megapixel
prices-rate-token = { $price } for { $each } tokens
prices-extra = • plus { $rate } ({ $inputs })
prices-extra-free = — the first { $count } free
prices-counted = Counted by: { $inputs }.
prices-counted-largest = The longest of these counts: { $inputs }.
prices-whole = What is begun counts in full. The card shows the exact price before you pay.
prices-usual = With the usual settings — <b>{ $price }</b>.
prices-with = with { $inputs }
prices-up-to = a result of up to { $size }
prices-over = a larger result
prices-else = in all other cases
prices-pixels = { $size } px
prices-megapixels = { $size } MP
prices-cut = …and { $count } { $count ->
        [one] combination
       *[other] combinations
    } more: the card shows the exact price of your order before you pay.
prices-yes = yes
prices-no = no
prices-back = ◀️ Back
