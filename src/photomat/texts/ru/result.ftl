### Результат: подпись под ним, текст для чтения, части трека, файлы без сжатия.
caption-seed = seed: { $seed }

card-text-cut = … Здесь только начало: весь текст придёт кнопкой «📎 Файлом».
card-text-empty = Модель закончила, но текста в ответе нет.
card-button-original = 📎 Оригинал
card-button-originals = 📎 Файлы · { $count }
card-button-file = 📎 Файлом
card-link-own = Скачать по ссылке
why-original-gone = 📎 Оригинал больше не хранится; это версия, которую хранит Telegram.
original =
    📎 <b>{ $model }</b> · без сжатия
    { $inputs }
original-text =
    📎 <b>{ $model }</b> · весь текст
    { $inputs }
original-links = 📎 Эти файлы — по ссылкам: { $links }
tap-originals = Отправляю без сжатия, это бесплатно

read-speaker = Говорящий { $number }
read-notes = 🎼 { $instrument } — { $count } { $count ->
        [one] нота
        [few] ноты
       *[many] нот
    }
read-has-human = Человек на фото
read-humans-count = Людей
read-segments-count = Найдено частей
read-segments = Части
read-name = Название
read-description = Описание
read-persona = Номер голоса
read-score = Уверенность

stem-vocal = Вокал
stem-instrumental = Инструментал
stem-backing-vocals = Бэк-вокал
stem-drums = Барабаны
stem-bass = Бас
stem-guitar = Гитара
stem-piano = Фортепиано
stem-keyboard = Клавишные
stem-percussion = Перкуссия
stem-strings = Струнные
stem-synth = Синтезатор
stem-fx = Эффекты
stem-brass = Медные духовые
stem-woodwinds = Деревянные духовые
answer-file = Полный ответ модели (JSON)

card-button-like = 🤍
card-button-favourite = ❤️
card-button-details = ℹ️
next-animate = 🎬 Оживить
next-enhance = ✨ Улучшить
next-edit = 🎨 Изменить
next-background = ✂️ Убрать фон
next-enhance-video = ✨ Улучшить
next-extend-video = ⏩ Продлить
next-revideo = 🎞 Изменить
next-extend-song = ⏩ Продлить
next-cover = 🎤 Кавер
next-clip = 🎬 Клип
next-avatar = 🗣 Аватар
next-clean-audio = 🧹 Очистить
next-variant = 🔀 Вариант
next-asks-words = 🎨 <b>Что изменить?</b> Напишите одним сообщением, файл уже приложен.
    <i>{ $model }</i>
tap-next-gone = Сейчас для этого нет модели. Попробуйте позже
tap-liked = ❤️ В избранном
tap-unliked = Убрано из избранного

details-page =
    ℹ️ <b>{ $model }</b> · заказ № { $job }
    { $when }

    { $inputs }
details-gift = Подарок: результат пришёл позже, чем мы ждали, деньги вернулись.
details-missing = Не пришло? Прислать ещё раз
