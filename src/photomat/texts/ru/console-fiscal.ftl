console-money-tab-fiscal = Чеки для налоговой
console-today-fiscal = Чеки для налоговой остановлены
console-today-fiscal-late = Чеки для налоговой задерживаются
console-fiscal-one = Чек для налоговой № { $number }
console-fiscal-kind = Что
console-fiscal-kind-income = Доход
console-fiscal-kind-annulment = Аннулирование
console-fiscal-issuer = Кто выпускает
console-fiscal-issuer-my_tax = Мой налог
console-fiscal-issuer-yookassa = ЮKassa
console-fiscal-issuer-hand = Вручную
console-fiscal-document = Документ
console-fiscal-reference = Наш номер
console-fiscal-sent = Отправлен
console-fiscal-next = Следующая попытка
console-fiscal-of-payment = Все чеки этого платежа
console-fiscal-none = Таких чеков нет.
console-fiscal-state-wanted = Ждёт отправки
console-fiscal-state-sending = Отправляется
console-fiscal-state-unknown = Ищем ответ
console-fiscal-state-without = Без чека
console-fiscal-state-blocked = Остановлен
console-fiscal-state-issued = Выпущен
console-fiscal-state-annulled = Аннулирован
console-fiscal-state-unneeded = Не нужен
console-fiscal-explained-wanted = Документа ещё нет. Отправим сами, как только это станет возможно.
console-fiscal-explained-sending = Запрос уходит прямо сейчас. Если ответа не будет, документ поищем в списке налоговой.
console-fiscal-explained-unknown = Запрос ушёл, ответ потерян. Ищем документ в списке налоговой по нашему номеру; повторно не отправим, пока не станет ясно, что его там нет.
console-fiscal-explained-without = Для этого способа оплаты чеки не включены, поэтому платёж остался без чека. Его можно выпустить сейчас или отметить сделанным вручную.
console-fiscal-explained-blocked = Дальше без вас нельзя: прочтите последний ответ, исправьте причину и выпустите снова либо отметьте сделанным вручную.
console-fiscal-explained-issued = Готово: документ есть, клиент получил ссылку.
console-fiscal-explained-annulled = Документ аннулирован.
console-fiscal-explained-unneeded = Документ не нужен: деньги вернули раньше, чем его выпустили, или так решил оператор.
console-fiscal-without-explained =
    { $count ->
        [one] { $count } платёж остался без чека: для этого способа оплаты они не включены.
        [few] { $count } платежа остались без чека: для этих способов оплаты они не включены.
       *[other] { $count } платежей остались без чека: для этих способов оплаты они не включены.
    }
console-fiscal-retry = Обработать сейчас
console-fiscal-issue = Выпустить чек
console-fiscal-settle = Сделано вручную
console-fiscal-number = Номер документа
console-fiscal-url = Ссылка для клиента
console-fiscal-drop = Чек не нужен
console-fiscal-nothing-to-do = Делать нечего.
