### Где лежат копии результатов. Для операторов.
did-move-results = перенос копий результатов
did-sweep-results = уборка лишних копий
results-moved = Перенесено копий: { $count } ({ $megabytes } МБ) в { $store }; осталось на месте: { $left }.
results-swept = Удалено лишних файлов: { $count } в { $store }.

alert-results-store = Хранилище результатов не принимает копии
alert-results-store-now =
    Копий, которые ждут хранилища: { $count }, самая старая ждёт { $minutes } мин. Клиенты получают результаты как обычно, копии пока лежат на диске того экземпляра, который их сделал.

    👉 <code>photomat check</code> скажет, что не так: бакет, ключи или адрес. Когда хранилище ответит, копии перейдут в него сами.

setting-about-results-store = Где лежат копии результатов: папка или s3://bucket/prefix. Пусто — папка results в DATA_DIR.
setting-about-aws-endpoint-url = Сервер бакета, например https://storage.example. Пусто — сам AWS.
setting-about-aws-region = Регион бакета. Пусто — us-east-1.
setting-about-aws-access-key-id = Идентификатор ключа к бакету.
setting-about-aws-secret-access-key = Сам ключ к бакету.
setting-about-aws-session-token = Токен, если ключ временный.
