fiscal-notice-issued = 🧾 Чек на { $amount } готов: платёж зарегистрирован в налоговой.
fiscal-notice-rest = 🧾 Новый чек на { $amount }: это остаток платежа после возврата.
fiscal-notice-annulled = 🧾 Чек на { $amount } аннулирован: деньги возвращены.
fiscal-notice-annulled-part = 🧾 Чек на { $amount } аннулирован: вернули { $refunded }. Чек на остаток придёт следом.
fiscal-notice-refund = 🧾 Чек возврата на { $amount } готов.
fiscal-open-receipt = Открыть чек
health-loop-fiscal = Чеки для налоговой

## Оператору: решения
fiscal-no-such = Чека { $fiscal } нет.
fiscal-retried = Чек { $fiscal } ({ $reference }) будет обработан сейчас: неотправленный — отправлен, неизвестный — сначала найден в списке.
fiscal-not-open = Чек { $fiscal } ({ $reference }) сейчас не ждёт отправки: пробовать нечего.
fiscal-wanted-again = Чек { $fiscal } ({ $reference }) поставлен в очередь.
fiscal-not-waiting = Чек { $fiscal } ({ $reference }) нельзя выпустить заново: он не был остановлен и не остался без чека.
fiscal-settled = Чек { $fiscal } ({ $reference }) отмечен как сделанный вручную.
fiscal-ended-before = Чек { $fiscal } ({ $reference }) уже завершён или отправляется прямо сейчас.
fiscal-number-needed = Для чека { $fiscal } ({ $reference }) нужен его номер.
fiscal-number-used = Чек { $fiscal } ({ $reference }): этот номер уже записан у другого чека.
fiscal-link-refused = Номер до 100 знаков, ссылка начинается с https:// и не длиннее 500 знаков.
fiscal-dropped = Чек { $fiscal } ({ $reference }) не нужен.
fiscal-may-exist = Чек { $fiscal } ({ $reference }) отменить нельзя: документ в налоговой уже есть или мог появиться.

## Инциденты
alert-fiscal-receipts = Чеки для налоговой не выпущены
alert-fiscal-receipts-now =
    Ждут дольше шести часов: { $late }, остановлены и ждут вас: { $blocked }. Деньги клиентов зачислены, не хватает только документов.

    👉 Консоль: Деньги → Чеки для налоговой. Или в терминале: <code>photomat fiscal show { $fiscal }</code>
alert-tax-service = «Мой налог» не принимает чеки
alert-tax-service-now =
    { $cause ->
        [limit] Достигнут годовой лимит дохода самозанятого. Ждут чеков: { $count }.
       *[password] Не подходит ИНН или пароль. Ждут чеков: { $count }; с этим паролем пробуем раз в 10 минут.
    } Платежи зачисляются как обычно, чеки уйдут сами, когда «Мой налог» снова их примет.

    👉 { $cause ->
        [limit] Решите с бухгалтером, как принимать деньги дальше; выключить чеки можно, убрав MY_TAX_INN.
       *[password] Исправьте MY_TAX_INN и MY_TAX_PASSWORD и перезапустите бота.
    }

## Журнал
did-retry-fiscal-receipt = обработать чек для налоговой
did-issue-fiscal-receipt = выпустить чек для налоговой
did-settle-fiscal-receipt = отметить чек сделанным вручную
did-drop-fiscal-receipt = отметить чек ненужным

## Настройки
setting-about-my-tax-inn = «Мой налог»: ИНН самозанятого владельца. Вместе с паролем включает чеки.
setting-about-my-tax-password = «Мой налог»: пароль от кабинета налогоплательщика.
setting-about-my-tax-service-name = Что написано в чеке «Мой налог» как название услуги; наш номер добавится сам.
setting-about-my-tax-providers = Для каких способов оплаты чеки идут в «Мой налог», через запятую: stars, cryptopay, transfer, yookassa.
setting-about-my-tax-api-url = Адрес API «Мой налог».
setting-about-my-tax-timeout-s = Сколько секунд ждать ответа «Мой налог» на один запрос.
setting-about-my-tax-unknown-s = Через сколько секунд запрос без ответа уже не может дойти до «Мой налог».
