### Перевод вручную: клиент и его чек, оператор и его решение.

## Клиент
transfer-button = 🏦 Перевод
transfer-ask-sum = 🏦 <b>Перевод</b>

    На какую сумму пополнить? Выберите кнопкой или напишите число: от { $least } до { $most }.
transfer-sum = { $amount }
transfer-bad-sum = Нужна сумма от { $least } до { $most }, одним числом, например 500. Передумали — /cancel
transfer-requisites = 🏦 <b>Перевод на { $amount }</b>

    1. Переведите ровно <b>{ $amount }</b>:
    { $details }

    2. В комментарии к переводу напишите код <code>{ $code }</code>: по нему мы найдём ваш платёж.
    3. Пришлите сюда чек: фото, скриншот или PDF.

    Деньги зачислит оператор, когда увидит перевод. Передумали — /cancel
transfer-send-receipt = 📎 Прислать чек
transfer-expects-receipt = 📎 Жду чек на { $amount } (код <code>{ $code }</code>): фото, скриншот или PDF. Передумали — /cancel
transfer-expects-file = Здесь нужен чек: фото, скриншот или PDF. Подпись к нему сохраню и покажу оператору. Передумали — /cancel
transfer-file-too-big = Этот файл больше 20 МБ, столько я прочитать не могу. Пришлите скриншот или файл поменьше.
transfer-file-unreadable = Telegram не отдал мне этот файл. Пришлите его ещё раз или сделайте скриншот.
transfer-file-of-wrong-kind = Это не похоже на чек: по содержимому файл не картинка и не PDF. Пришлите фото, скриншот или PDF.
transfer-waiting = ⏳ Чек на <b>{ $amount }</b> на проверке

    Код { $code }, отправлен { $sent } UTC. Зачислит оператор, обычно в течение часа; я сразу напишу. Присылать чек ещё раз не нужно.
transfer-state = 🔄 Состояние
transfer-approved = ✅ Чек на { $amount } проверен: зачислено <b>{ $credited }</b>

    Код { $code }, отправлен { $sent } UTC.
transfer-declined = ❌ Чек на <b>{ $amount }</b> (код { $code }) не принят, деньги не зачислены.

    Причина: { receipt-reason }

    Что делать: проверьте перевод в банке. Если он прошёл, пришлите чек ещё раз, на нём должны читаться сумма, дата и номер операции.
transfer-again = 🏦 Прислать чек ещё раз
transfer-toast-waiting = Чек ещё на проверке, ничего делать не нужно
transfer-toast-approved = Чек проверен, деньги зачислены
transfer-toast-declined = Чек не принят, деньги не зачислены. Причина и что делать — в сообщении о чеке
transfer-waiting-line = ⏳ Чек на { $amount } на проверке (код { $code }, отправлен { $sent } UTC)
transfer-waiting-sum = ⏳ На проверке: { $total } переводом. Станет доступно, когда оператор подтвердит.
transfer-stray-file = Этот файл ни к какому переводу не относится. Если это чек, сначала нажмите «🏦 Перевод», назовите сумму и пришлите его, когда я попрошу.
transfer-too-many = На проверке уже { $limit } { $limit ->
        [one] ваш чек
        [few] ваших чека
       *[many] ваших чеков
    }. Деньги не потеряются. Новый можно прислать, когда решится хотя бы один.
transfer-closed = Переводы сейчас не принимаются: ничего не переводите. Другие способы: /topup
transfer-lost = Этот перевод потерялся, на балансе ничего не изменилось. Начните заново: /topup → «🏦 Перевод»; если вы уже перевели деньги, пришлите чек там.
transfer-left = Перевод отложен, ничего не списано и не зачислено. Если вы уже перевели деньги, начните заново и пришлите чек.

## Оператор
receipt-card = 🧾 <b>Чек № { $number }</b> на <b>{ $amount }</b>

    От: { $who }
    Код: <code>{ $code }</code> · { $sent } UTC
    Подпись: { $note }

    Проверьте, пришёл ли перевод: до вашего решения ничего не зачислено.
receipt-card-flagged = 🚨 <b>ЧЕК № { $number } ПОХОЖ НА ПОВТОР</b>, { $amount }

    ⚠️ { $same ->
        [file] Тот же файл
        [note] Тот же номер перевода
       *[both] Тот же файл и тот же номер перевода
    }, что в чеке № { $twin } { $twin_whose ->
        [own] этого же человека
       *[other] ДРУГОГО человека (<code>{ $twin_user }</code>)
    } от { $twin_when } UTC: { $twin_state ->
        [approved] он УЖЕ ЗАЧИСЛЕН
        [declined] он был отклонён
       *[waiting] он ещё ждёт решения
    }.{ $more ->
        [0] {""}
       *[other] {" "}Похожих ещё: { $more }.
    }

    От: { $who }
    Код: <code>{ $code }</code> · { $sent } UTC
    Подпись: { $note }
receipt-card-approved = ✅ <b>Чек № { $number }</b>: зачислено <b>{ $credited }</b>

    От: { $who }, заявлено { $amount }
    Код: <code>{ $code }</code> · { $sent } UTC
    Подпись: { $note }

    Решение: { $by }, { $when } UTC
receipt-card-declined = ❌ <b>Чек № { $number }</b> на { $amount } отклонён

    От: { $who }
    Код: <code>{ $code }</code> · { $sent } UTC
    Подпись: { $note }

    Причина: { receipt-reason }
    Решение: { $by }, { $when } UTC
receipt-approve = ✅ Зачислить { $amount }
receipt-approve-flagged = ⚠️ Зачислить { $amount }
receipt-other-sum = ✏️ Другая сумма
receipt-decline = ❌ Отклонить
receipt-anyway = ⚠️ Всё равно зачислить
receipt-reason = { $reason ->
        [not-arrived] Перевод не пришёл
        [other-sum] Сумма на чеке другая
        [unreadable] Чек не читается
        [repeated] Этот чек уже был
       *[other] { $reason }
    }
receipt-ask-sum = ✏️ Чек № { $number } на { $amount }: напишите, сколько зачислить, одним числом. Передумали — /cancel
receipt-ask-reason = ❌ Чек № { $number } на { $amount }: почему отклонить? Выберите причину или напишите свою, клиент её прочтёт. Передумали — /cancel
receipt-approved = Чек № { $number }: зачислено { $credited }
receipt-declined = Чек № { $number } отклонён, клиенту сказано почему
receipt-approved-before = Уже решено: зачислено { $credited } ({ $by }, { $when } UTC)
receipt-declined-before = Уже решено: отклонён ({ $by }, { $when } UTC). { receipt-reason }
receipt-bad-sum = Зачислить можно больше нуля и не больше { $most }. Напишите число, например 500, или /cancel
receipt-bad-reason = Причина нужна словами, до { $limit } символов. Напишите её или /cancel
receipt-gone = Такого чека нет
receipt-twin-toast = Похожий чек уже зачислен
receipt-twin-credited = ⚠️ Чек № { $number } <b>не зачислен</b>: { $same ->
        [file] тот же файл
       *[note] тот же номер перевода
    } уже зачислен по чеку № { $twin } (пользователь <code>{ $twin_user }</code>).

    Зачисляйте, только если видите в банке второй такой перевод.
receipt-twin-type-again = Если это другой перевод, напишите сумму ещё раз. Передумали — /cancel
receipt-not-operator = Чеки проверяют операторы. Свой чек смотрите кнопкой «🔄 Состояние».
receipt-not-yours = Это не ваш чек
receipt-left = Решение отложено, чек ждёт: /receipts
receipt-list = Ждут решения: { $count }.
receipt-list-oldest = Ждут решения: { $count }. Показываю самые давние: { $shown }.
receipt-list-empty = Чеков на проверке нет.

## Инцидент
alert-receipts-waiting = Чеки ждут решения
alert-receipts-waiting-now =
    Ждут дольше часа: { $count }, самый давний { $minutes } мин. Клиенты перевели деньги и не могут их тратить; до решения ничего не зачислено.

    👉 Откройте чат с ботом: /receipts. Или в терминале: <code>photomat receipts list</code>, потом <code>photomat receipts approve { $receipt }</code> или <code>decline</code>
