### Choosing a voice: a list with filters, and samples to hear.

voice-list-hint = Tap ▶️ to listen. Every voice reads other languages too.
voice-list-previous = ⬅️ Previous
voice-list-next = Next ➡️
voice-hear = ▶️ Listen
voice-choose = ✅ Choose this voice
voice-sample = 🎧 { $voice }
voice-sample-drawn = 🎧 { $voice } · a tune instead of the voice
voice-sample-gone = This sample is gone. You can choose the voice without it.
voice-sample-failed = The sample could not be sent. Tap once more.

## Filters; a second tap takes a set one off
voice-only-set = ✓ { $name }
voice-only-female = 👩 Female
voice-only-male = 👨 Male
voice-only-british = 🇬🇧 Britain
voice-only-australian = 🇦🇺 Australia
voice-only-indian = 🇮🇳 India

## Signs beside a name
voice-sign-female = 👩
voice-sign-male = 👨
voice-sign-british = 🇬🇧
voice-sign-australian = 🇦🇺
voice-sign-indian = 🇮🇳
