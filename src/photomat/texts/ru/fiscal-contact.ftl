### Куда присылать чеки о платежах картой: вопрос, страница, счёт. Слова для оператора о чеках ЮKassa.

## Вопрос
fiscal-contact-ask = 🧾 <b>Куда прислать чек?</b>

    На каждый платёж картой или СБП по закону нужен чек. Напишите { $email_only ->
        [yes] адрес электронной почты
       *[no] адрес электронной почты или номер телефона
    }: чек придёт туда сам. Контакт нужен только для чека, его видит только платёжный сервис.
fiscal-contact-then = Счёт на <b>{ $sum }</b> покажу сразу после ответа. Спрашиваю один раз, сменить можно в /balance.
fiscal-contact-not-understood = Это не похоже { $email_only ->
        [yes] на адрес почты. Напишите его целиком, например anna@example.ru
       *[no] ни на адрес почты, ни на номер телефона. Напишите, например, anna@example.ru или +7 900 123-45-67
    }. Передумали — /cancel
fiscal-contact-wrong-email = В адресе почты ошибка: нужен вид anna@example.ru, латинскими буквами и без пробелов. Передумали — /cancel
fiscal-contact-wrong-phone = В номере телефона ошибка: нужен международный вид с кодом страны, например +7 900 123-45-67. Передумали — /cancel
fiscal-contact-email-only = На телефон чек прислать нельзя, только на почту. Напишите адрес, например anna@example.ru. Передумали — /cancel

## Страница в балансе
fiscal-contact-button = 🧾 Куда присылать чеки
fiscal-contact-page = 🧾 <b>Чеки о платежах картой и СБП</b>

    Приходят на <b>{ $contact }</b>.
fiscal-contact-saved = ✅ Чеки о новых платежах придут на <b>{ $contact }</b>. Чек по уже выставленному счёту — на прежний адрес.
fiscal-contact-none = 🧾 <b>Чеки о платежах картой и СБП</b>

    Пока не указано, куда их присылать. Я спрошу перед первым таким платежом, или укажите сейчас.
fiscal-contact-change = ✏️ Сменить
fiscal-contact-name = ✏️ Указать
fiscal-contact-delete = 🗑 Удалить
fiscal-contact-deleted = Удалено. Перед следующим платежом картой я спрошу снова.
fiscal-contact-needed = Возврат ещё идёт, и чек о нём придёт сюда. Удалите контакт, когда деньги вернутся.

## Счёт
fiscal-contact-line = 🧾 Чек придёт на { $contact }.
fiscal-way-closed = <b>{ $way }</b>: этот способ сейчас недоступен, ничего не списано. Оператор уже знает. Выберите другой способ.
fiscal-receipt-item = Пополнение баланса

## Оператору
fiscal-contact-word = Контакт для чеков
alert-shop-receipts = ЮKassa не принимает платежи из-за чеков
alert-shop-receipts-now =
    Последний отказ: «{ $reason }», всего { $count }. Клиентам сказано, что способ недоступен, деньги не списаны.

    👉 { $setting ->
        [YOOKASSA_RECEIPTS] Задайте <code>YOOKASSA_RECEIPTS=54fz</code> (компания или ИП) или <code>YOOKASSA_RECEIPTS=self-employed</code> (самозанятый)
        [YOOKASSA_EMAIL_ONLY] Задайте <code>YOOKASSA_EMAIL_ONLY=1</code>: чеки этого магазина приходят только на почту
       *[other] Исправьте настройку <code>{ $setting }</code>
    } и перезапустите бота. Подробно: docs/operations/fiscal-yookassa.md. Закроется, когда ЮKassa примет платёж.

## Настройки
setting-about-yookassa-receipts = Чеки внутри платежей ЮKassa: 54fz для компаний и ИП, self-employed для самозанятых; пусто — без чеков.
setting-about-yookassa-vat-code = Код ставки НДС в чеке по списку ЮKassa: 1 — без НДС. Только 54-ФЗ.
setting-about-yookassa-tax-system = Система налогообложения в чеке, от 1 до 6, если у магазина их несколько. Только 54-ФЗ.
setting-about-yookassa-payment-subject = Предмет расчёта в чеке. Только 54-ФЗ.
setting-about-yookassa-payment-mode = Способ расчёта в чеке. Для предоплаты и аванса закрывающий чек делаете вы сами. Только 54-ФЗ.
setting-about-yookassa-receipt-item = Что продано, словами в чеке; до 128 знаков.
setting-about-yookassa-measure = Единица измерения в чеке, если её требует касса. Только 54-ФЗ.
setting-about-yookassa-email-only = Спрашивать для чека только почту: «Чеки от ЮKassa» на телефон не приходят.
