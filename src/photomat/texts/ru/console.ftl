console-menu = Разделы
console-skip = К содержанию
console-find = Заказ, клиент, @имя, номер задачи
console-live-on = Вживую
console-live-off = На паузе
console-sign-in = Войти
console-sign-out = Выйти
console-password = Пароль консоли
console-password-wrong = Пароль не подошёл.
console-too-many-tries = Слишком много попыток. Подождите минуту или войдите по ссылке из бота.
console-sign-in-expired = Страница устарела. Попробуйте ещё раз.
console-link-ready = Ссылка принята. Осталось нажать кнопку.
console-link-invalid = Ссылка уже использована или устарела: она живёт 5 минут. Попросите новую в боте: /admin → «Консоль».
console-sign-in-hint = Вход по ссылке: отправьте боту /admin и нажмите «Консоль». Без публичного адреса ссылку печатает команда:
console-role-owner = Владелец
console-role-operator = Оператор
console-role-viewer = Наблюдатель
console-reason = Причина (попадёт в журнал)
console-reason-missing = Ничего не сделано: укажите причину, она попадёт в журнал.
console-first-page = ← К началу
console-next-page = Дальше →
console-seconds = { $count } с
console-minutes = { $count } мин { $rest } с
console-hours = { $count } ч { $rest } мин
console-days = { $count ->
    [one] { $count } день
    [few] { $count } дня
   *[many] { $count } дней
}
console-error = Не получилось
console-error-403 = На это у вас нет прав, или форма устарела. Вернитесь на страницу и обновите её.
console-error-404 = Такого здесь нет. Проверьте номер.
console-error-413 = Файл слишком большой.
console-error-503 = Слишком много открытых страниц. Закройте лишние.
console-error-500 = Ошибка на сервере. Ничего не изменилось; подробности в журнале программы.
console-nav-today = Сегодня
console-nav-tickets = Обращения
console-nav-jobs = Заказы
console-nav-users = Клиенты
console-nav-money = Деньги
console-nav-catalogue = Каталог
console-nav-orphans = Сироты
console-nav-broadcasts = Рассылки
console-nav-reports = Отчёты
console-nav-health = Состояние
console-nav-journal = Журнал
console-nav-settings = Настройки
