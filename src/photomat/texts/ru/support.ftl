### Поддержка: клиент и его обращение, оператор и его ответ.

## Клиент
command-support = Вопрос в поддержку
support-open = 🆘 Поддержка
card-button-support = 🆘
support-ask = 🆘 <b>Что случилось?</b>

    Выберите или напишите словами. Можно прислать фото, видео, документ или голосовое.
support-ask-job = 🆘 <b>Что случилось?</b> · { $model }

    Выберите или напишите словами. Можно прислать фото, видео, документ или голосовое. Заказ я приложу сам.
support-here = Спросить можно прямо здесь: кнопка ниже или /support.
support-topic-wrong = 🖼 Не то получилось
support-topic-missing = 📭 Не пришло
support-topic-money = 💳 Деньги
support-topic-other = 💬 Другое
support-accepted = 🆘 <b>Обращение № { $number } принято</b>

    Ответит человек, сюда же, в этот чат. Пока можно дописать подробности или прислать скриншот: всё попадёт в обращение.
support-added = ✅ Добавил в обращение № { $number }. Ответ придёт сюда.
support-ask-more = ✍️ Пишите: добавлю в обращение № { $number }. Подойдут текст, фото, видео, документ, голосовое.
support-wrong-kind = Такое сообщение передать не смогу. Подойдут текст, фото, видео, документ и голосовое.
support-limit-messages = За час можно отправить { $limit } { $limit ->
        [one] сообщение
        [few] сообщения
       *[many] сообщений
    } в поддержку. Уже отправленные мы видим. Следующее — после { $until } UTC.
support-limit-tickets = За сутки можно открыть { $limit } { $limit ->
        [one] обращение
        [few] обращения
       *[many] обращений
    }. Открытые мы видим, туда можно дописать: /support. Новое — после { $until } UTC.
support-thread = 🆘 <b>Обращение № { $number }</b>{ $about } · { $state ->
        [open] ждёт ответа
        [waiting] мы ответили
       *[closed] закрыто
    }

    { $lines }
support-about = { " " }· { $model }
support-line = <b>{ $side ->
        [customer] Вы
        [operator] Поддержка
       *[system] ·
    }</b> <i>{ $when }</i>
    { $words }
support-list = 🆘 <b>Ваши обращения</b>

    Откройте нужное или задайте новый вопрос.
support-list-line = № { $number } · { $state ->
        [open] ждёт ответа
        [waiting] мы ответили
       *[closed] закрыто
    }
support-new = ➕ Новый вопрос
support-write = ✍️ Написать ещё
support-reply = ↩️ Ответить
support-show = 💬 Переписка
support-solved = ✅ Вопрос решён
support-close = ✅ Закрыть
support-leave = 👌 Готово
support-left = 👌 Больше не записываю сообщения в обращение. Ответ придёт сюда; дописать можно в /support.
support-closed = ✅ Обращение № { $number } закрыто. Если что-то осталось, напишите: я открою его снова.
support-not-open = Это обращение уже закрыто.
support-not-yours = Это чужое обращение.
support-only-private = Поддержка отвечает в личном чате: напишите мне туда /support или нажмите 🆘 в своей истории.
support-answer = 💬 <b>Поддержка</b> · обращение № { $number }

    { $words }
support-answer-file = 💬 <b>Поддержка</b> · обращение № { $number }
support-closed-by-us = ✅ Обращение № { $number } закрыто. Если вопрос остался, напишите: я открою его снова.
support-canceled = ↩️ Обращение № { $number }: заказ «{ $model }» отменён, { $amount } снова доступны.
support-repeat-offered = 🎁 Обращение № { $number }: дарим этот заказ ещё раз, «{ $model }».

    Нажмите кнопку: откроется карточка, на ней нажмите «🎟 Потратить подарок».
support-repeat-free = 🔁 Обращение № { $number }: этот заказ можно повторить, «{ $model }».
support-repeat = 🔁 Повторить заказ

## Что произошло в обращении
ticket-event-refunded = 💸 Вернули { $amount }
ticket-event-canceled = ↩️ Заказ отменён, { $amount } снова доступны
ticket-event-repeated = 🎁 Заказ можно повторить бесплатно
ticket-event-shown = 📤 Результат отправлен ещё раз
ticket-event-closed = ✅ Обращение закрыто
ticket-event-reopened = 🔓 Обращение открыто снова
ticket-file-photo = 🖼 фото
ticket-file-video = 🎬 видео
ticket-file-animation = 🎞 GIF
ticket-file-audio = 🎵 аудио
ticket-file-voice = 🎤 голосовое
ticket-file-document = 📎 файл

## Оператор
ticket-topic = { $topic ->
        [wrong] Не то получилось
        [missing] Не пришло
        [money] Деньги
       *[other] Вопрос
    }
ticket-job = { $where ->
        [none] Без заказа
       *[any] Заказ № { $job } · { $model } · { $price } · { $bought } UTC
    }
ticket-where = { $where ->
        [queued] Ждёт очереди к Kie
        [submitting] Запрос ушёл в Kie, ответа ещё нет
        [running] Делается у Kie
        [overdue] Делается у Kie дольше обычного
        [stopped] Остановлен нашей ошибкой, деньги отложены
        [shown] Результат показан клиенту
        [not-shown] Результат готов, но на карточке его ещё нет
        [parked] Результат готов, Telegram отказался его показать
        [unreachable] Результат готов, клиент недоступен
        [failed] Не получилось ({ $code }), деньги вернулись
        [canceled] Отменён, деньги вернулись
        [offered] Отменён; поздний результат предложен за цену заказа
       *[none] —
    }
ticket-card = 🆘 <b>Обращение № { $number }</b> · { ticket-topic }
    { $who }
    { ticket-job }
    { ticket-where }

    { $words }

    <i>Ответить: ответьте на это сообщение.</i>
ticket-card-more = 🆘 № { $number } · { $who } пишет ещё
    { ticket-job }
    { ticket-where }

    { $words }
ticket-answered = 💬 № { $number }: ответ клиенту от { $by }

    { $words }
ticket-answer = ↩️ Ответить
ticket-thread = 💬 Переписка
ticket-refund = 💸 Вернуть деньги
ticket-repeat = 🎁 Повторить бесплатно
ticket-show = 📤 Показать снова
ticket-close = ✅ Закрыть
ticket-keep = Не надо
ticket-kept = Ничего не сделано: № { $number }
ticket-ask-answer = ↩️ Напишите ответ клиенту, № { $number }: текст, фото, видео, документ или голосовое. Передумали — /cancel
ticket-ask-reason = { $act ->
        [refund] 💸 Вернуть деньги по обращению № { $number }?
        [repeat] 🎁 Подарить клиенту тот же заказ ещё раз, № { $number }?
        [show] 📤 Прислать клиенту результат ещё раз, № { $number }?
       *[close] ✅ Закрыть обращение № { $number }?
    }

    { ticket-job }
    { ticket-where }

    Выберите причину (сделаю сразу) или напишите свою.
ticket-reason-quality = Результат не тот
ticket-reason-lost = Не пришло
ticket-reason-mistake = Наша ошибка
ticket-reason-goodwill = Жест доброй воли
ticket-reason-asked = Клиент попросил
ticket-reason-solved = Вопрос решён
ticket-reason-silent = Клиент не отвечает
ticket-reason-spam = Спам
ticket-bad-reason = Причина нужна словами, до { $limit } символов. Передумали — /cancel
ticket-desk = 🆘 <b>№ { $number }</b> · { ticket-topic } · { $state ->
        [open] ждёт ответа
        [waiting] отвечено
       *[closed] закрыто
    }
    { $who }
    { ticket-job }
    { ticket-where }

    { $lines }
ticket-line = <b>{ $side ->
        [customer] Клиент
        [operator] { $author }
       *[system] ·
    }</b> <i>{ $when }</i>
    { $words }
ticket-list = 🆘 Ждут ответа: { $count }
ticket-list-empty = 🆘 Все обращения отвечены.
ticket-list-line = № { $number } · { $age } · { $words }
ticket-age-minutes = { $count } мин
ticket-age-hours = { $count } ч
ticket-not-operator = На обращения отвечают операторы.

## Что стало с действием
ticket-unknown = Обращения № { $number } нет.
ticket-has-no-job = В обращении № { $number } нет заказа.
ticket-answer-sent = Ответ отправлен клиенту: № { $number }.
ticket-answer-refused = Ответ не отправлен: нужен текст до { $limit } символов или файл.
ticket-close-done = Обращение № { $number } закрыто.
ticket-close-before = Обращение № { $number } уже закрыто.
ticket-reopen-done = Обращение № { $number } открыто снова.
ticket-reopen-refused = Обращение № { $number } не закрыто, или по этому заказу открыто другое.
ticket-assign-done = Обращение № { $number }: отвечает { $to }.
ticket-refund-done = Вернули { $amount } по обращению № { $number }.
ticket-refund-canceled = Заказ отменён, { $amount } вернулись клиенту: № { $number }.
ticket-refund-before = По обращению № { $number } деньги уже вернулись, второй раз ничего не сделано.
ticket-refund-nothing = Заказ обращения № { $number } ничего не стоил клиенту: возвращать нечего.
ticket-repeat-done = Клиенту предложено повторить заказ бесплатно: № { $number }.
ticket-repeat-before = По обращению № { $number } заказ уже подарен, второй раз ничего не сделано.
ticket-repeat-live = Заказ обращения № { $number } ещё делается: повторять рано.
ticket-show-done = Результат отправляется клиенту ещё раз: № { $number }.
ticket-show-soon = Результат отправляли меньше минуты назад: № { $number }.
ticket-show-nothing = У заказа обращения № { $number } нет результата.

## Инцидент
alert-button-tickets = 🆘 Обращения
alert-tickets-waiting = Клиенты ждут ответа поддержки
alert-tickets-waiting-now =
    Ждут слишком долго: { $count }, самый давний вопрос — { $minutes } мин.

    👉 Откройте чат с ботом: /tickets. Или в терминале: <code>photomat tickets list</code>, потом <code>photomat tickets answer { $ticket } "…"</code>
