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
