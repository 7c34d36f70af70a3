# Журнал операторов.

console-journal-operator = Кто
console-journal-anyone = все
console-journal-action = Действие
console-journal-anything = любое
console-journal-result = Итог
console-journal-any-result = любой
console-journal-done = сделано
console-journal-refused = отказано
console-journal-job = Заказ
console-journal-user = Клиент
console-journal-reference = Номер операции
console-journal-when = Когда
console-journal-about = О чём
console-journal-outcome = Что вышло
console-journal-because = Причина: { $reason }
console-journal-none-found = По этим условиям записей нет.
console-journal-none-yet = Пока никто ничего не делал. Каждое действие оператора появится здесь с причиной.
