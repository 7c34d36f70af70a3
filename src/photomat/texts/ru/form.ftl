### Вопросы заказа и его карточка. Ключи и переменные те же, что в en.

## Вопрос: первый из них — страница модели
question = <b>{ $model }</b> · шаг { $step } из { $steps }

    { $ask }
question-change = <b>{ $model }</b> · изменение

    { $ask }
form-page = <b>{ $model }</b> · шаг { $step } из { $steps }
    { $about }

    { $ask }
form-take-example = 💡 Взять пример
form-example = 💡 Пример: <code>{ $prompt }</code>
form-price = 💰 { $price }
form-price-from = 💰 от { $price }
form-price-usual = 💰 от { $price }, обычно { $usual }
form-free = 🎁 Бесплатно
form-way = 🔀 С чего начнём? Выберите кнопкой или сразу пришлите, что есть.
form-default = По умолчанию: { $value }
form-now = Сейчас: { $value }
form-line = <b>{ $title }</b> · № { $number }
form-ask-text = ✍️ { $title }: напишите одним сообщением.
form-ask-choice = { $title }: выберите кнопкой.
form-ask-number = 🔢 { $title }: пришлите число.
form-ask-switch = { $title }: да или нет?
form-ask-link = 🔗 { $title }: пришлите ссылку.
form-ask-file = 📎 { $title }: пришлите файл.
form-ask-files = 📎 { $title }: пришлите файлы.
form-ask-list = ✍️ { $title }: заполним по порядку.
form-ask-task = 🗂 { $title }: выберите из сделанного раньше.
form-ask-track = 🎵 { $title }: выберите песню.

## Что можно ответить
form-limit-length = До { $limit } { $limit ->
        [one] символа
       *[other] символов
    }.
form-limit-message = До { $limit } { $limit ->
        [one] символа
       *[other] символов
    }, одним сообщением: продолжение следующим не принимается.
form-limit-lengths = От { $least } до { $limit } { $limit ->
        [one] символа
       *[other] символов
    }.
form-limit-total = Всего до { $limit } { $limit ->
        [one] символа
       *[other] символов
    }.
form-limit-number = От { $least } до { $most }.
form-limit-least = От { $least }.
form-limit-most = До { $most }.
form-limit-step = Шаг { $step }.
form-limit-formats = { $kind ->
        [image] Картинка
        [video] Видео
        [audio] Звук
       *[document] Документ
    }: { $formats }.
form-limit-mb = До { $limit } МБ.
form-limit-seconds = До { $limit } с.
form-limit-seconds-from = От { $least } до { $limit } с.
form-limit-seconds-total = Вместе до { $limit } с.
form-limit-side = Короткая сторона от { $limit } px.
form-limit-files = До { $limit } { $limit ->
        [one] файла
       *[other] файлов
    }, можно альбомом.
form-limit-files-exact = Нужно { $limit } { $limit ->
        [one] файл
        [few] файла
       *[many] файлов
    }.
form-limit-lines = До { $limit } { $limit ->
        [one] строки
       *[other] строк
    }.
form-limit-lines-from = От { $least } до { $limit } { $limit ->
        [one] строки
       *[other] строк
    }.
form-lines-how = Каждая строка сообщения — отдельный пункт.
form-lines-parts = В строке по порядку через «|»: { $parts }.
form-lines-besides = Через «|» можно добавить: { $parts }.
form-lines-numbers = Числа можно через запятую или пробел.
form-file-how = { $kind ->
        [image] Пришлите фотографией, файлом или ссылкой.
        [video] Пришлите видео, файлом или ссылкой.
        [audio] Пришлите аудио, голосовым, файлом или ссылкой.
       *[document] Пришлите файлом или ссылкой.
    }
form-limit-mb-link = До { $telegram } МБ, по ссылке до { $limit } МБ.
form-reply = ↩️ Отвечайте ответом на это сообщение.
form-reply-or = ↩️ Отвечайте ответом на это сообщение. Можно и одним словом: { $words }.
form-options-page = Страница { $page } из { $pages }. Можно и написать название.

## Ответ по частям
form-counter = 📎 { $title }: принято { $count } из { $limit }.
form-counter-more = Пришлите ещё или нажмите «✅ Готово».
form-counter-need = Нужно ещё { $count }.
form-lines-so-far = { $title }, { $count }:

    { $lines }
form-lines-line = { $number }. { $text }
form-lines-more = Пришлите ещё строки или нажмите «✅ Готово».
form-lines-next = Добавьте ещё или нажмите «✅ Готово».
form-lines-full = Больше не нужно: нажмите «✅ Готово».
form-files-wait = Жду файлы, текст здесь не нужен. Уже есть: { $count }. Пришлите ещё или нажмите «✅ Готово».
form-files-full = Уже взято { $count }, больше сюда не помещается: остальное лишнее. Ответьте на вопрос выше.
form-album-rest = Остальные файлы альбома не взяты: здесь они не нужны.
form-expects-pick = Выберите кнопкой под вопросом. Передумали — /cancel

## Что было сделано раньше
form-sources = Вот последние подходящие результаты:
form-sources-none = Подходящих результатов у вас пока нет. Сначала сделайте такой: { $models }. Потом возвращайтесь сюда.
form-sources-empty = Подходящих результатов у вас пока нет, а то, из чего они получаются, сейчас не продаётся.
form-results = 🗂 <b>Из моих результатов</b>

    { $ask }
form-results-none = 🗂 Подходящих готовых результатов пока нет. Пришлите файл сообщением.
form-source = { $when } · { $what }
form-source-output = { $when } · { $what } · № { $number }
form-source-track = { $when } · { $what } · трек { $number }
form-file-taken = 📎 { $kind ->
        [image] Картинка принята
        [video] Видео принято
        [audio] Запись принята
       *[document] Файл принят
    }, всего: { $count }. Второй раз присылать не нужно.
tap-source-gone = Этот результат больше недоступен, выберите другой

## Кнопки вопроса
form-yes = Да
form-no = Нет
form-skip = ⏭ Пропустить
form-finish = ⚡ Сразу к заказу
form-back = ◀️ Назад
form-done = ✅ Готово
form-more = ➕ Ещё
form-drop = 🗑 Убрать последнее
form-walk = 🎛 Настроить каждую строку
form-remove = 🗑 Убрать значение
form-from-results = 🗂 Из моих результатов
form-to-question = ◀️ К вопросу
form-previous = ◀️
form-next = ▶️
button-leave = ✖️ Отмена

## Чего ждёт вопрос, и почему ответ не подошёл
form-expects-text = Здесь нужен текст: опишите словами, одним сообщением. Передумали — /cancel
form-too-long = Слишком длинно: можно до { $limit } { $limit ->
        [one] символа
       *[other] символов
    }, а у вас { $length } — на { $over } больше. Сократите и пришлите снова.
form-too-short = Слишком коротко: нужно хотя бы { $limit } { $limit ->
        [one] символ
        [few] символа
       *[other] символов
    }, а у вас { $length }.
form-expects-choice =
    Нет такого варианта. Выберите кнопкой под вопросом или напишите название: { $options }

    Передумали — /cancel
form-line-choice = После «|» стоит «{ $value }», а такого варианта нет. { $input }: { $options }. Исправьте и пришлите снова.
form-line-number = После «|» стоит «{ $value }», а здесь можно число: { $input }. Исправьте и пришлите снова.
form-line-bounds = После «|» стоит «{ $value }», а можно от { $least } до { $most }: { $input }. Исправьте и пришлите снова.
form-expects-number = Здесь нужно число от { $least } до { $most }.
form-number-bounds = Можно от { $least } до { $most }.
form-number-step = Число должно идти с шагом { $step }.
form-expects-switch = Ответьте кнопкой: да или нет.
form-expects-link = Здесь нужна ссылка, которая начинается с https://.
form-file-kind = { $kind ->
        [image] Здесь нужна картинка
        [video] Здесь нужно видео
        [audio] Здесь нужна звукозапись
       *[document] Здесь нужен документ
    } ({ $formats }).
form-file-format = Формат { $format } не подойдёт, нужен один из: { $formats }.
form-file-heavy = Файл слишком большой: { $size } МБ, а можно до { $limit } МБ.
form-file-long = Слишком длинно: { $seconds } с, а можно до { $limit } с. Обрежьте и пришлите снова.
form-file-brief = Слишком коротко: { $seconds } с, а нужно хотя бы { $limit } с.
form-files-long = Вместе слишком длинно: { $seconds } с, а можно до { $limit } с на все файлы.
form-file-small = Картинка слишком мала: короткая сторона { $side } px, а нужно хотя бы { $limit } px.
form-file-large = Картинка слишком велика: длинная сторона { $side } px, а можно до { $limit } px.
form-too-many = Слишком много: { $count }, а можно до { $limit }.
form-too-few = Этого мало: { $count }, а нужно хотя бы { $limit }.
form-gone = Больше недоступно: { $input }. Пришлите или выберите заново.
form-missing = Не хватает: { $input }.
form-one-of = Нужно одно из: { $inputs }.
form-never = Вместе не получится: { $inputs }. Измените одно из них.
form-never-because = Так не получится: { $why }.
form-pattern = «{ $text }» не подходит. { $input } пишется так: { $like }.
form-lines-sum = «{ $input }»: вместе получается { $total } с, а можно от { $least } до { $most } с. Измените длительность или уберите строку.
form-lines-total = «{ $input }»: в сумме должно быть { $limit }, а сейчас { $total }. Исправьте и пришлите снова.
form-lines-lack = «{ $value }» говорит, но в «{ $input }» такой строки нет. Добавьте её или выберите другое.
form-lines-twice = «{ $value }» стоит в «{ $input }» дважды. Оставьте одну строку.

## Карточка заказа
draft-card = { $kind ->
        [video] 🎬
        [audio] 🎧
        [text] 📝
       *[image] 🖼
    } <b>{ $model }</b>

    { $inputs }

    Цена: <b>{ $price }</b>
    Баланс: { $balance }
draft-card-short = ⚠️ Не хватает { $missing }. Заказ сохранён: пополните баланс и нажмите «Создать».
draft-input = { $title }: { $value }
draft-create-free = ✅ Создать · бесплатно
draft-create = ✅ Создать · { $price }
draft-change = ✏️ Изменить
draft-cancel = ✖️ Отмена
draft-back = ◀️ Назад
draft-what-to-change = ✏️ <b>{ $model }</b>

    Что изменить?
draft-ran-elsewhere = Этот заказ уже запущен: его карточка ниже в чате, а результат найдётся и в истории: /history
draft-canceled = Заказ отменён, деньги не списаны.
draft-change-value = ✏️ { $title }: { $value }
draft-add-value = ➕ { $title }
draft-more-settings = ⚙️ Ещё настройки
draft-more-title = ⚙️ <b>{ $model }</b>

    Ещё настройки
draft-settings-back = ◀️ К изменениям
