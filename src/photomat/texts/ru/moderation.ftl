## Что нельзя заказать: отказ до оплаты, предупреждения, просьба посмотреть ещё раз

content-refused = 🚫 <b>{ $model }: так заказать нельзя</b>
content-no-money = Деньги не списаны. Измените описание: остальное в заказе останется как есть.
content-toast = Так заказать нельзя, деньги не списаны. Почему — на карточке.
content-change = ✏️ Изменить текст
content-appeal = 🙋 Это ошибка
content-check-unavailable = Проверка заказов сейчас не отвечает. Деньги не списаны, заказ сохранён: попробуйте через минуту.
content-reason-minors-sexual = Сексуальные сцены с детьми и подростками запрещены законом и правилами всех моделей.
content-reason-minors-nude = Детей без одежды модели не рисуют. Опишите, во что они одеты.
content-reason-undressing = Раздевать людей на фото нельзя: это запрещают правила моделей.
content-reason-bestiality = Такие сцены с животными запрещены правилами моделей.
content-reason-terrorism = Призывы и реклама террористических организаций запрещены законом.
content-reason-drug-trade = Реклама и продажа наркотиков запрещены законом.
content-reason-adult = Откровенные сцены здесь не делаем.
content-reason-own = { $reason }
content-reason-checker = Проверка не пропустила этот текст.
content-strike = ⚠️ Это предупреждение { $strikes } из { $limit } за { $days } { $days ->
        [one] день
        [few] дня
       *[many] дней
    }. На { $limit }-м заказы закроются на { $ban } { $ban ->
        [one] день
        [few] дня
       *[many] дней
    }.
content-strike-banned = ⛔ Предупреждений стало { $strikes }: заказы закрыты до { $until }.
content-ban-reason = Слишком много отказов из-за содержания заказов: { $strikes } за { $days } { $days ->
        [one] день
        [few] дня
       *[many] дней
    }.
content-banned =
    ⛔ <b>Заказы закрыты до { $until }</b>

    { $reason }
    { $jobs ->
        [0] Деньги на балансе остаются вашими.
        [one] Отменён { $jobs } заказ из очереди, деньги за него вернулись на баланс.
        [few] Отменены { $jobs } заказа из очереди, деньги за них вернулись на баланс.
       *[many] Отменены { $jobs } заказов из очереди, деньги за них вернулись на баланс.
    } Если это ошибка, нажмите «🙋 Это ошибка» под отказом или напишите в /support.
content-appeal-sent = Отправлено оператору. Ответ придёт сюда, заказ подождёт.
content-appeal-waits = 🙋 Оператор посмотрит ещё раз и ответит здесь.
content-appeal-before = Уже отправлено: оператор ещё не ответил.
content-appeal-no = Оператор уже посмотрел: отказ остаётся. Измените текст.
content-appeal-yes = Оператор уже разрешил этот текст: откройте заказ снова.
content-appeal-accepted =
    ✅ <b>Оператор посмотрел и разрешил</b>

    <i>{ $text }</i>

    { $strike ->
        [1] Предупреждение снято. Заказ можно продолжить.
       *[other] Заказ можно продолжить.
    }
content-appeal-accepted-anew =
    ✅ <b>Оператор посмотрел и разрешил</b>

    <i>{ $text }</i>

    { $strike ->
        [1] Предупреждение снято. Тот заказ уже закрыт или изменён: пришлите этот текст ещё раз.
       *[other] Тот заказ уже закрыт или изменён: пришлите этот текст ещё раз.
    }
content-appeal-go-on = ▶️ Продолжить заказ
content-appeal-declined =
    🚫 <b>Оператор посмотрел: отказ остаётся</b>

    <i>{ $text }</i>

    { $answer }

    Деньги не списывались. Измените текст и закажите снова.
content-appeal-declined-plain =
    🚫 <b>Оператор посмотрел: отказ остаётся</b>

    <i>{ $text }</i>

    Деньги не списывались. Измените текст и закажите снова.
content-ai-mark = 🤖 Создано ИИ

## Операторам

content-appeal-card =
    🙋 <b>Отказ № { $number }: клиент не согласен</b>
    Клиент <code>{ $user }</code> · правило { $rule } · { $model } · предупреждений: { $strikes }

    <blockquote>{ $text }</blockquote>
    Ответить своими словами можно в консоли: «Контент».
content-appeal-allow = ✅ Разрешить
content-appeal-decline = 🚫 Отказ в силе
content-no-appeal = Такой просьбы нет, или на неё уже ответили.
content-appeal-was-accepted = Отказ № { $number } снят, клиент может заказать этот текст.{ $unbanned ->
        [1] { " " }Бан снят.
       *[0] { "" }
    }
content-appeal-was-declined = Отказ № { $number } остаётся, клиент получит ответ.
content-no-strikes = У клиента { $user } нет таких предупреждений.
content-forgiven = Клиенту { $user } снято предупреждений: { $count }.{ $unbanned ->
        [1] { " " }Бан снят.
       *[0] { "" }
    }
content-no-rule = Правила { $rule } нет.
content-rule-on = Правило { $rule } действует: { $action ->
        [refuse] отказ
        [strike] отказ и предупреждение
       *[warn] только сообщить оператору
    }.
content-rule-off = Правило { $rule } выключено.
content-rule-shipped = { $rule } — встроенное правило: его можно включить, выключить или смягчить, а слова дайте своему правилу.
content-rule-wrong = Правило не сохранено. { $why }
content-rule-id-wrong = Имя — от 2 до 40 латинских букв, цифр и дефисов.
content-rule-reason-wrong = Нужна причина, которую прочтёт клиент, не длиннее { $most } символов.
content-rule-words-wrong = Нужны слова, по одному или по фразе в строке, не больше { $most }.
content-rules-full = Своих правил уже { $most }: удалите лишние.
content-rule-saved = Правило { $rule } сохранено, слов и фраз: { $words }. Действует через пару секунд.
content-rule-deleted = Правило { $rule } удалено; встроенное снова такое, каким было.
alert-appeals-waiting = Клиенты не согласны с отказом
alert-appeals-waiting-now =
    Ждут решения: { $count }, самая давняя просьба — { $minutes } мин.

    👉 Откройте «Контент» в консоли или нажмите кнопку под просьбой в этом чате. В терминале: <code>photomat content list</code>, потом <code>photomat content accept</code> или <code>decline</code>

## Настройки

setting-no-choice = { $name }: одно из { $choices }.
setting-about-strikes-ban = После скольких предупреждений клиент не может заказывать; 0 — никогда.
setting-about-strike-days = Сколько дней предупреждение считается.
setting-about-strike-ban-days = На сколько дней тогда закрываются заказы.
setting-about-provider-strikes = Считать предупреждением и отказ самой модели из-за содержания.
setting-about-provider-checker = Собственные фильтры моделей: default — как у Kie, on — включить, off — выключить.
setting-about-ai-mark = Строка под результатами: on — «Создано ИИ» на языке клиента, или свои слова; пусто — без неё.
setting-about-keep-refused-texts-days = Сколько дней хранить тексты отказов; 0 — всегда.
setting-about-keep-refusals-days = Сколько дней хранить отказы без текста; 0 — всегда.
setting-about-content-rules = Файл TOML со своими правилами; перечитывается сам.
setting-about-content-check-url = Своя проверка заказов: её спрашивают перед каждой покупкой.
setting-about-content-check-token = Секрет, который она получает в заголовке.
setting-about-content-check-deadline-ms = Сколько миллисекунд заказ ждёт её ответа.
setting-about-content-check-fail = Что делать без ответа: allow — пропустить, refuse — отказать.
