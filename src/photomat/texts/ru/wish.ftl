### Заказ словами или файлом: карточка без анкеты.

## Что ещё сделать из того же
wish-short-picture = 🖼 Картинка
wish-short-edit = 🎨 Изменить фото
wish-short-animate = 🎬 Оживить
wish-short-enhance = ✨ Улучшить
wish-short-background = ✂️ Убрать фон
wish-short-avatar = 🧑 Пусть говорит
wish-short-read = 🔎 Разобрать
wish-short-video = 🎬 Видео
wish-short-revideo = 🎞 Изменить видео
wish-short-extend-video = ▶️ Продлить
wish-short-enhance-video = ✨ Улучшить
wish-short-music = 🎵 Песня
wish-short-lyrics = ✍️ Текст песни
wish-short-extend-audio = ⏩ Продлить
wish-short-extend-song = ⏩ Продлить
wish-short-clip = 🎬 Клип
wish-short-cover = 🎤 Кавер
wish-short-song-tools = 🎛 Голос и музыка отдельно
wish-short-sound = 🔊 Звук
wish-short-clean-audio = 🧹 Убрать шум
wish-short-voice = 🗣 Озвучить
wish-short-transcribe = 📝 В текст
wish-priced = { $wish } · { $price }
wish-other-model = 🔁 Другая модель
wish-choose-model = Какой моделью сделать? Слова и файлы останутся.
wish-model = { $title } · от { $price }
wish-back = ◀️ К заказу
wish-apart = ➕ Это отдельный заказ

## Чего не хватает
wish-send-file = 📎 { $kind ->
        [image] Пришлите фото
        [video] Пришлите видео
        [audio] Пришлите аудио
       *[document] Пришлите файл
    } — и заказ готов.
wish-write-words = ✍️ { $about ->
        [image] Напишите, что изменить на фото, или выберите ниже
        [video] Напишите, что изменить в видео, или выберите ниже
        [audio] Напишите, что сделать из записи, или выберите ниже
        [setting] Осталось выбрать ещё одно: «✏️ Изменить»
       *[nothing] Напишите, что должно получиться
    }.
wish-file-refused = { $why }
wish-too-many = Слишком быстро: дайте мне минуту, и продолжим. Всё, что вы уже прислали, на карточках выше.
wish-voice-unheard = 🎙 Слова в голосовых я пока не распознаю: напишите их текстом. А вот что можно сделать с самой записью:

## Сколько стоит
wish-prices = <b>💰 Обычные цены</b>
wish-costs = { $wish } — { $price }
wish-prices-exact = Напишите, что сделать, или пришлите фото: точную цену покажу до оплаты.
wish-replaced = ✏️ Заказ изменён: карточка ниже.
