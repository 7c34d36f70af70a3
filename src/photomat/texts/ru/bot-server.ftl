# Свой сервер Bot API.
setting-about-telegram-local-dir = Рабочая папка своего сервера Bot API (запущен с --local), как она видна отсюда: файлы до 2000 МБ.
setting-about-telegram-webhook-url = Где свой сервер Bot API находит бота, например http://bot:8080. Пусто: PUBLIC_URL.
