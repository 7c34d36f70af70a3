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
wish-read = 📝 Read photos, speech
wish-all = 📚 All models

## A list of models
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
search-more = The first { $shown } are shown; say more if yours is not among them.
search-nothing = 🔎 Nothing fits “{ $words }”. Try other words, or choose what you want to do:

## The prices of a model
menu-prices = 💰 Prices
prices-title = 💰 <b>{ $model }</b>: what costs how much
prices-one = Any order costs <b>{ $price }</b>.
prices-one-from = An order costs <b>from { $price }</b>.
prices-free = 🎁 This model is free right now.
prices-cell = { $choice } — { $price }
prices-cell-from = { $choice } — from { $price }
prices-none = not chosen
prices-measured = “From”, because the price grows with what you send: the length of texts and files, and how many there are. The card shows the exact one.
prices-cut = …and { $count } { $count ->
        [one] combination
       *[other] combinations
    } more: the card shows the exact price of your order before you pay.
prices-yes = yes
prices-no = no
prices-back = ◀️ Back
