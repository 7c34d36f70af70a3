# Что операторы читают о своих действиях, о заказе и о деньгах. `$place` — `terminal` или `page`: команды нужны только в терминале.

# Действия с заказами

action-plain = { $words }
action-no-such-job = Такого заказа нет.
action-card-due = Карточка будет показана снова прямо сейчас.
action-settled = Он уже { $status ->
    [done] выполнен
    [failed] завершён с ошибкой
    [canceled] отменён
   *[other] { $status }
}: деньги уже прошли, отменять нечего.
action-canceled = Заказ отменён, деньги вернулись клиенту; если результат придёт позже, мы предложим его купить.
action-hold = Холд { $reference }: { $outcome }
action-reconciled = Нашли свой заказ: { $matched }, ждут: { $waiting }.
action-refused = Отказано: { $why }.
action-bad-sum = Это не сумма вроде 12,50: ничего не сделано.
action-so-already = Уже так: ничего не изменилось.

retry-submits = Отправляем в Kie прямо сейчас.
retry-looks = Спрашиваем Kie прямо сейчас.
retry-done-already = Он уже готов: чтобы показать результат ещё раз, доставьте его заново.
retry-intent = Запрос ушёл в Kie, а ответ так и не пришёл: повторная отправка может оплатить его дважды. Подождите callback или срок, либо отмените заказ.
retry-no-task = Он так и не стал задачей в Kie: смотреть не на что.

release-released = Деньги снова у клиента.
release-no-such-hold = { $place ->
    [terminal] Такого холда нет; номера показывают `wallet show` и `jobs show`.
   *[page] Такого холда нет.
}
release-ended-before = Он уже закрыт: возвращать нечего.
release-job-lives = { $place ->
    [terminal] Заказ ещё в работе и закроет его сам; `jobs cancel` вернёт деньги сейчас.
   *[page] Заказ ещё в работе и закроет его сам; отмена заказа вернёт деньги сейчас.
}
release-owed = Заказ выполнен, но деньги не списаны: после возврата картинка досталась бы даром. Сообщите об этом разработчикам.

# Действия с деньгами

money-done-before = С этим номером операция уже была; второй раз ничего не сделано.
money-credited = Начислено { $amount }
money-debited = Списано { $amount }
money-refunded = Возвращено { $amount } за заказ { $job }
money-now = { $done }. У пользователя { $user } доступно { $available }.
money-now-owing = { $done }. У пользователя { $user } доступно { $available }, долг { $owed }.
money-reversed = { $reference } отменена операцией { $by }.
money-not-enough = Доступно только { $available }, а нужно { $asked }.
money-too-much = От { $reference } осталось { $rest }: больше вернуть нельзя.
money-not-charged = Деньги за него не списывались: возвращать нечего.
money-no-such-move = { $place ->
    [terminal] Операции { $reference } нет; номера показывает `wallet show`.
   *[page] Операции { $reference } нет.
}
money-not-reversible = { $reference } — это списание за заказ (верните деньги за заказ), сам возврат или уже возвращённая операция: отменить её нельзя.

correct-of-payment = { $place ->
    [terminal] { $reference } — платёж или связана с ним: верните его через `photomat payments refund`.
   *[page] { $reference } — платёж или связана с ним: верните сам платёж.
}
correct-of-bonus = { $place ->
    [terminal] { $reference } следует за платежом: её заберёт `photomat payments refund`, а только деньги — `photomat wallet debit`.
   *[page] { $reference } следует за платежом: её заберёт возврат платежа, а только деньги — списание из кошелька.
}
correct-of-referral = { $place ->
    [terminal] { $reference } следует за заказом и платежами друга: верните их (`photomat wallet refund`, `photomat payments refund`) или спишите деньги (`photomat wallet debit`).
   *[page] { $reference } следует за заказом и платежами друга: верните их или спишите деньги из кошелька.
}
correct-of-promo = { $place ->
    [terminal] { $reference } — от промокода: деньги забирает `photomat wallet debit`, код останавливает `photomat promo stop`.
   *[page] { $reference } — от промокода: спишите деньги из кошелька или остановите код.
}
correct-of-gift = { $place ->
    [terminal] { $reference } — одна сторона подарка: пока он не открыт, его забирает даритель; потом — `photomat wallet debit` получателю и `photomat wallet credit` дарителю.
   *[page] { $reference } — одна сторона подарка: пока он не открыт, его забирает даритель; потом спишите у получателя и начислите дарителю.
}

difference-owned = Расхождение { $difference } теперь ведёт { $owner }.
difference-resolved = Расхождение { $difference } закрыто.
difference-none = Такого открытого расхождения нет.

payment-none = { $place ->
    [terminal] Такого платежа нет; номера показывает `photomat payments list`.
   *[page] Такого платежа нет.
}
payment-by-hand = { $place ->
    [terminal] { $provider } не умеет возвращать: отправьте плательщику { $amount } и подтвердите это с --by-hand.
   *[page] { $provider } не умеет возвращать: отправьте плательщику { $amount } сами, затем отметьте здесь возврат «вручную».
}
payment-without-contact = У клиента больше нет контакта для чека, а { $provider } требует чек на часть платежа. Деньги не тронуты. Верните { $amount } в кабинете { $provider }: бот увидит возврат сам.
payment-spent = { $place ->
    [terminal] В кошельке осталось только { $available } из { $asked }; с --owing остаток станет долгом.
   *[page] В кошельке осталось только { $available } из { $asked }; остаток может стать долгом, если вы разрешите.
}
payment-refunded-before = Всё уже вернули раньше (возврат { $refund }); второй раз ничего не сделано.
payment-goes-back = { $how ->
    [hand] { $amount } возвращено (возврат { $refund }).
   *[provider] { $amount } списано из кошелька, { $provider } попросили вернуть деньги (возврат { $refund }).
}
payment-owed = { $done } Теперь долг — { $owed }.

promo-how-written = В коде от 3 до 32 букв (латиница или кириллица), цифр, - или _.
promo-no-sum = Сумма должна быть больше нуля.
promo-exists = Код { $code } уже есть; коды не меняют.
promo-created = { $code }: { $gives }.
promo-stopped = { $code } остановлен; кто им воспользовался, сохраняет полученное.
promo-none-to-stop = Такого кода, который можно остановить, нет.
promo-gives-sum = { $amount } сразу
promo-gives-percent = { $percent } % от следующего пополнения
promo-gives-percent-most = { $percent } % от следующего пополнения, не больше { $most }
promo-gives-free = бесплатных генераций: { $count }, каждая до { $most }
promo-any-uses = без ограничения числа использований
promo-uses = { $count ->
    [one] { $count } использование
    [few] { $count } использования
   *[other] { $count } использований
}
promo-in-words = { $gives }, { $often }, { $each } на человека{ $whom ->
    [new] , только новым
   *[all] { "" }
}{ $ends ->
    [yes] , до { $until }
   *[no] { "" }
}

receipt-says-none = { $place ->
    [terminal] Чека { $receipt } нет; их показывает `receipts list`.
   *[page] Чека { $receipt } нет.
}
receipt-says-bad-sum = { $amount } — не сумма до { $most }: ничего не начислено.
receipt-says-bad-reason = Причина — от 1 до { $most } символов.
receipt-says-approved = { $amount } начислено пользователю { $user }; он получит сообщение.
receipt-says-declined = Отклонено, ничего не начислено; пользователь узнает причину.
receipt-says-approved-before = { $by } уже одобрил его на { $amount } ({ $at }); второй раз ничего не сделано.
receipt-says-declined-before = { $by } уже отклонил его ({ $reason }) { $at }; второй раз ничего не сделано.
receipt-says-duplicate = У чека { $receipt } пользователя { $user } { $same ->
    [file] тот же файл
   *[reference] тот же номер перевода
}, и он уже начислен: второй раз не начисляем. Если это правда другой перевод, одобрите его { $place ->
    [terminal] с --anyway.
   *[page] всё равно.
}

# Действия с каталогом

model-hidden = Модель скрыта: её нет в списках и она не продаётся.
model-shown = Клиенты снова видят модель.
model-featured = Модель теперь первая в своих списках.
model-unfeatured = Модель вернулась на обычное место в списках.
model-sold = Модель продаётся, хотя в каталоге она выключена.
model-unsold = Модель продаётся, только если так сказано в её файле.
model-sold-already = Каталог её и так продаёт: включать нечего.
model-cannot-be-sold = Её нельзя продавать: { $why }.
model-no-title = Напишите новое название.
model-bad-title = Название — одна строка от 1 до { $most } символов.
model-renamed = Теперь она называется «{ $ru }» по-русски и «{ $en }» по-английски.

price-refused = { $place ->
    [terminal] Отказано: { $why }. --confirm сделает это всё равно.
   *[page] Отказано: { $why }. Подтвердите, если так и нужно.
}
price-nothing-to-clear = Своей цены у модели нет: сбрасывать нечего.
price-objections = { $loss }; { $jump }
price-no-objection = возражений нет
price-below-cost = { $price } — ниже себестоимости { $cost }{ $some ->
    [yes] {" "}({ $inputs })
   *[no] { "" }
}
price-jump = с { $old } до { $new }{ $some ->
    [yes] {" "}({ $inputs })
   *[no] { "" }
} — скачок больше чем в { $times } раза
price-changed = с { $old } на { $new }{ $later ->
    [yes] , начиная с { $since }
   *[no] { "" }
}{ $ends ->
    [yes] , до { $until }
   *[no] { "" }
}.{ $confirmed ->
    [yes] {" "}Подтверждено: { $why }.
   *[no] { "" }
}

template-none = { $place ->
    [terminal] Такого шаблона нет; их показывает `photomat templates list`.
   *[page] Такого шаблона нет.
}
template-hidden = Шаблон скрыт от клиентов.
template-shown = Клиенты снова видят шаблон.
template-replaced = Шаблон заменён.
template-added = Клиенты уже видят шаблон.
example-none = { $place ->
    [terminal] Такого примера нет; их показывает `photomat examples list`.
   *[page] Такого примера нет.
}
example-forgotten = Пример забыт: `photomat examples make` сделает его заново.
examples-made = { $made }

# Почему заказ не доставлен

explain-span = { $count } { $unit ->
    [days] дн.
    [hours] ч
    [minutes] мин
   *[seconds] с
}
explain-worker = { $alive ->
    [yes] экземпляр { $name }
   *[no] экземпляр { $name } (его больше нет)
}
explain-no-error = ошибка не записана
explain-no-reason = причина не указана
explain-in-span = через { $span }
explain-next-look = при следующей проверке
explain-start-one = когда заработает хотя бы один экземпляр: запустите его
explain-due = { $what ->
    [submit] отправка ждёт
    [look] следующая проверка ждёт
   *[card] карточка ждёт
} уже { $waited }{ $alive ->
    [yes] , её возьмут в течение секунды
   *[no] , и ни один экземпляр не работает: запустите его
}
explain-not-yet = Ещё не доставлен: { $why }.
explain-stopped = Не доставлен: { $ago } назад нарушено наше собственное правило ({ $error }), поэтому заказ остановлен, деньги в холде; { $place ->
    [terminal] `jobs retry { $job }` продолжит, `jobs cancel { $job }` вернёт деньги.
   *[page] «Повторить» продолжит, «Отменить» вернёт деньги.
}
explain-submitting-now = Ещё не доставлен: { $worker } отправляет его прямо сейчас.
explain-submit-later = Ещё не доставлен: ждёт отправки ({ $error }), следующая попытка через { $wait }.
explain-submits-blocked = Ещё не доставлен: отправка ждёт уже { $waited }, сейчас ничего не отправляется: { $why }.
explain-submit-due = Ещё не доставлен: отправка ждёт уже { $waited }; он уйдёт в свою очередь, в пределах лимита Kie (KIE_CREATES_PER_10S).
explain-waits-for-answer = Ещё не доставлен: запрос ушёл в Kie { $ago } назад, { $worker } ждёт ответа.
explain-unknown = Ещё не доставлен: запрос ушёл в Kie { $ago } назад, и чем кончилось — неизвестно ({ $error }); второй раз его не отправляют: заказ найдёт callback, или деньги вернутся { $given_up }.
explain-at-kie = задача { $task } у Kie уже { $had }
explain-at-kie-error = { $kie } ({ $error })
explain-at-kie-empty = { $kie }, и Kie уже { $empty } говорит «готово» без результата
explain-at-kie-overdue = { $kie } — дольше обычного (сдаёмся { $given_up }, клиент может отменить)
explain-looking-now = Ещё не доставлен: { $kie }; { $worker } спрашивает Kie прямо сейчас.
explain-not-polled = Не доставлен: { $kie }, и его больше не проверяют; { $place ->
    [terminal] `jobs retry { $job }` проверит сейчас.
   *[page] «Повторить» проверит сейчас.
}
explain-look-later = Ещё не доставлен: { $kie }; следующая проверка через { $wait }.
explain-look-due = Ещё не доставлен: { $kie }; { $due }.
explain-delivered = Доставлен{ $gift ->
    [yes] {" "}в подарок
   *[no] { "" }
}: карточка показывает результат уже { $shown }.
explain-delivered-card = Доставлен{ $gift ->
    [yes] {" "}в подарок
   *[no] { "" }
}: карточка показывает результат уже { $shown }; { $card }.
explain-result-there = { $stuck ->
    [yes] Не доставлен
   *[no] Ещё не доставлен
}: результат{ $gift ->
    [yes] {" "}(в подарок)
   *[no] { "" }
} есть; { $card }.
explain-failed = Доставлять нечего: заказ не удался ({ $reason }), деньги вернулись; { $card }.
explain-canceled = Доставлять нечего: заказ отменён, { $late ->
    [offered] поздний результат предложен за его цену
   *[no] деньги вернулись
}; { $card }.
explain-card-says-so = на карточке это сказано
explain-card-unreachable = клиент недоступен уже { $since } ({ $error }); карточка появится, когда он вернётся, или сейчас — { $place ->
    [terminal] через `jobs redeliver { $job }`
   *[page] кнопкой «Доставить заново»
}
explain-card-parked = { $tried }, уже { $parked } карточка отложена ({ $error }); { $place ->
    [terminal] `jobs redeliver { $job }` попробует снова
   *[page] «Доставить заново» попробует снова
}
explain-card-failed-long = карточку не удавалось показать { $span }
explain-card-refused = Telegram слишком часто отвергал карточку
explain-card-again = карточка рисуется ещё раз
explain-card-in-turn = карточка ждёт своей очереди в чате
explain-card-failed = последняя попытка не удалась ({ $error })
explain-card-failing = последняя попытка не удалась ({ $error }), и так уже { $since }
explain-card-later = { $last }, следующая попытка через { $wait }
explain-card-lock-died = экземпляр, занявший карточку, умер; { $due }
explain-card-editing = { $worker } правит карточку уже { $since }, попытка { $attempt }
explain-card-lock-stale = { $worker } занял карточку и не вернулся; { $due }

# Из чего складывается цена заказа

price-alone = цена { $price }
price-made-of = цена { $price } = { $made }
price-by-formula = { $credits } кредитов × $0.005 × { $rate } × наценка { $markup }{ $whose ->
    [operator] {" "}(задана оператором)
   *[ours] { "" }
}
price-free = бесплатно
price-fixed = задана оператором
price-by-code = оплачено промокодом { $code } вместо { $price } = { $made }
price-less = { $made }, скидка { $percent } %
price-raised = { $made }, поднята до себестоимости
price-stepped = { $made }, с округлением вверх до { $step }
price-cost-unknown = себестоимость неизвестна; Kie не сказал, сколько взял
price-cost-expected = себестоимость по каталогу { $cost }; Kie не сказал, сколько взял
price-cost = себестоимость { $cost }: Kie взял { $credits } кредитов
price-expected = по каталогу ожидалось { $cost }
price-margin = маржа { $margin }

# Одна операция или все деньги заказа

move-welcome = приветственный бонус
move-topup = пополнение
move-operator = операция оператора
move-charge = списание за заказ
move-refund = возврат
move-undelivered = возврат за недоставленный результат
move-payment-refund = возврат платежа
move-debt = погашение долга
move-correction = исправление
move-gift = подарок
move-promo = промокод
move-bonus = бонус
move-referral = награда за приглашение
move-subscription = зачисление по подписке
move-is = { $reference } — { $what }, проведена { $at }.
move-line = { $account }: { $sign }{ $amount }.
move-line-of-user = { $account } пользователя { $user }: { $sign }{ $amount }.
move-gives-back = Она возвращает { $reference }.
move-given-back = { $reference } ({ $what }) вернула из неё { $amount } { $at }.
move-facts = Записано при проведении: { $facts }.
money-of-job = Заказ { $job } ({ $model }, { $status ->
    [pending] ждёт отправки
    [submitting] отправляется
    [running] в работе
    [done] готов
    [failed] не удался
   *[canceled] отменён
}{ $gift ->
    [yes] , в подарок
   *[no] { "" }
}) пользователя { $user }: цена при покупке { $at } — { $price }.
money-of-job-free = Он бесплатный: холда не было.
money-held = { $amount } в холде { $reference } с { $at }.
money-still-held = Холд ещё открыт: заказ в работе.
money-was-charged = Списано { $at }.
money-was-released = Холд снят { $at }: клиент не платил.
money-given-back = { $amount } возвращено операцией { $reference } ({ $what }) { $at }.
money-unknown-time = в неизвестное время
operator-did = { $operator }: { $done ->
    [yes] сделано
   *[no] отказано
} «{ $action }» { $at }{ $given ->
    [yes] , причина: { $reason }
   *[no] { "" }
}. { $outcome }

# Кто может пользоваться консолью

operator-incomplete = Укажите имя, Telegram id и роль: наблюдатель или оператор.
operator-added = { $name } ({ $id }) теперь { $role ->
    [viewer] наблюдатель
   *[operator] оператор
}.
operator-none = Такого оператора нет.
operator-removed = { $name } ({ $id }) больше не оператор.
session-ended = Сеанс «{ $operator }» закрыт.
session-over-before = Он уже закрыт.
sign-in-link-made = Создана ссылка на один вход.
sign-in-password-wrong = Пароль не подошёл.
sign-in-opened = Открыт сеанс: { $method ->
    [password] по паролю
    [terminal] по ссылке из терминала
    [telegram] по ссылке из Telegram
   *[other] { $method }
}.

# Сироты и отправки без ответа

attach-done = Теперь это заказ { $job }; спрашиваем Kie о нём.
attach-no-job = Заказа { $job } нет.
attach-no-orphan = Под этим номером ничего не ждёт.
attach-not-sent = По заказу { $job } в Kie ещё ничего не отправляли: задачи у него быть не может.
attach-other-task = У заказа { $job } уже есть задача.
attach-taken = Эта задача уже у другого заказа.
attach-job-done = Заказ { $job } уже готов.
attach-bad-task = Введите номер задачи, как его показывает Kie, без пробелов.
attach-which-job = Введите номер заказа.
orphan-dismissed = Закрыто, больше не ждёт.

# Много заказов сразу

bulk-done = Сделано: { $done } из { $count }.
bulk-partly = Сделано: { $done } из { $count }. Не сделано: { $refused }
bulk-one = № { $job }: { $why }
bulk-more = { $list } … и ещё { $more }, смотрите журнал.
bulk-both = { $first } { $second }
bulk-nothing = Ни один заказ не выбран.
