### Меню: желания, списки моделей, поиск, цены.

## Что хочет человек
wish-picture = 🖼 Создать картинку
wish-edit = 🎨 Изменить фото
wish-animate = 📸 Оживить фото
wish-video = 🎬 Сделать видео
wish-revideo = 🎞 Изменить видео
wish-avatar = 🧑 Говорящий аватар
wish-music = 🎵 Музыка и песни
wish-song-tools = 🎛 Работа с песней
wish-voice = 🗣 Озвучить текст
wish-sound = 🔊 Звуки и голос
wish-enhance = ✨ Улучшить качество
wish-background = ✂️ Убрать фон
wish-read = 🔎 Разобрать фото
wish-transcribe = 📝 Речь в текст
wish-all = 📚 Все модели

## Первый экран
group-photo = 🎨 Фото
group-photo-ask = Что сделать с фото?
group-video = 🎬 Видео
group-video-ask = Какое видео сделать?
group-music = 🎵 Музыка
group-music-ask = Песня, мелодия или звук: что сделать?
group-voice = 🗣 Голос
group-voice-ask = Озвучить текст или поработать с речью?
menu-ideas = ✨ Идеи
menu-more = ➕ Ещё
menu-more-ask = ➕ <b>Ещё</b>

    Найти модель по словам, посмотреть все, сменить язык или узнать, как всё устроено.

## Список моделей
list-or-write = ✍️ Просто напишите, что нарисовать, и модель подберу сам.
list-choose = Выберите модель. «От» — цена самого простого заказа, точную покажет карточка.
list-empty = Здесь пока ничего не продаётся. Загляните позже или посмотрите другие разделы.
list-page = Страница { $page } из { $pages }.
list-best = ⭐ Лучшие
list-new = 🆕 Новые
list-cheap = 💸 Дешёвые
list-free = 🎁 Бесплатно
list-filter-on = { $label } ✓
list-previous = ◀️
list-next = ▶️
list-line = <b>{ $title }</b> — { $good_at }
good-best = 🏆 лучшее
good-fast-cheap = ⚡ быстро и дёшево
good-cheap = 💸 недорого
good-text = 🔤 текст на картинке
good-realistic = 📷 как настоящее фото
good-sound = 🎧 со звуком
good-faces = 🧑 лица
good-long = ⏳ до 30 секунд
good-detail = 🔍 до 4K
good-transparent = 🫥 прозрачный фон
good-series = 🎲 несколько сразу
good-samples = 🖼 много образцов
good-purpose = { $tag ->
        [best] 🏆 { $purpose }
        [free] 🎁 { $purpose }
        [fast] ⚡ { $purpose }
        [cheap] 💸 { $purpose }
        [new] 🆕 { $purpose }
       *[none] { $purpose }
    }
model-button = { $title } · { $price }
model-button-from = { $title } · от { $price }
model-button-free = { $title } · 🎁 бесплатно
menu-to-models = ◀️ К моделям
menu-model-gone = { $title } сейчас не продаётся. Выберите другую модель: /start
menu-model-replaced = { $title } больше не продаётся. Вместо неё есть { $instead }.
menu-usual-seconds = ⏱ Обычно около { $seconds } с
menu-usual-minutes = ⏱ Обычно около { $minutes } мин

## Поиск
menu-search = 🔎 Поиск
command-search = Найти модель
search-ask = 🔎 Что ищем? Напишите словами: «оживить фото», «озвучка», «клинг».
search-found = 🔎 По запросу «{ $words }» { $count ->
        [one] нашлась { $count } модель
        [few] нашлись { $count } модели
       *[other] нашлось { $count } моделей
    }:
search-nothing = 🔎 По запросу «{ $words }» ничего не нашлось. Попробуйте другие слова или выберите, что хотите сделать:

## Цены модели
menu-prices = 💰 Цены
prices-title = 💰 <b>{ $model }</b>: что сколько стоит
prices-one = Любой заказ стоит <b>{ $price }</b>.
prices-free = 🎁 Эта модель сейчас бесплатна.
prices-cell = { $choice } — { $price }
prices-none = не выбрано
prices-rate-generation = { $price }
prices-rate-image = { $price } за картинку
prices-rate-video = { $price } за видео
prices-rate-second = { $price } за { $kind ->
        [video] секунду видео
       *[other] секунду
    }
prices-rate-minute = { $price } за минуту
prices-rate-character = { $price } за { $each } символов
prices-rate-megapixel = { $price } за мегапиксель
prices-rate-token = { $price } за { $each } токенов
prices-extra = • плюс { $rate } ({ $inputs })
prices-extra-free = — первые { $count } бесплатно
prices-counted = Считается по: { $inputs }.
prices-counted-largest = Считается то, что длиннее: { $inputs }.
prices-whole = Начатое считается целиком. Точная цена будет на карточке до оплаты.
prices-usual = С обычными настройками — <b>{ $price }</b>.
prices-with = если есть { $inputs }
prices-up-to = результат до { $size }
prices-over = результат больше
prices-else = в остальных случаях
prices-pixels = { $size } px
prices-megapixels = { $size } МП
prices-cut = …и ещё { $count } { $count ->
        [one] сочетание
        [few] сочетания
       *[other] сочетаний
    }: точную цену вашего заказа покажет карточка до оплаты.
prices-yes = да
prices-no = нет
prices-back = ◀️ Назад
