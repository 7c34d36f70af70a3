# Настройки, которые меняются без перезапуска: ответы оператору и смысл каждой настройки.

setting-changed = { $name }: было { $before }, стало { $after }. Все экземпляры применят это за две секунды.
setting-reset = { $name }: снова по умолчанию, { $after } (было { $before }).
setting-unchanged = { $name } уже { $value }: ничего не изменилось.
setting-is-default = { $name } и так по умолчанию: { $value }.
setting-not-live = { $name } нельзя менять на ходу: эта настройка читается только при запуске, из окружения или .env.
setting-from-environment = { $name } задана в окружении или .env ({ $value }), и там она главнее. Чтобы менять её здесь, уберите её оттуда и перезапустите бота.
setting-below-cost = { $place ->
    [terminal] С MARKUP { $value } вы продавали бы дешевле, чем платите Kie: цены остановятся на себестоимости, и прибыли не будет. Если так и задумано, повторите с --confirm.
   *[page] С MARKUP { $value } вы продавали бы дешевле, чем платите Kie: цены остановятся на себестоимости, и прибыли не будет. Если так и задумано, отметьте подтверждение.
}
setting-jump = { $place ->
    [terminal] { $name } изменится с { $before } на { $after }, больше чем в { $most } раза. Похоже на опечатку; если нет, повторите с --confirm.
   *[page] { $name } изменится с { $before } на { $after }, больше чем в { $most } раза. Похоже на опечатку; если нет, отметьте подтверждение.
}
setting-not-above = { $name }: нужно число больше { $least }.
setting-too-small = { $name }: не меньше { $least }.
setting-too-large = { $name }: не больше { $most }.
setting-too-long = { $name }: одна строка, не длиннее { $most } символов.
setting-no-number = { $name }: нужно число, например 1.5.
setting-no-whole-number = { $name }: нужно целое число.
setting-no-switch = { $name }: 1 (включено) или 0 (выключено).
setting-no-url = { $name }: нужен адрес, который начинается с http:// или https://.
setting-no-zone = TIMEZONE: нужен часовой пояс, например Europe/Moscow или Asia/Almaty.
setting-no-sums = { $name }: суммы пишутся через запятую, например 100,300,500.
setting-no-packages = { $name }: пакеты пишутся через запятую, например 100,500+5%.
setting-usd-rate = USD_RATE должен быть 1, если CURRENCY — USD.
setting-least-above-most = Наименьшее пополнение ({ $least }) больше наибольшего ({ $most }): измените TOPUP_LEAST или TOPUP_MOST.

# Смысл настроек

setting-about-usd-rate = Сколько стоит один доллар США в вашей валюте.
setting-about-markup = Наценка: цена = себестоимость у Kie × это число.
setting-about-price-step = Цены округляются вверх до кратного этому.

setting-about-topup-sums = Суммы, которые предлагает пополнение: через запятую, в целых единицах валюты.
setting-about-topup-least = Наименьшее пополнение.
setting-about-topup-most = Наибольшее пополнение.
setting-about-topups-per-day = Платежей одного пользователя за 24 часа; 0 — без ограничения.
setting-about-stars-packages = Пакеты Telegram Stars через запятую, с процентом сверху. Пусто — без Stars.
setting-about-star-usd = Сколько стоит для вас одна звезда, в долларах США.
setting-about-subscription-stars = Цена месячной подписки в звёздах; 0 — подписки нет.
setting-about-subscription-bonus = Процент, который месяц подписки добавляет к стоимости своих звёзд.
setting-about-subscription-credit = Сколько начисляет месяц подписки; 0 — стоимость звёзд и SUBSCRIPTION_BONUS.
setting-about-transfer-details = Реквизиты для перевода вручную. Пусто — переводов нет.

setting-about-most-running = Заказов одного пользователя в работе одновременно; 0 — без ограничения.
setting-about-orders-per-minute = Заказов одного пользователя в минуту; 0 — без ограничения.
setting-about-updates-per-minute = Сообщений и нажатий одного пользователя в минуту, остальные пропускаются; 0 — без ограничения.
setting-about-cooldown-s = Секунд между двумя заказами одного пользователя; 0 — без паузы.
setting-about-free-per-day = Бесплатных генераций пользователя за 24 часа; 0 — без ограничения.

setting-about-welcome-credit = Подарок новому пользователю.
setting-about-referral-reward = Награда пригласившему за первый оплаченный заказ друга.
setting-about-referral-friend-reward = Сколько тогда получает друг.
setting-about-referral-percent = Процент пригласившему с пополнений друга; 0 — нет.
setting-about-referral-free = Бесплатных генераций в день сверх обычных за каждого друга, который заплатил (не больше десяти друзей).

setting-about-refund-undelivered-days = Через сколько дней вернуть деньги за результат, который не удалось доставить; 0 — никогда.
setting-about-support-contact = К кому отправляет /paysupport: @имя, почта или ссылка.
setting-about-terms-url = Ссылка на условия продажи; без неё /terms показывает короткий текст.
setting-about-rich-results = Несколько результатов одним большим сообщением (Telegram с июня 2026 года).
setting-about-timezone = Часовой пояс дней и времени в консоли и отчётах.

setting-about-assistant-calls-per-user-day = Обращений к чат-модели для одного пользователя за 24 часа; 0 — без ограничения.
setting-about-assistant-credits-a-day = Кредитов Kie на все обращения за 24 часа; 0 — без ограничения.

setting-about-ticket-alert-min = Предупредить, когда сообщение клиента ждёт ответа дольше стольких минут; 0 — никогда.
setting-about-disk-alert-mb = Предупредить, когда на диске DATA_DIR свободно меньше стольких МБ; 0 — никогда.
setting-about-database-alert-mb = Предупредить, когда база больше стольких МБ; 0 — никогда.

setting-about-keep-result-copies-days = Сколько дней хранить копии того, что Telegram хранит без изменений; 0 — всегда.
setting-about-keep-updates-days = Сколько дней хранить обработанные обновления Telegram (от 2 до 6).
setting-about-keep-callbacks-days = Сколько дней хранить тела callback после завершения заказа; 0 — всегда.
setting-about-keep-orphans-days = Сколько дней хранить callback, которые нашли свой заказ поздно; 0 — всегда.
setting-about-keep-drafts-days = Сколько дней хранить некупленные черновики; 0 — всегда.
setting-about-keep-events-days = Сколько дней хранить историю завершённых заказов; 0 — всегда.
setting-about-keep-input-files-days = Сколько дней хранить сведения о присланных файлах; 0 — всегда.
setting-about-keep-resends-days = Сколько дней хранить записи о повторной отправке результатов; 0 — всегда.
setting-about-keep-tickets-days = Сколько дней хранить закрытые обращения; 0 — всегда.
setting-about-keep-notices-days = Сколько дней хранить отправленные уведомления; 0 — всегда.
setting-about-keep-incidents-days = Сколько дней хранить завершённые происшествия; 0 — всегда.
setting-about-keep-proofs-days = Сколько дней хранить ночные проверки; 0 — всегда.
setting-about-keep-assistant-calls-days = Сколько дней хранить стоимость обращений к чат-модели; 0 — всегда.
setting-about-keep-readings-days = Сколько дней хранить почасовой баланс у Kie; 0 — всегда.

# Читаются только при запуске

setting-about-bot-token = Токен от @BotFather. Без него и KIE_API_KEY работает песочница.
setting-about-kie-api-key = Ключ API вашего аккаунта Kie.ai.
setting-about-database-url = PostgreSQL 15 или новее; без него база внутри DATA_DIR.
setting-about-direct-database-url = Та же база без пулера: для блокировок и LISTEN.
setting-about-data-dir = Папка встроенной базы и копий результатов.
setting-about-embedded-ok = Разрешить встроенную базу на диске, который может не сохраниться.
setting-about-host = Адрес, на котором слушает веб-сервер.
setting-about-port = Его порт.
setting-about-public-url = Где нас находят Telegram и Kie. Пусто — long polling, без callback.
setting-about-render-external-url = Задаёт Render; заменяет PUBLIC_URL.
setting-about-telegram-api-url = Сервер Bot API.
setting-about-kie-api-url = Сервер API Kie.
setting-about-kie-upload-url = Сервер загрузки файлов Kie.
setting-about-kie-webhook-key = Ключ вебхуков Kie: тогда callback должны быть подписаны.
setting-about-callback-secret = Подписывает адреса callback; через запятую: первый подписывает, годятся все.
setting-about-admin-ids = Telegram-id владельцев через запятую: им приходят тревоги, они решают чеки.
setting-about-console-password = Пароль владельца в консоль.
setting-about-metrics-token = Его спрашивает GET /metrics: `Authorization: Bearer …`. Без него отвечает только этой машине.
setting-about-currency = Валюта кошельков и цен; не меняется, когда они уже есть.
setting-about-stars-reconcile-s = Секунд между сверками со списком звёзд Telegram.
setting-about-yookassa-shop-id = ЮKassa: номер магазина.
setting-about-yookassa-secret-key = ЮKassa: секретный ключ.
setting-about-yookassa-api-url = Сервер API ЮKassa.
setting-about-yookassa-sources = Сети, из которых приходят уведомления ЮKassa.
setting-about-crypto-pay-token = Crypto Pay (@CryptoBot): токен приложения.
setting-about-crypto-pay-api-url = Сервер API Crypto Pay.
setting-about-delivery-lease-s = Сколько секунд держится блокировка доставки.
setting-about-lease-s = Сколько секунд держится любой другой захват.
setting-about-poll-first-s = Секунд от создания задачи до первого опроса.
setting-about-empty-result-grace-s = Сколько секунд переспрашивать об успехе без результата.
setting-about-job-overdue-s = Через сколько секунд заказ считается просроченным; обычно по виду.
setting-about-job-timeout-s = Через сколько секунд заказ закрывается и деньги возвращаются.
setting-about-disk-reserve-mb = Если свободно меньше МБ, результаты не копируются: место для базы.
setting-about-kie-creates-per-10s = Задач за 10 секунд, которые Kie разрешает этому аккаунту.
setting-about-kie-queries-per-s = Запросов в секунду, которые Kie разрешает этому аккаунту.
setting-about-telegram-calls-per-s = Вызовов в секунду, которые Telegram разрешает этому боту.
setting-about-update-workers = Какие экземпляры обрабатывают обновления.
setting-about-log-format = Логи для людей или для машин.
setting-about-assistant-model = Чат-модель Kie, которая понимает заказы обычными словами. Пусто — только правила.
setting-about-failpoint = Только для тестов: где процесс убивает себя.
