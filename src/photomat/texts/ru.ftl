### Всё, что читает клиент по-русски. Ключи и переменные те же, что в en.ftl.

## Начало и меню
greeting = 👋 Здравствуйте, { $name }!

    Я делаю картинки по описанию. Один заказ — одна картинка, деньги списываются только за готовый результат.

    💰 Баланс: <b>{ $balance }</b>
home = 🏠 <b>Главное меню</b>

    💰 Баланс: <b>{ $balance }</b>
help = ℹ️ <b>Как это работает</b>

    1. Нажмите «🖼 Создать картинку» и выберите модель.
    2. Опишите, что нарисовать, и выберите формат.
    3. Проверьте карточку с ценой и нажмите «✅ Создать».

    Картинка придёт в ту же карточку. Если не получится, деньги вернутся на баланс сами.

    /start — меню
    /balance — баланс
    /history — ваши заказы
    /cancel — прервать заполнение
    /lang — язык / language
    /help — эта подсказка
menu-create = 🖼 Создать картинку
menu-balance = 💰 Баланс
menu-history = 🗂 История
menu-help = ℹ️ Помощь
menu-lang = 🌐 Язык
menu-home = 🏠 Меню
command-start = Меню
command-balance = Баланс
command-history = Ваши заказы
command-cancel = Прервать заполнение
command-lang = Язык / Language
command-help = Как это работает

## Выбор модели и вопросы
choose-model = 🖼 <b>Выберите модель</b>

    Цена — за одну картинку.
no-models = Сейчас ничего не продаётся. Загляните позже.
model-button = { $title } · { $price }
model-button-from = { $title } · от { $price }
question = <b>{ $model }</b> · шаг { $step } из { $steps }

    { $ask }
question-change = <b>{ $model }</b> · изменение

    { $ask }
ask-prompt = ✍️ Опишите одним сообщением, что нарисовать (до { $limit } { $limit ->
        [one] символа
       *[other] символов
    }).
ask-aspect_ratio = 📐 Выберите формат кнопкой.
input-prompt = Описание
input-aspect_ratio = Формат
form-expects-text = Здесь нужен текст: опишите словами, одним сообщением. Передумали — /cancel
form-too-long = Слишком длинно: можно до { $limit } { $limit ->
        [one] символа
       *[other] символов
    }, а у вас { $length } — на { $over } больше. Сократите и пришлите снова.
form-expects-choice = Выберите один из вариантов кнопкой под вопросом: { $options }. Передумали — /cancel
button-leave = ✖️ Отмена

## Карточка заказа
draft-card = 🖼 <b>{ $model }</b>

    { $inputs }

    Цена: <b>{ $price }</b>
    Баланс: { $balance }
draft-card-short = ⚠️ Не хватает { $missing }. Заказ сохранён: пополните баланс и нажмите «Создать».
draft-input = { $title }: { $value }
draft-create = ✅ Создать · { $price }
draft-change = ✏️ Изменить
draft-cancel = ✖️ Отмена
draft-back = ◀️ Назад
draft-what-to-change = ✏️ <b>{ $model }</b>

    Что изменить?
draft-change-input = ✏️ { $title }
draft-canceled = Заказ отменён, деньги не списаны.

## Ответы на нажатия
tap-accepted = Принято, картинка уже делается
tap-accepted-before = Этот заказ уже принят
tap-accepted-elsewhere = Этот заказ уже запущен другой карточкой
tap-card-renewed = Условия изменились — проверьте обновлённую карточку
tap-draft-gone = Этот заказ устарел, отменён или не ваш. Начните новый: /start
tap-draft-bought = Этот заказ уже запущен, изменить его нельзя
tap-too-many = Сразу можно делать не больше { $limit } { $limit ->
        [one] заказа
       *[other] заказов
    }. Дождитесь готовых и нажмите снова.
tap-not-enough = Не хватает { $missing }: цена { $price }, доступно { $available }. Заказ сохранён: пополните баланс и нажмите снова.
tap-question-closed = Этот вопрос уже закрыт или задан не вам. Начать заново: /start
tap-stale = Эта кнопка больше не работает. Откройте меню: /start
tap-model-gone = Эта модель больше не продаётся. Откройте меню: /start
tap-page-gone = Эта страница недоступна. Обновите меню: /start
tap-canceled = Отменено, деньги вернулись на баланс
tap-cancel-too-late = Уже рисуется, отменить нельзя. Обычно это занимает до { $minutes } мин.
tap-cancel-finished = Уже готово, отменять нечего
tap-not-yours = Это не ваш заказ
tap-offer-accepted = Готово, сейчас покажу результат
tap-offer-gone = Этого предложения больше нет
tap-nothing = Здесь ничего нажимать не нужно
tap-failed = Не получилось. Откройте меню: /start

## Прочее
balance = 💰 Доступно: <b>{ $available }</b>
balance-held = 💰 Доступно: <b>{ $available }</b>
    В работе: { $held }
history = 🗂 <b>Последние заказы</b>

    { $lines }
history-empty = 🗂 Заказов пока нет. Самое время для первого!
history-line = { $number }. { $status } { $model } · { $price } · { $when } UTC
history-again = 🔁 { $number }
status-pending = ⏳
status-submitting = ⏳
status-running = ⏳
status-done = ✅
status-failed = ❌
status-canceled = ✖️
cancel-done = Заполнение прервано, ничего не списано.
cancel-nothing = Прерывать нечего.
lang-ask = 🌐 Выберите язык · Choose your language
lang-ru = 🇷🇺 Русский
lang-en = 🇬🇧 English
lang-chosen = Теперь говорю по-русски.
fallback-text = Чтобы сделать картинку, нажмите кнопку ниже, и я спрошу описание.
fallback-command = Такой команды нет. Вот что есть: /help
fallback-other = Это я пока не умею. Чтобы сделать картинку, нажмите кнопку ниже.
parked = 😔 Не получилось обработать ваше сообщение: ошибка на нашей стороне, оператор её увидит. Ваши деньги в порядке. Попробуйте ещё раз: /start
checkout-closed = Оплата пока не открыта, деньги не списаны.

## The card of a bought job, its ring and the reasons of a failure

card-accepted =
    ⏳ <b>{ $model }</b> · { $price }
    { $inputs }

    Заказ принят, сумма отложена. Отправляю в работу…
card-running =
    🎨 <b>{ $model }</b> · { $price }
    { $inputs }

    Генерация идёт
    { $bar }
card-overdue =
    🕰 <b>{ $model }</b> · { $price }
    { $inputs }

    Дольше обычного. Жду дальше: деньги отложены, но не списаны. Можно отменить — сумма сразу вернётся на баланс.
card-done =
    ✅ <b>{ $model }</b> · { $price }
    { $inputs }
card-gift =
    🎁 <b>{ $model }</b> · подарок
    { $inputs }

    Результат пришёл позже, чем мы ждали. Деньги уже вернулись на баланс, поэтому он ваш бесплатно.
card-failed =
    ❌ <b>{ $model }</b>
    { $inputs }

    { $reason }
    { $price } вернулись на баланс.
card-canceled =
    ✖️ <b>{ $model }</b>
    { $inputs }

    Отменено. { $price } вернулись на баланс.
card-offered =
    🎉 <b>{ $model }</b>
    { $inputs }

    Вы отменили заказ, а результат всё-таки пришёл. Хотите забрать его за { $price }?
card-stopped =
    🛠 <b>{ $model }</b>
    { $inputs }

    Простите, у нас ошибка: заказ остановлен. Деньги в безопасности, оператор уже знает и разберётся.
card-slot = ⏳ Карточка удалена, показываю результат здесь…
card-link = Файл не удалось показать в чате.
card-link-label = Скачать по ссылке (она временная)
card-button-again = 🔁 Ещё раз
card-button-retry = 🔁 Попробовать снова
card-button-cancel = ✖️ Отменить
card-button-accept = 🎁 Забрать за { $price }

ring-done = ✅ Генерация завершена
ring-failed = ❌ Генерация не удалась. Деньги не списаны, подробности на карточке.
ring-offer = 🎉 Результат отменённого заказа готов: его можно забрать на карточке.

fail-content = Модель отказалась от этого запроса: его содержание не разрешено правилами или входные данные не подошли. Измените запрос и попробуйте снова.
fail-provider = Сервис генерации не справился с запросом. Попробуйте ещё раз чуть позже.
fail-timeout = Результат так и не пришёл. Попробуйте ещё раз.
fail-empty = Сервис сообщил об успехе, но не прислал результата. Попробуйте ещё раз.
