### Страница «Состояние» консоли.
health-figure-active = Главный экземпляр
health-figure-active-none = нет
health-figure-instances = { $count ->
    [one] { $count } экземпляр
    [few] { $count } экземпляра
   *[many] { $count } экземпляров
}
health-figure-backlog = Самое старое в очередях
health-figure-backlog-none = ничего не ждёт
health-figure-credits = Кредитов Kie хватит
health-figure-credits-days = на { $days } дн.
health-figure-credits-idle = расхода нет
health-figure-credits-none = ещё не читали
health-figure-credits-hint = { $balance } кредитов, { $day } в день
health-figure-incidents = Открытых инцидентов
health-figure-proof = Проверка книг
health-figure-proof-good = сходится
health-figure-proof-bad = { $count ->
    [one] { $count } нарушение
    [few] { $count } нарушения
   *[many] { $count } нарушений
}
health-figure-proof-none = ещё не было
health-figure-disk = Свободно на диске
health-controls = Паузы
health-controls-none = Ничего не стоит на паузе.
health-controls-customers = Клиенты читают: { $notice }
health-resume = Снять паузу: { $what }
health-resume-button = Снять паузу
health-pause-bot = Поставить бота на паузу
health-pause-bot-hint = Клиенты прочтут о техническом перерыве и ничего не купят. Начатые заказы идут и доставляются, сделанные оплаты зачисляются.
health-pause-provider = Не отправлять заказы в Kie
health-pause-provider-hint = Заказы принимаются и ждут; отправленные идут и доставляются. На карточках сказано, что начнётся позже.
health-pause-model = Поставить модель на паузу
health-pause-model-hint = В меню она «временно недоступна», её заказы ждут. Спрятать насовсем можно в каталоге.
health-pause-model-label = Модель
health-pause-minutes = На сколько минут (пусто: пока не снимете)
health-pause-notice = Фраза для клиентов (необязательно)
health-model-unknown = Такой модели нет в каталоге.
health-instances = Экземпляры
health-instances-none = Ни один экземпляр не подаёт признаков жизни.
health-instance = Экземпляр
health-state = Роль
health-version = Версия
health-uptime = Работает
health-active = ACTIVE
health-passive = PASSIVE
health-draining = доделывает начатое
health-drained = выведен из работы
health-drain = Вывести экземпляр из работы
health-drain-hint = Он перестанет брать новое, доделает начатое и передаст роль ACTIVE. Потом его можно остановить незаметно для всех.
health-drain-button = Вывести
health-undrain = Вернуть экземпляр в работу
health-undrain-button = Вернуть
health-queues = Очереди
health-queues-hint = Важен возраст старейшего, а не длина: обычно всё берут за секунду.
health-queues-idle = Остальные пусты:
health-queues-all-idle = Ничего не ждёт:
health-loop = Цикл
health-backlog = Ждёт
health-oldest = Старейшее
health-p99 = p99
health-held = на паузе
health-loop-updates = Сообщения клиентов
health-loop-pre-checkout = Вопросы об оплате звёздами
health-loop-uploads = Загрузка файлов в Kie
health-loop-submits = Отправка заказов в Kie
health-loop-looks = Опрос Kie
health-loop-deliveries = Карточки
health-loop-rings = Звонки о готовности
health-loop-sends = Повторная выдача
health-loop-keeps = Копии результатов
health-loop-assistant = Языковая модель
health-loop-invoices = Счета
health-loop-refunds = Возвраты
health-loop-rewards = Награды и подарки
health-loop-receipts = Чеки переводов
health-loop-notices = Сообщения клиентам
health-loop-audiences = Подбор получателей рассылки
health-loop-broadcasts = Рассылка
health-loop-previews = Пробы рассылки себе
health-loop-watches = Проверки тревог
health-loop-alerts = Тревоги операторам
health-steps = Задержки за сутки
health-steps-none = За сутки ничего не сделано: появятся с первым заказом.
health-step = Шаг
health-step-p50 = обычно
health-step-count = из
health-step-callback = Задача → колбэк Kie
health-step-settle = Колбэк → итог
health-step-show = Итог → карточка
health-absorbed = Погашено этим экземпляром с запуска
health-absorbed-duplicates = Повторы без последствий
health-absorbed-stale = Опоздавшие записи отвергнуты
health-absorbed-leases = Освобождено захватов
health-budgets = Лимиты вызовов
health-budgets-none = Лимиты не заданы.
health-budget-use = { $used } из { $limit } за { $window } с
health-budget-blocked = закрыт до { $until }: { $reason }
health-chats-blocked = { $count ->
    [0] Telegram никого не просит подождать.
   *[other] Чатов ждут после ответа 429 от Telegram: { $count }.
}
health-incidents = Прошедшие инциденты
health-incidents-none = Ещё ничего не случалось. Открытый инцидент встанет вверху страницы с подсказкой, что делать.
health-incident-since = с { $since }, длится { $lasted }
health-incident-ended = { $since }, длился { $lasted }
health-proof = Проверка инвариантов
health-proof-none = Первая проверка пройдёт ближайшей ночью; вручную: photomat audit --store.
health-proof-good = Все { $count } инвариантов соблюдены.
health-proof-bad = Нарушены: { $names }
health-proof-when = Когда
health-proof-took = Заняла
health-database = База данных
health-database-size = Размер
health-database-connections = Соединения
health-database-connections-of = { $count } из { $allowed }
health-database-oldest = Самая долгая транзакция
health-database-horizon = Горизонт очистки
health-database-horizon-of = { $count } транзакций назад
health-database-version = PostgreSQL
health-tables = Самые большие таблицы
health-table = Таблица
health-table-size = Размер
health-table-rows = Строк
health-table-dead = Мёртвых
