### A result: its caption, a text to read, the parts of a track, files without compression.
caption-seed = seed: { $seed }

card-text-cut = … This is only the beginning: the button “📎 As a file” brings the whole text.
card-text-empty = The model has finished, but its answer holds no text.
card-button-original = 📎 Original
card-button-originals = 📎 Files · { $count }
card-button-file = 📎 As a file
card-link-own = Download it
why-original-gone = 📎 The original is no longer stored; this is the version Telegram keeps.
original =
    📎 <b>{ $model }</b> · without compression
    { $inputs }
original-text =
    📎 <b>{ $model }</b> · the whole text
    { $inputs }
original-links = 📎 These files are behind links: { $links }
tap-originals = On its way without compression, for free

read-speaker = Speaker { $number }
read-notes = 🎼 { $instrument } — { $count } { $count ->
        [one] note
       *[other] notes
    }
read-has-human = A person in the picture
read-humans-count = People
read-segments-count = Parts found
read-segments = Parts
read-name = Name
read-description = Description
read-persona = Number of the voice
read-score = Confidence

stem-vocal = Vocals
stem-instrumental = Instrumental
stem-backing-vocals = Backing vocals
stem-drums = Drums
stem-bass = Bass
stem-guitar = Guitar
stem-piano = Piano
stem-keyboard = Keyboard
stem-percussion = Percussion
stem-strings = Strings
stem-synth = Synth
stem-fx = Effects
stem-brass = Brass
stem-woodwinds = Woodwinds
answer-file = The model's full answer (JSON)

card-button-like = 🤍
card-button-favourite = ❤️
card-button-details = ℹ️
next-animate = 🎬 Animate
next-enhance = ✨ Enhance
next-edit = 🎨 Edit
next-background = ✂️ Cut out
next-enhance-video = ✨ Enhance
next-extend-video = ⏩ Extend
next-revideo = 🎞 Change
next-extend-song = ⏩ Extend
next-cover = 🎤 Cover
next-clip = 🎬 Clip
next-avatar = 🗣 Avatar
next-clean-audio = 🧹 Clean up
next-variant = 🔀 Variant
next-asks-words = 🎨 <b>What should change?</b> One message will do, the file is attached already.
    <i>{ $model }</i>
tap-next-gone = There is no model for this right now. Please try later
tap-liked = ❤️ Added to favourites
tap-unliked = Removed from favourites

details-page =
    ℹ️ <b>{ $model }</b> · order No. { $job }
    { $when }

    { $inputs }
details-gift = A gift: the result came later than we waited, and the money went back.
details-missing = Did not arrive? Send again
