# Что читают операторы, кроме инцидентов из chat.ftl.

alert-disk = Диск почти заполнен
alert-disk-now =
    На диске с DATA_DIR свободно { $free } МБ, порог — { $threshold } МБ. Ничего не потеряется: на полном диске результаты всё равно доходят до клиентов, но копии не сохраняются, а встроенная база не принимает заказы, пока нет места.

    👉 <code>photomat prune --dry-run</code> покажет, что можно удалить при меньших KEEP_…_DAYS; или увеличьте диск.

alert-database-size = База данных сильно выросла
alert-database-size-now =
    Она занимает { $size } МБ, порог DATABASE_ALERT_MB — { $threshold } МБ. Клиенты этого пока не замечают.

    👉 <code>photomat prune --dry-run</code> покажет, что можно удалить при меньших KEEP_…_DAYS; или возьмите тариф побольше и поднимите порог.

alert-proof-missing = Нет ночной сверки
alert-proof-missing-now =
    Последняя полная сверка закончилась { $hours } ч назад, а должна проходить каждую ночь. Днём проверяются только новые записи, поэтому ошибка в старых осталась бы незамеченной. Клиенты этого не замечают.

    👉 <code>photomat audit --store</code> запустит сверку сейчас. Затем найдите в журнале, почему её не было ночью (DUTY_ERROR с duty=proof).

alert-button-show = 📤 Показать снова всё
alert-button-retry = 🔁 Повторить
alert-button-match = 🧩 Сверить сейчас
alert-button-send = ▶️ Попробовать сейчас
alert-button-unpark = 🔁 Обработать снова
alert-button-check = 🔍 Проверить сейчас
alert-button-jobs = 📄 Открыть
alert-button-bills = 🧾 Чеки
alert-button-state = 💓 Состояние
alert-button-sess = 👁 Показать
alert-button-take = 👌 Взял
alert-button-console = 🖥 В консоли
alert-checked-fine = 🔍 Проверено: сейчас всё в порядке. Если так и останется, инцидент закроется сам.
alert-checked-again = 🔍 Проверено: это снова началось. Если не пройдёт, придёт новое сообщение.
alert-checked-unknown = 🔍 Проверить не получилось: сервис не отвечает. Следующая проверка пройдёт сама.
