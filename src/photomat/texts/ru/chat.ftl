### Всё, что читает клиент по-русски. Ключи и переменные те же, что в en.

## Начало и меню
greeting = 👋 Здравствуйте, { $name }!

    Просто напишите, что хотите получить, или пришлите фото. Или выберите ниже: цену увидите до оплаты, платите только за готовое.

    💰 Баланс: <b>{ $balance }</b>
home = 🏠 <b>Главное меню</b>

    Напишите, что хотите получить, пришлите фото или выберите:

    💰 Баланс: <b>{ $balance }</b>
help = ℹ️ <b>Как это работает</b>

    1. Выберите в меню, что хотите сделать, и модель. Не знаете какую — напишите словами: /search оживить фото
    2. Ответьте на вопросы: опишите желаемое, пришлите файлы, если нужны.
    3. Проверьте карточку с ценой и нажмите «✅ Создать».

    Результат придёт в ту же карточку. Если не получится, деньги вернутся на баланс сами.

    /start — меню
    /search — найти модель по словам
    /balance — баланс
    /topup — пополнить
    /statement — выписка: все движения денег
    /history — ваши заказы
    /promo — ввести промокод
    /invite — пригласить друга
    /gift — подарить деньги другу
    /cancel — прервать заполнение
    /lang — язык / language
    /support — спросить поддержку
    /paysupport — вопросы об оплате
    /terms — условия
    /privacy — ваши данные
    /export — получить все свои данные
    /forget — удалить свои данные
    /help — эта подсказка
help-operator = Вы оператор: /admin — заказы, клиенты и деньги
    /receipts — чеки, которые ждут вашего решения
    /tickets — обращения, которые ждут ответа
menu-balance = 💰 Баланс
menu-history = 🗂 История
menu-help = ℹ️ Помощь
menu-lang = 🌐 Язык
menu-home = 🏠 Меню
command-start = Меню
command-balance = Баланс
command-statement = Выписка
command-history = Ваши заказы
command-cancel = Прервать заполнение
command-lang = Язык / Language
command-help = Как это работает

## Из чего сложилась цена
why-order = { $model } · заказ № { $job }
why-title-free = ❓ <b>Почему бесплатно?</b> · { $model }
why-title = ❓ <b>Почему { $price }?</b> · { $model }
why-unit-generation = • { $price } за одну генерацию
why-unit-image = • { $price } за картинку
why-unit-video = • { $price } за видео
why-unit-second = • { $price } за секунду
why-unit-minute = • { $price } за минуту
why-unit-character = • { $count } симв. по { $price } за { $each }
why-unit-megapixel = • { $price } за мегапиксель
why-unit-token = • Токены: { $count } по { $price } за { $each }
why-tokens = • Токены — кусочки слов и звука, ими считает модель; сколько их будет, мы оцениваем по длине текста.
why-fixed = • Для этой модели установлена одна цена, какие бы параметры вы ни выбрали.
why-free = • Эта модель бесплатна.
why-free-limited = • Эта модель бесплатна: { $limit } { $limit ->
        [one] раз
        [few] раза
       *[many] раз
    } за 24 часа.
why-discount = • Скидка { $percent } %.
why-until = • Так до { $until } UTC.
why-least = • Это наименьшая цена такого заказа.
why-rounded = • Округлено вверх до { $step }.
why-total = Итого: <b>{ $price }</b>. Цена закрепляется за заказом в момент покупки; если ничего не получится, деньги вернутся.
## Ответы на нажатия
tap-accepted = Принято, { $kind ->
        [video] видео уже делается
        [audio] запись уже делается
        [text] текст уже готовится
       *[image] картинка уже делается
    }
tap-accepted-before = Этот заказ уже принят
tap-accepted-elsewhere = Этот заказ уже запущен другой карточкой
tap-card-renewed = Условия изменились — проверьте обновлённую карточку
tap-draft-gone = Этот заказ устарел, отменён или не ваш. Начните новый: /start
tap-again-twice = Карточка этого заказа уже есть ниже: нажмите на ней «✅ Создать»
tap-draft-bought = Этот заказ уже запущен, изменить его нельзя
tap-limit-running = Сразу можно делать не больше { $limit } { $limit ->
        [one] заказа
       *[other] заказов
    }. Снова можно, как только один из них будет готов.
tap-limit-minute = Не больше { $limit } { $limit ->
        [one] заказа
       *[other] заказов
    } в минуту. Снова можно через { $wait }.
tap-limit-pause = Между заказами нужна пауза { $limit } с. Снова можно через { $wait }.
tap-limit-free = Бесплатно можно { $limit } { $limit ->
        [one] раз
        [few] раза
       *[many] раз
    } в сутки, и все уже использованы. Снова можно через { $wait }.
tap-why-unknown = Заказ куплен за { $price }, из чего сложилась цена, тогда ещё не записывалось
wait-seconds = { $seconds } с
wait-minutes = { $minutes } мин
wait-hours = { $hours } ч { $minutes } мин
tap-not-enough = Не хватает { $missing }: цена { $price }, доступно { $available }. Заказ сохранён: пополните баланс и нажмите снова.
tap-question-closed = Этот вопрос уже закрыт. Начать заново: /start
tap-question-older = Этот вопрос уже закрыт. Сейчас открыт другой, он ниже в чате: ответьте на него или нажмите /cancel
tap-question-foreign = Этот вопрос уже закрыт или задан не вам. Начать заново: /start
tap-form-left = Другой заказ, который вы заполняли ({ $model }), закрыт: меняем этот. Тот придётся начать заново
tap-stale = Эта кнопка больше не работает. Откройте меню: /start
tap-model-gone = Эта модель больше не продаётся. Откройте меню: /start
tap-page-gone = Эта страница недоступна. Обновите меню: /start
tap-canceled = Отменено, деньги вернулись на баланс
tap-cancel-too-late = Уже делается, отменить нельзя. Обычно это занимает до { $minutes } мин.
tap-cancel-finished = Уже готово, отменять нечего
tap-not-yours = Это не ваш заказ
tap-offer-accepted = Готово, сейчас покажу результат
tap-offer-gone = Этого предложения больше нет
tap-resend-sending = Отправляю ещё раз, это бесплатно
tap-resend-showing = Показываю результат на карточке заказа, это бесплатно
tap-resend-too-soon = Уже отправляю. Если не придёт, нажмите снова через минуту
tap-resend-no-result = У этого заказа нет результата, присылать нечего
tap-resend-not-yours = Это не ваш заказ
tap-nothing = Здесь ничего нажимать не нужно
tap-failed = Не получилось. Откройте меню: /start

## Прочее
history-empty = 🗂 Заказов пока нет. Самое время для первого!
history-not-shown = 📦 готово, но ещё не дошло до вас: нажмите ℹ️, затем «Не пришло?»
history-failed = ❌ не удалось: { $reason }. { $price } вернулись на баланс
history-canceled = ✖️ отменено, { $price } вернулись на баланс
history-failed-free = ❌ не удалось: { $reason }, бесплатная генерация снова ваша
history-canceled-free = ✖️ отменено, бесплатная генерация снова ваша
history-offered = 🎉 отменено, но результат есть: его можно забрать на карточке за { $price }
history-running = ⏳ делается, { $price } отложены
history-fail-content = модель отказалась от запроса
history-fail-provider = сервис генерации не справился
history-fail-timeout = результат не пришёл вовремя
history-fail-empty = сервис не прислал результата
cancel-done = Заполнение прервано, ничего не списано.
cancel-nothing = Прерывать нечего.
cancel-card = Заказ «{ $model }» ждёт на карточке выше и ничего не стоит, пока вы не нажмёте «✅ Создать». Убрать его: «✖️ Отмена» на карточке. А здесь напишите, что сделать теперь.
lang-ask = 🌐 Выберите язык · Choose your language
lang-ru = 🇷🇺 Русский
lang-en = 🇬🇧 English
lang-chosen = Теперь говорю по-русски.
fallback-text = ✍️ Напишите, что сделать: «кот в космосе», «песня для мамы», «озвучь: с днём рождения» — или пришлите фото. Цену покажу до оплаты.
fallback-command = Такой команды нет. Вот что есть: /help
only-private = Это работает только в личном чате со мной: напишите мне в личку
fallback-other = Это я пока не умею. Выберите в меню, что сделать: картинку, видео, песню, озвучку.
stray-file = 📎 { $kind ->
        [image] Что сделать с картинкой? Выберите, и я попрошу прислать её в нужный момент.
        [video] Что сделать с видео? Выберите, и я попрошу прислать его в нужный момент.
       *[audio] Что сделать с записью? Выберите, и я попрошу прислать её в нужный момент.
    }
parked = 😔 Не получилось обработать ваше сообщение: ошибка на нашей стороне, оператор её увидит. Ваши деньги в порядке. Попробуйте ещё раз: /start

## The card of a bought job, its ring and the reasons of a failure

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
card-failed-free =
    ❌ <b>{ $model }</b>
    { $inputs }

    { $reason }
    Бесплатная генерация снова ваша.
card-canceled-free =
    ✖️ <b>{ $model }</b>
    { $inputs }

    Отменено. Бесплатная генерация снова ваша.
card-offered =
    🎉 <b>{ $model }</b>
    { $inputs }

    Вы отменили заказ, а результат всё-таки пришёл. Хотите забрать его за { $price }?
card-stopped =
    🛠 <b>{ $model }</b>
    { $inputs }

    Простите, у нас ошибка: заказ остановлен. Деньги в безопасности, оператор уже знает и разберётся.
card-slot = ⏳ Карточка удалена, показываю результат здесь…
card-link-label = Скачать по ссылке (она временная)
why-photo-too-big = 📎 Файл больше { $photo_mb } МБ: таких фото Telegram не принимает, поэтому он пришёл документом, в полном качестве.
why-photo-shape = 📎 Для фото в Telegram картинка слишком большая или слишком вытянутая, поэтому она пришла документом, в полном качестве.
why-see-through = 📎 Картинка с прозрачным фоном: она пришла файлом, потому что фото в Telegram прозрачность теряет.
why-format = 📎 Такой формат Telegram не показывает прямо в чате, поэтому файл пришёл документом.
why-refused = 📎 Telegram не смог показать этот файл прямо в чате, поэтому он пришёл документом.
why-file-too-big = 📎 Файл больше { $file_mb } МБ: столько Telegram от бота не принимает.
why-no-file = Файл не удалось показать в чате.
resent =
    📩 <b>{ $model }</b> · ещё раз, бесплатно
    { $inputs }
card-button-again = 🔁 Ещё раз
card-button-why = ❓ Почему { $price }?
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

## What operators are told of incidents: a title and what to do for each kind

alert-open =
    🔴 <b>{ $title }</b>

    { $body }

    Инцидент { $number } · с { $since } UTC · <code>photomat incidents</code>
alert-over =
    ✅ Прошло: <b>{ $title }</b>

    Длилось { $lasted }. Инцидент { $number }.
alert-span-moment = меньше минуты
alert-span-minutes = { $minutes } мин
alert-span-hours = { $hours } ч { $minutes } мин

alert-no-active = Ни один экземпляр не ACTIVE
alert-no-active-now =
    Экземпляров работает: { $alive }, но главного нет. Сообщения клиентов сохраняются и ждут без ответа. Оплаченные заказы делаются и доставляются, деньги в порядке.

    👉 Перезапустите бота. Не помогло: <code>photomat check --only storage</code>
alert-two-active = ACTIVE больше одного экземпляра
alert-two-active-now =
    Главными себя считают { $active }. Деньгам и результатам это не вредит: решают строки в базе. Но так быть не должно.

    👉 <code>photomat check --only storage</code>. Если база за пулером, задайте DIRECT_DATABASE_URL, затем перезапустите экземпляры.
alert-audit = Сверка не сходится
alert-audit-now =
    Нарушено правил: { $count } ({ $names }). Деньги или заказы записаны не так, как должны быть. Бот продолжает работать.

    👉 <code>photomat audit</code>. Сохраните вывод, в базе руками ничего не правьте, сообщите разработчикам.
alert-stopped-jobs = Заказы остановлены
alert-stopped-jobs-now =
    Остановлено из-за нашей ошибки: { $count }. Деньги клиентов отложены, но не списаны. Сами эти заказы дальше не пойдут.

    👉 <code>photomat jobs list --stuck</code> покажет все. Один из них: <code>photomat jobs show { $job }</code>, затем <code>photomat jobs retry { $job }</code>, или вернуть деньги: <code>photomat jobs cancel { $job } --reason "наша ошибка"</code>
alert-undelivered = Результаты не доходят до клиентов
alert-undelivered-now =
    Готово, но не показано: { $count }; самый старый ждёт { $minutes } мин. Деньги за них списаны, результаты целы, попытки продолжаются.

    👉 <code>photomat jobs list --undelivered</code> скажет почему. Если не отвечает Telegram, всё дойдёт само.
alert-parked-deliveries = Telegram не принимает карточки
alert-parked-deliveries-now =
    Отложено после многих отказов: { $count }. Сами они больше не отправятся. Результаты целы, деньги посчитаны верно.

    👉 <code>photomat jobs show { $job }</code> покажет ответ Telegram. Когда причина уйдёт: <code>photomat jobs redeliver { $job }</code>, второй картинки не будет. Остальные: <code>photomat jobs list --stuck</code>
alert-refused-media = Telegram не принимает результаты
alert-refused-media-now =
    За сутки не приняты по непредвиденной причине и показаны текстом со ссылкой: { $count }. Результаты целы, деньги посчитаны верно.

    👉 <code>photomat jobs show { $job }</code> покажет ответ Telegram. Когда причина уйдёт: <code>photomat jobs redeliver { $job }</code>
alert-unread-results = Kie отвечает незнакомым образом
alert-unread-results-now =
    Готовые за сутки заказы, в ответе на которые было то, чего эта версия не знает: { $count }. Ничего не потеряно: клиенты получили это файлами.

    Незнакомые поля: <code>{ $fields }</code>

    👉 Посмотрите, что получил клиент: <code>photomat jobs show { $job }</code>. Затем сообщите разработчикам названия полей, и следующая версия покажет их как следует.
alert-parked-updates = Сообщения клиентов не обработаны
alert-parked-updates-now =
    Отложено за полчаса: { $count }. Клиентам сказано попробовать ещё раз, деньги в порядке.

    👉 Найдите в журнале UPDATE_PARKED: причина в поле <code>error</code>. <code>Unreadable</code>: такое сообщение никто не прочтёт, делать ничего не надо. «the process ended»: узнайте, почему на нём завершаются процессы. Всё остальное не удалось трижды, это ошибка в программе: сообщите разработчикам; началось после обновления: вернитесь на прошлую версию.
alert-orphans = Много ответов Kie без заказа
alert-orphans-now =
    За час не нашли свой заказ: { $count }. Если заказы наши, клиенты ждут результата дольше; деньги отложены и вернутся, если он не придёт.

    👉 <code>photomat jobs reconcile</code>, потом <code>photomat jobs list --orphans</code>. Обычно это вторая установка с тем же ключом Kie.
alert-kie-key = Kie не принимает ключ
alert-kie-key-now =
    Новые заказы не уйдут в работу: деньги клиентов будут отложены, но не списаны.

    👉 Исправьте KIE_API_KEY и перезапустите бота. Проверка: <code>photomat check --only callback</code>
alert-kie-credits = Кредиты Kie кончаются
alert-kie-credits-now =
    Осталось кредитов: { $credits }. Когда они кончатся, новые заказы встанут; деньги клиентов будут отложены, но не списаны.

    👉 Пополните счёт на kie.ai. Проверка: <code>photomat check --only callback</code>
alert-kie-paused = Kie не берёт заказы
alert-kie-paused-now =
    { $code ->
        [401] Ключ не принят (401).
        [402] Кредиты кончились (402).
       *[other] Отказ { $code }: лимит ключа.
    } Заказов в очереди: { $count }. Деньги клиентов отложены, но не списаны; отменить можно бесплатно.

    👉 { $code ->
        [401] Исправьте KIE_API_KEY и перезапустите бота.
        [402] Пополните счёт на kie.ai.
       *[other] Поднимите лимит ключа на kie.ai.
    } Дальше заказы уйдут сами, попытка раз в минуту. Кто ждёт: <code>photomat jobs list</code>
alert-old-transaction = База держит старую транзакцию
alert-old-transaction-now =
    Сеанс { $pid } не заканчивает транзакцию { $minutes } мин. Клиенты этого пока не замечают, деньги в порядке, но база не может убирать за собой и станет медленной.

    👉 Резервная копия или <code>photomat audit</code>? Дождитесь. Иначе в psql: <code>SELECT pg_terminate_backend({ $pid });</code>
