# /admin: консоль оператора в чате.

command-admin = Для оператора: сегодня, найти, чеки, консоль
command-receipts = Для оператора: чеки, которые ждут решения
command-tickets = Для оператора: обращения, которые ждут ответа

admin-menu =
    🛠 <b>Оператор</b>

    { $needs ->
        [0] { $paused ->
            [yes] Больше вас ничего не ждёт.
           *[no] Всё спокойно, вас ничего не ждёт.
        }
        [one] Вас ждёт { $needs } дело.
        [few] Вас ждут { $needs } дела.
       *[other] Вас ждёт { $needs } дел.
    }

    Пришлите номер заказа, имя или @имя — или перешлите сюда сообщение клиента.
admin-page-menu = 🛠 Меню оператора
admin-page-today = 📊 Сегодня
admin-page-needs = ❗ Что требует меня
admin-page-find = 🔎 Найти
admin-page-bills = 🧾 Чеки
admin-page-tickets = 🆘 Обращения
admin-page-incidents = 🚨 Инциденты
admin-page-pause = ⏸ Пауза
admin-page-state = 💓 Состояние
admin-page-web = 🖥 Консоль
admin-only-looks = У вас доступ только для просмотра.
admin-stale = Это уже сделано или отменено. Откройте страницу заново: /admin
admin-left = Меню оператора закрыто. Открыть снова: /admin
admin-forgotten = Ничего не сделано.
admin-forget = ✖️ Отмена
admin-tap-button = Нажмите кнопку или «✖️ Отмена».

admin-ask-whom =
    🔎 <b>Кого или что найти?</b>

    Номер заказа или пользователя, номер задачи Kie, 8 знаков из журнала, @имя, имя — или перешлите сообщение клиента.
admin-hidden-sender = Отправитель скрыл свой аккаунт, поэтому ищу только по имени.
admin-forwarded-bot = Это сообщение бота. Перешлите сообщение, которое написал сам клиент.
admin-nothing = Такого нет.
admin-found-none =
    По запросу «{ $words }» ничего не нашлось.

    Имя ищется по началу, номер — целиком. Клиент появляется здесь после первого сообщения боту.
admin-found = Нашлось по запросу «{ $words }»:
admin-found-many = Нашлось по запросу «{ $words }» — показаны новые, уточните имя:
admin-hit-job = № { $job } · { $model }
admin-jobs = <b>Заказы</b>, сначала старые:
admin-jobs-none = Таких заказов сейчас нет.
admin-to-user = 👤 Клиент
admin-to-job = 📄 Заказ

admin-today =
    📊 <b>Сегодня</b>

    Продажи <b>{ $revenue }</b>, вчера к этому часу { $before }
    Заказов { $bought }: готово { $done }, с ошибкой { $failed }
    Себестоимость { $cost }, возвраты { $refunds }
    Прибыль <b>{ $margin }</b>{ $percent ->
        [none] { "" }
       *[other] { " " }({ $percent } %)
    }
admin-today-money =
    Пополнения <b>{ $paid }</b> ({ $payments }), вчера { $before }
    Новых клиентов { $people }, из них заплатили { $payers }
admin-today-jobs = В очереди { $pending }, у Kie { $running }, показываем { $delivering }
admin-today-credits = Кредитов Kie { $credits }{ $days ->
    [-1] {""}
   *[other] {" "}— примерно на { $days } дн.
 }
admin-incidents = 🚨 <b>Открытые инциденты</b>. Нажмите, чтобы увидеть, что делать.
admin-incidents-none = Открытых инцидентов нет.
admin-needs = ❗ <b>Что требует вас</b>
admin-needs-none = { $paused ->
    [yes] Кроме паузы, ничего: никто не ждёт и ничего не застряло.
   *[no] Всё спокойно: никто не ждёт и ничего не застряло.
 }
admin-open-stuck = ⛔ Застрявшие
admin-open-unseen = 📭 Не показанные

admin-status-pending = ждёт отправки
admin-status-submitting = отправляется
admin-status-running = делается
admin-status-done = готов
admin-status-failed = не удался
admin-status-canceled = отменён

admin-job =
    📄 <b>Заказ { $job }</b> · { $model } · { $status }
    👤 { $user }
    <code>{ $corr }</code>
admin-job-free = 💳 Бесплатный.
admin-job-held = 💳 { $price }: в холде { $held }.
admin-job-charged = 💳 { $price }: списано, можно вернуть { $left }.
admin-job-gift = 💳 { $price }: подарен, денег не взяли.
admin-job-not-charged = 💳 { $price }: деньги у клиента.
admin-step-created = { $at } куплен
admin-step-intent = { $at } отправлен в Kie
admin-step-submitted = { $at } принят Kie
admin-step-overdue = { $at } дольше обычного
admin-step-settled = { $at } завершён
admin-step-delivered = { $at } показан клиенту
admin-step-rung = { $at } клиент оповещён

admin-user =
    👤 <b>{ $name }</b> <code>{ $number }</code>
    С { $since }, язык { $speaks }, готовых заказов: { $done }
admin-user-wallet = 💳 Доступно { $available }, в холде { $held }. Всего оплатил { $paid }.
admin-user-owes = { " " }Долг { $owed }.
admin-user-no-wallet = 💳 Кошелька нет: ещё ничего не покупал и не пополнял.
admin-user-blocked = 🚫 Заблокировал бота: сообщения не дойдут.
admin-user-banned = ⛔ <b>Закрыт доступ</b> { $until ->
    [forever] навсегда
   *[other] до { $until }
 }: { $reason }
admin-user-no-jobs = Заказов нет.
admin-user-job = № { $job } · { $model } · { $status } · { $price } · { $at }

admin-verb-retry = 🔁 Проверить у Kie
admin-verb-show = 📤 Показать снова
admin-verb-cancel = ✖️ Отменить заказ
admin-verb-refund = 💸 Вернуть деньги
admin-verb-credit = ➕ Начислить
admin-verb-debit = ➖ Списать
admin-verb-ban = ⛔ Закрыть доступ
admin-verb-unban = ✅ Открыть доступ
admin-verb-text = ✉️ Написать
admin-verb-match = 🧩 Сверить ответы Kie

admin-ask-refund = 💸 Сколько вернуть? Нажмите или напишите сумму, например 12,50.
admin-ask-credit = ➕ Сколько начислить? Нажмите или напишите сумму, например 150.
admin-ask-debit = ➖ Сколько списать? Нажмите или напишите сумму, например 150.
admin-ask-text = ✉️ Напишите текст. Клиент получит его от имени бота.
admin-ask-reason = Почему? Нажмите или напишите — это останется в журнале.
admin-sum-all = Всё: { $amount }
admin-bad-sum = Не понял сумму. Напишите число больше нуля, например 150 или 12,50.
admin-too-much = { $act ->
    [refund] Столько вернуть нельзя: за заказ осталось { $most }.
   *[debit] Столько списать нельзя: доступно { $most }.
 }
admin-bad-text = Нужен текст от 1 до { $longest } знаков.

admin-reason-stuck = Завис
admin-reason-asked = По просьбе клиента
admin-reason-not-seen = Клиент не видит результат
admin-reason-bad-result = Плохой результат
admin-reason-not-delivered = Не доставлено
admin-reason-goodwill = Жест доброй воли
admin-reason-compensation = Компенсация
admin-reason-paid-outside = Оплата вне бота
admin-reason-mistake = Ошибка оператора
admin-reason-paid-back = Деньги вернули вне бота
admin-reason-spam = Спам
admin-reason-fraud = Мошенничество
admin-reason-rules = Нарушение правил
admin-reason-settled = Вопрос решён
admin-reason-question = Ответ на вопрос
admin-reason-trouble = Предупреждение о сбое

admin-confirm-retry = 🔁 <b>Проверить заказ { $target } у Kie?</b> Если он ещё не ушёл в Kie, отправим его сейчас; запрос, который уже ушёл, второй раз не уходит.
admin-confirm-show = 📤 <b>Показать заказ { $target } снова?</b> Карточка обновится; второй картинки не будет, денег не возьмём.
admin-confirm-cancel = ✖️ <b>Отменить заказ { $target }?</b> Деньги вернутся клиенту; если результат придёт позже, он будет предложен за свою цену.
admin-confirm-refund = 💸 <b>Вернуть { $amount } за заказ { $target }?</b> Деньги придут на баланс клиента, он получит сообщение.
admin-confirm-credit = ➕ <b>Начислить { $amount }</b> на баланс: { $target }?
admin-confirm-debit = ➖ <b>Списать { $amount }</b> с баланса: { $target }?
admin-confirm-ban = ⛔ <b>Закрыть доступ:</b> { $target }? Заказы в очереди отменятся с возвратом денег, причину клиент прочитает.
admin-confirm-unban = ✅ <b>Открыть доступ:</b> { $target }?
admin-confirm-text = ✉️ <b>Отправить сообщение:</b> { $target }?
admin-confirm-match = 🧩 <b>Сверить ответы Kie с заказами сейчас?</b>
admin-confirm-reason = Причина: { $reason }
admin-yes-retry = 🔁 Да, проверить
admin-yes-show = 📤 Да, показать
admin-yes-cancel = ✖️ Да, отменить заказ
admin-yes-refund = 💸 Да, вернуть
admin-yes-credit = ➕ Да, начислить
admin-yes-debit = ➖ Да, списать
admin-yes-ban = ⛔ Да, навсегда
admin-yes-ban-days = { $days ->
    [1] ⛔ На день
    [7] ⛔ На неделю
   *[other] ⛔ На { $days } дн.
 }
admin-yes-unban = ✅ Да, открыть доступ
admin-yes-text = ✉️ Да, отправить
admin-yes-match = 🧩 Да, сверить

admin-pauses = ⏸ <b>Пауза</b>
admin-pauses-none = Ничего не приостановлено. На паузе новые заказы ждут или не принимаются, а то, что уже у Kie, дойдёт.
admin-paused =
    ⏸ <b>{ $what }</b> с { $since }
    { $by }: { $reason }
admin-pause = ⏸ Остановить: { $what }
admin-resume = ▶️ Продолжить: { $what }
admin-pause-model = ⏸ Остановить модель…
admin-ask-model = Какую модель остановить? Напишите название или его часть.
admin-models = Какую?
admin-models-none = Такой модели в продаже нет. Напишите иначе.
admin-reason-outage = Сбой у провайдера
admin-reason-upkeep = Технические работы
admin-confirm-pause = ⏸ <b>Остановить: { $target }?</b> Новое не начнётся, пока вы не продолжите; то, что уже у Kie, дойдёт до клиентов.
admin-confirm-resume = ▶️ <b>Продолжить: { $target }?</b> То, что ждало, начнётся сразу.
admin-yes-pause = ⏸ Да, остановить
admin-yes-resume = ▶️ Да, продолжить

admin-state =
    💓 <b>Состояние</b>

    { $instances }

    Необработанных сообщений: { $updates }
    База данных: { $size } МБ
admin-instance = { $role ->
    [active] 🟢 ACTIVE
   *[other] ⚪ PASSIVE
 } <code>{ $name }</code> { $version }, отвечал { $seen } с назад
admin-no-instances = Ни один экземпляр не отвечает.
admin-sessions = <b>Сессии базы с открытой транзакцией:</b>
admin-session = • <code>{ $pid }</code> { $name }: { $state }, { $minutes } мин
admin-no-sessions = Сейчас долгих транзакций нет.

admin-console-link = 🖥 Ссылка для входа в консоль. Она действует 5 минут и срабатывает один раз; никому её не пересылайте.
admin-console-open = Войти в консоль
admin-console-no-url = 🖥 У бота нет публичного адреса (PUBLIC_URL). Ссылку для входа печатает команда <code>photomat console link</code>.

incident-unknown = Такого инцидента нет.
incident-over = Этот инцидент уже прошёл.
incident-taken = Инцидент { $number } за вами.
incident-taken-by = Взял { $by }
incident-taken-before = Его уже взял { $by }.
incident-just-done = Это только что сделали.
incident-checking = Проверяем. Результат придёт сообщением.
incident-redelivered = { $count ->
    [0] Показывать нечего: таких заказов уже нет.
   *[other] Показываем снова: { $count }.
 }
incident-retried = { $count ->
    [0] Повторять нечего.
   *[other] Повторяем: { $count }.
 }{ $left ->
    [0] {""}
   *[other] {" "}Остались: { $left } — их запрос уже ушёл в Kie, ждите ответа или отмените.
 }
incident-submitting = Пауза снята: следующий заказ сейчас уйдёт в Kie. Откажет снова — пауза вернётся.
incident-not-paused = Паузы уже нет: заказы уходят в Kie.
incident-unparked = { $count ->
    [0] Повторять нечего: недавних сообщений не осталось.
   *[other] Обрабатываем снова: { $count }.
 }
