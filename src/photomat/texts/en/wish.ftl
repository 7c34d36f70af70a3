### An order by words or a file: a card without a form.

## What else can be made of the same
wish-short-picture = 🖼 Picture
wish-short-edit = 🎨 Edit photo
wish-short-animate = 🎬 Animate
wish-short-enhance = ✨ Enhance
wish-short-background = ✂️ Remove background
wish-short-avatar = 🧑 Make it talk
wish-short-read = 🔎 Analyse
wish-short-video = 🎬 Video
wish-short-revideo = 🎞 Edit video
wish-short-extend-video = ▶️ Extend
wish-short-enhance-video = ✨ Enhance
wish-short-music = 🎵 Song
wish-short-lyrics = ✍️ Lyrics
wish-short-extend-audio = ⏩ Extend
wish-short-extend-song = ⏩ Extend
wish-short-clip = 🎬 Music video
wish-short-cover = 🎤 Cover
wish-short-song-tools = 🎛 Voice and music apart
wish-short-sound = 🔊 Sound
wish-short-clean-audio = 🧹 Remove noise
wish-short-voice = 🗣 Read aloud
wish-short-transcribe = 📝 Transcribe
wish-priced = { $wish } · { $price }
wish-other-model = 🔁 Another model
wish-choose-model = Which model shall make it? Your words and files stay.
wish-model = { $title } · from { $price }
wish-back = ◀️ To the order
wish-apart = ➕ That is a separate order

## What is missing
wish-send-file = 📎 { $kind ->
        [image] Send a photo
        [video] Send a video
        [audio] Send an audio file
       *[document] Send a file
    } and the order is ready.
wish-write-words = ✍️ { $about ->
        [image] Write what to change in the photo, or choose below
        [video] Write what to change in the video, or choose below
        [audio] Write what to make of the recording, or choose below
        [setting] One more thing to choose: “✏️ Change”
       *[nothing] Write what it shall be
    }.
wish-file-refused = { $why }
wish-too-many = Too fast: give me a minute and we go on. Everything you sent is on the cards above.
wish-voice-unheard = 🎙 I cannot understand words in voice messages yet: please type them. Here is what can be done with the recording itself:

## What it costs
wish-prices = <b>💰 Usual prices</b>
wish-costs = { $wish }: { $price }
wish-prices-exact = Write what to make, or send a photo: you see the exact price before you pay.
wish-replaced = ✏️ The order was changed: its card is below.
