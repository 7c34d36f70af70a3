### The assistant: a better card, a better prompt, a voice message in words.
assistant-question = ❓ <b>Please say:</b> { $question }
    Answer with a message and the card will change. You can also create it as it is.
assistant-improve = ✨ Improve the prompt
assistant-undo = ↩️ Back to my prompt
assistant-improved = ✨ The prompt is improved. Before: <i>{ $before }</i>
assistant-improved-english = ✨ The prompt is improved and in English, which this model understands better. Before: <i>{ $before }</i>
assistant-thinking = ✨ Thinking…
assistant-thinking-already = ✨ Still thinking…
assistant-not-improved = The prompt could not be improved and stays as it was.
assistant-limit = No more improvements today; the prompt stays as it was.
assistant-listening = 🎙 Listening…
assistant-heard = 🎙 You said: “{ $text }”
assistant-use = ✅ Exactly
assistant-forget = ✖️ Not that
assistant-not-heard = 🎙 I could not make out the recording. Say it again, or write it.
assistant-limit-voice = 🎙 No more voice messages today. Please write it.
assistant-voice-long = 🎙 The recording is longer than { $minutes } min. Make it shorter, or write it.
assistant-forgotten = All right, forgotten. Say it another way, or write it.
assistant-voice-old = I no longer remember this recording. Please send it again.
assistant-failed = The assistant does not answer now.
