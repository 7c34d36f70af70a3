### Помощник: улучшенная карточка, улучшенный запрос, голосовое сообщение словами.
assistant-question = ❓ <b>Уточните:</b> { $question }
    Ответьте сообщением, и карточка изменится. Можно и создать как есть.
assistant-improve = ✨ Улучшить запрос
assistant-undo = ↩️ Вернуть мой запрос
assistant-improved = ✨ Запрос улучшен. Было: <i>{ $before }</i>
assistant-improved-english = ✨ Запрос улучшен и переведён на английский: эта модель понимает его лучше. Было: <i>{ $before }</i>
assistant-thinking = ✨ Думаю…
assistant-thinking-already = ✨ Уже думаю…
assistant-not-improved = Улучшить запрос не получилось, он остался прежним.
assistant-limit = На сегодня улучшения закончились, запрос остался прежним.
assistant-listening = 🎙 Слушаю…
assistant-heard = 🎙 Вы сказали: «{ $text }»
assistant-use = ✅ Так и есть
assistant-forget = ✖️ Не то
assistant-not-heard = 🎙 Не получилось разобрать запись. Скажите ещё раз или напишите словами.
assistant-limit-voice = 🎙 На сегодня голосовые сообщения закончились. Напишите, пожалуйста, словами.
assistant-voice-long = 🎙 Запись длиннее { $minutes } мин. Скажите короче или напишите словами.
assistant-forgotten = Хорошо, забыли. Скажите иначе или напишите словами.
assistant-voice-old = Эту запись я уже не помню. Пришлите её ещё раз.
assistant-failed = Помощник сейчас не отвечает.
