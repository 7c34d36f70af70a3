console-today-as-of = сравнение — со вчерашним днём к этому же часу
console-today-needs = Ждёт вас
console-today-needs-nothing = Ничего не ждёт вашего решения.
console-today-since = уже { $age }
console-today-receipts = Чеки на проверку
console-today-tickets = Обращения без ответа
console-today-stopped = Остановленные заказы
console-today-uncertain = Неясные отправки в Kie
console-today-parked = Карточки, которые не удалось показать
console-today-orphans = Сироты: callback без заказа
console-today-differences = Расхождения со списками провайдеров
console-today-incidents = Открытые тревоги
console-today-audit = Нарушенные правила учёта
console-today-credits = Кредиты Kie на исходе
console-today-stuck = Застряло
console-today-stuck-nothing = Всё движется само.
console-today-overdue = Kie делает дольше обычного
console-today-undelivered = Готово, но не показано
console-today-waiting = Ждут отправки в Kie
console-today-updates = Сообщения клиентов без ответа
console-today-parked-updates = Сообщения, на которых бот споткнулся за сутки
console-today-refunds = Возвраты платежей не проходят
console-today-revenue = Продажи
console-today-margin = Прибыль
console-today-paid-in = Пополнения
console-today-was = вчера { $was }
console-today-delta = { $percent } % · вчера { $was }
console-today-bought = Заказов
console-today-failed = Неудачных
console-today-failed-hint = с ошибкой { $failed }, подарков { $gifts }
console-today-cost = Себестоимость Kie
console-today-cost-hint = маржа { $percent } %
console-today-refunded = Возвращено за заказы
console-today-new-users = Новых клиентов
console-today-conversion = Из новых заплатили
console-today-conversion-hint = заказали { $ordered }, заплатили { $paid }
console-today-by-hour = Продажи по часам
console-today-legend-today = сегодня
console-today-legend-yesterday = вчера
console-today-jobs = Заказы в работе
console-today-state-pending = в очереди
console-today-state-submitting = отправка
console-today-state-running = у Kie
console-today-state-delivering = показ
console-today-money-in = Пополнения по способам
console-today-payments = { $count ->
    [one] { $count } платёж
    [few] { $count } платежа
   *[many] { $count } платежей
}
console-today-no-money = Сегодня ещё никто не пополнял. Здесь будут суммы по способам оплаты.
console-today-incidents-open = Открытые тревоги
console-today-models = Лучшие модели дня
console-today-model-jobs = готово { $done }, с ошибкой { $failed }
console-today-no-models = Сегодня ещё ничего не готово.
console-today-kie = Кредиты Kie
console-today-credits-left = { $count } кредитов
console-today-credits-days = хватит { $days ->
    [0] меньше чем на день
    [one] на { $days } день
    [few] на { $days } дня
   *[many] на { $days } дней
}: уходит { $per_day } в день
console-today-credits-read = прочитано { $age } назад
console-today-no-credits = Баланс Kie ещё не читали: первое чтение — в течение часа.
console-age-now = меньше минуты
console-age-minutes = { $count } мин
console-age-hours = { $count } ч
console-age-days = { $count } дн.
