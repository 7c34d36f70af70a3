# Страницы заказов, одного заказа и сирот.

# Шаги заказа

step-drafted = Заполнена карточка заказа
step-tapped = Клиент нажал кнопку на карточке
step-held = Деньги отложены: { $amount }
step-charged = Деньги списаны: { $amount }
step-hold-released = Деньги возвращены: { $amount }
step-callback = Kie сообщил: { $state ->
    [success] готово
    [fail] не удалось
    [running] в работе
   *[other] { $state }
}
step-copied = Файл { $number } скопирован к нам
step-operator-did = Оператор: { $action }. { $outcome }
step-operator-refused = Оператор: { $action }, отказано. { $outcome }
step-other = Событие: { $tag }
step-created = Заказ создан
step-intent = Запрос уходит в Kie
step-submitted = Kie принял задачу
step-unknown = Ответа от Kie нет: исход неизвестен
step-put-back = Не отправлен, ждёт следующей попытки
step-woken = Разбужен: проверяем у Kie
step-overdue = Дольше обычного
step-lost = Kie не знает этой задачи
step-settled = Исход решён
step-not-all-of-the-answer-was-read = Ответ прочитан не весь
step-accepted = Клиент купил поздний результат
step-canceled = Отменён
step-stopped = Остановлен: нарушено наше правило
step-retried = Запущен снова
step-restored = База восстановлена из копии: исход неизвестен
step-locked = Карточка занята для показа
step-shown = Карточка показана
step-moved = Карточка переехала в новое сообщение
step-released = Показ не удался, повторим
step-parked = Карточка отложена для оператора
step-undeliverable = Клиент недоступен
step-rearmed = Карточку показываем снова
step-asked-again = Клиент попросил файлы ещё раз
step-sent-again = Файлы отправлены ещё раз
step-refunded = Деньги возвращены
step-rung = Клиенту сообщили о результате
step-ring-put-back = Сообщение о результате отложено

# Список заказов

console-jobs-states = Состояния заказов
console-jobs-all = Все
console-jobs-lately = за сутки
console-jobs-state-pending = Ждут отправки
console-jobs-state-submitting = Отправляются
console-jobs-state-running = В работе
console-jobs-state-done = Готовы
console-jobs-state-failed = Не удались
console-jobs-state-canceled = Отменены
console-jobs-state-undelivered = Не показаны
console-jobs-state-stuck = Застряли
console-jobs-state-overdue = Дольше обычного
console-jobs-state-stopped = Остановлены
console-jobs-state-parked = Отложены
console-jobs-state-uncertain = Без ответа Kie
console-jobs-state-gift = Подарки
console-jobs-one-pending = ждёт отправки
console-jobs-one-submitting = отправляется
console-jobs-one-running = в работе
console-jobs-one-done = готов
console-jobs-one-failed = не удался
console-jobs-one-canceled = отменён
console-jobs-one-gift = подарок
console-jobs-name = Номер, задача или метка
console-jobs-user = Клиент
console-jobs-model = Модель
console-jobs-from = С
console-jobs-to = По
console-jobs-search = Найти
console-jobs-clear = Сбросить
console-jobs-check-all = Выбрать все на странице
console-jobs-column-state = Состояние
console-jobs-column-what = Что
console-jobs-column-user = Клиент
console-jobs-column-price = Цена
console-jobs-column-created = Куплен
console-jobs-column-money = Деньги
console-jobs-took = доставлен за { $span }
console-jobs-none-found = По этим условиям ничего нет. Ищем среди последних 100 000 заказов.
console-jobs-none-yet = Заказов пока нет. Они появятся, как только кто-нибудь нажмёт «Создать» в боте.
console-jobs-verb-retry = Отправить или проверить у Kie
console-jobs-verb-redeliver = Доставить заново
console-jobs-verb-cancel = Отменить и вернуть деньги
console-jobs-verb-refund = Вернуть списанное
console-jobs-bulk = Сразу с несколькими
console-jobs-bulk-chosen = С выбранными
console-jobs-bulk-all = Со всеми подходящими (до { $most })
console-jobs-bulk-hint = Сначала покажем, что именно произойдёт и с какими деньгами.
console-jobs-bulk-title = { $verb }: проверка
console-jobs-bulk-nothing-yet = Пока ничего не сделано. Проверьте список и укажите причину.
console-jobs-bulk-acting = Будет сделано
console-jobs-bulk-of = из { $count ->
    [one] { $count } выбранного
   *[other] { $count } выбранных
}
console-jobs-bulk-refused = Не подойдут
console-jobs-bulk-refused-hint = их не тронем
console-jobs-bulk-money-cancel = Вернётся из холда
console-jobs-bulk-money-refund = Вернётся клиентам
console-jobs-bulk-cut = Показаны первые { $most }: больше за один раз нельзя. Остальные — следующим разом.
console-jobs-bulk-do = { $verb }: { $count }
console-jobs-bulk-back = Не надо
console-jobs-bulk-none = Делать нечего: ни один из выбранных заказов не подходит.
console-jobs-bulk-which = С какими
console-jobs-bulk-which-not = Не подойдут: { $count }

# Один заказ

console-job-title = Заказ № { $job }
console-job-price = Цена
console-job-charged = Списано
console-job-refunded = возвращено { $amount }
console-job-cost = Себестоимость
console-job-margin = Маржа
console-job-steps = От нажатия до результата
console-job-no-steps = О нём ничего не записано.
console-job-attempts = Попытки и ответы Kie
console-job-task = Задача Kie
console-job-polls = Обращений к Kie
console-job-callbacks = Сообщений от Kie
console-job-delivery = Показ карточки
console-job-delivery-facts = попыток { $attempts }, номер замка { $fence }
console-job-delivery-error = Ошибка показа
console-job-last-error = Последняя ошибка
console-job-corr = Метка в логах
console-job-callback-at = Пришло
console-job-callback-state = Kie говорит
console-job-row = Вся строка базы
console-job-actions = Действия
console-job-danger = С деньгами
console-job-no-danger = Возвращать нечего.
console-job-refund-amount = Сколько, не больше { $most }
console-job-refund-all = всё
console-job-release = Снять холд { $amount }
console-job-card = Карточка глазами клиента
console-job-output = Файл { $number }
console-job-output-gone = Файл { $number } ({ $mime }): копии на этом сервере нет
console-job-inputs = Что заказал клиент
console-job-money = Деньги
console-job-hold-open = В холде
console-job-hold-charge = Списано
console-job-hold-release = Холд снят
console-job-links = Рядом
console-job-of-user = Клиент { $name }
console-job-jobs-of-user = Все заказы клиента
console-job-ticket = Обращение № { $number }
console-job-journal = Журнал заказа: { $count }

# Сироты

console-orphans-uncertain = Отправки без ответа
console-orphans-uncertain-hint = Запрос ушёл в Kie, а ответ не пришёл. Можно ждать: callback найдёт заказ сам, или по истечении срока деньги вернутся. Второй раз запрос не уходит никогда: это могло бы оплатить его дважды.
console-orphans-uncertain-none = Все отправки получили ответ.
console-orphans-left = Ушёл { $ago } назад, сдаёмся через { $rest }
console-orphans-enter-task = Задача нашлась в логе Kie
console-orphans-enter-task-hint = Откройте kie.ai/logs, найдите запрос по времени и модели и впишите номер его задачи. Мы сразу спросим о ней Kie.
console-orphans-task = Номер задачи
console-orphans-give-up = Сдаться и вернуть деньги
console-orphans-callbacks = Сообщения без заказа
console-orphans-callbacks-hint = Kie прислал результат задачи, которой нет ни у одного заказа. Каждую минуту мы ищем ему заказ сами.
console-orphans-reconcile = Искать сейчас
console-orphans-waiting = Ждут
console-orphans-closed = Закрытые за 30 дней
console-orphans-closed-at = закрыто
console-orphans-received = Пришло { $ago } назад
console-orphans-body = Что прислал Kie
console-orphans-state-success = готово
console-orphans-state-fail = не удалось
console-orphans-state-running = в работе
console-orphans-attach = Привязать к заказу
console-orphans-attach-hint = Заказ спросит Kie об этой задаче: результат решает ответ Kie, а не это сообщение.
console-orphans-job = Номер заказа
console-orphans-dismiss = Закрыть: не наше
console-orphans-none = Ничего не ждёт: у каждого сообщения нашёлся заказ.
console-orphans-none-closed = За 30 дней ничего не закрывали.

orphan-why-no-job = заказа, который назван в адресе, нет
orphan-why-no-task = ни у одного заказа нет этой задачи
orphan-why-taken = эта задача у другого заказа
orphan-why-other-task = у заказа { $job } другая задача
orphan-why-dismissed = закрыто оператором
