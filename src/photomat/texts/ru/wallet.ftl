### Кошелёк глазами клиента: баланс, выписка и история каждого движения денег.

## Баланс
balance = 💰 Доступно: <b>{ $available }</b>
wallet-held = ⏳ Отложено: { $held } на { $count } { $count ->
        [one] заказ
        [few] заказа
       *[many] заказов
    }. Спишется только за готовый результат, иначе вернётся.
wallet-owed = ⚠️ Долг: <b>{ $owed }</b>. Эти деньги были возвращены или отозваны, когда вы их уже потратили. Пока долг есть, новые заказы не принимаются. Пополните баланс: сначала погасится долг, остальное станет доступно.
wallet-to-statement = 📄 Выписка

## Выписка
wallet-statement = 📄 <b>Выписка</b> · время UTC

    💰 Доступно: <b>{ $available }</b>
wallet-held-for = ⏳ Отложено { $held } на { $count } { $count ->
        [one] заказ
        [few] заказа
       *[many] заказов
    }: { $orders }
wallet-owes = ⚠️ Долг: { $owed }
wallet-line = <b>{ $number }. { $sum }</b> · { $what }
    <i>{ $when } · остаток { $after }</i>
wallet-statement-tap = Нажмите номер строки, и я расскажу о ней подробно.
wallet-statement-empty = Движений денег пока нет.
wallet-plus = +{ $amount }
wallet-minus = −{ $amount }
wallet-zero = { $amount }
wallet-percent = { $code }, +{ $percent } %
wallet-what = { $what }: { $detail }
wallet-order = { $model } «{ $prompt }»
wallet-debt-grew = { $amount } записаны в долг
wallet-debt-paid = { $amount } погасили долг
wallet-not-your-move = Такой строки в вашей выписке нет. Откройте её заново: /statement

## Что это было
wallet-move-welcome = 👋 Приветственный бонус
wallet-move-topup = 💳 Пополнение
wallet-move-charge = { $kind ->
        [video] 🎬
        [audio] 🎵
        [voice] 🗣
        [text] 📝
       *[image] 🖼
    } Заказ
wallet-move-refund = ↩️ Возврат за заказ
wallet-move-undelivered = ↩️ Возврат: результат не удалось доставить
wallet-move-payment-refund = ↩️ Возврат платежа
wallet-move-topup-back = ↩️ Возврат платежа не состоялся
wallet-move-debt = ⚖️ Погашение долга
wallet-move-correction = ✏️ Исправление записи
wallet-move-operator-in = 🤝 Начислено оператором
wallet-move-operator-out = 🤝 Списано оператором
wallet-move-gift-in = 🎁 Подарок вам
wallet-move-gift-out = 🎁 Ваш подарок
wallet-move-gift-back = 🎁 Подарок
wallet-move-promo-in = 🎟 Промокод
wallet-move-promo-out = 🎟 Начисление по промокоду отозвано
wallet-move-bonus-in = 🎉 Бонус к пополнению
wallet-move-bonus-out = 🎉 Бонус к пополнению отозван
wallet-move-referral-in = 👥 Награда за приглашение
wallet-move-referral-out = 👥 Награда за приглашение отозвана
wallet-move-subscription-in = ⭐ Начисление по подписке
wallet-move-subscription-out = ⭐ Начисление по подписке отозвано
wallet-referral-inviter = друг сделал первый заказ
wallet-referral-friend = вы пришли по приглашению
wallet-referral-percent = доля от пополнения друга
wallet-way-stars = Telegram Stars
wallet-way-yookassa = ЮKassa
wallet-way-cryptopay = Crypto Pay
wallet-way-transfer = перевод
wallet-stars = ⭐ { $count }

## История одной строки
wallet-story = 🧾 <b>{ $sum }</b> · { $what }
wallet-story-when = { $when } UTC · остаток после: { $after }
wallet-story-order = Заказ № { $number }: { $order }
wallet-story-bought = • { $when }: заказ оформлен, цена { $price } закреплена за ним
wallet-story-held = • { $when }: { $amount } отложены
wallet-story-open = • заказ ещё делается, деньги отложены, но не списаны
wallet-story-charged = • { $when }: результат готов, { $amount } списаны
wallet-story-released = • { $when }: не получилось или отменено, { $amount } вернулись на баланс
wallet-story-paid = Оплачено { $amount } через { $way }, { $when } UTC.
wallet-story-given-back = • { $when }: вам вернули { $amount } (<code>{ $reference }</code>)
wallet-story-taken-back = • { $when }: из этого отозвано { $amount } (<code>{ $reference }</code>)
wallet-story-number = Номер для поддержки: <code>{ $reference }</code>
wallet-to-page = ◀️ К выписке
wallet-why-welcome = Начисляется один раз, когда вы открываете бота впервые.
wallet-why-topup = Деньги зачислены на баланс один раз, по номеру платежа.
wallet-why-undelivered = Результат был готов, но несколько дней не доходил до вас, поэтому деньги вернулись сами.
wallet-why-payment-refund = Платёж возвращается тем же способом, каким был сделан, поэтому его сумма снята с баланса.
wallet-why-topup-back = Вернуть платёж его способом не удалось, поэтому деньги снова на балансе.
wallet-why-debt = Деньги, которые освободились, сначала погасили долг.
wallet-why-correction = Ошибочная запись отменена целиком: сумма проведена в обратную сторону.
wallet-why-operator-in = Начислено вручную. Не знаете за что? Спросите поддержку, назвав номер ниже.
wallet-why-operator-out = Списано вручную. Не знаете за что? Спросите поддержку, назвав номер ниже.
wallet-why-gift-in = Эти деньги подарены вам, тратьте как свои.
wallet-why-gift-out = Эти деньги вы подарили.
wallet-why-gift-back = Подарок никто не открыл вовремя, или вы забрали его сами: деньги снова ваши.
wallet-why-promo-in = Промокод принят, сумма зачислена.
wallet-why-promo-out = Платёж, к которому применён промокод, был возвращён, вместе с ним и начисление.
wallet-why-bonus-in = Добавлено к вашему пополнению.
wallet-why-bonus-out = Пополнение, к которому был добавлен бонус, возвращено, вместе с ним и бонус.
wallet-why-referral-in = Спасибо, что зовёте друзей!
wallet-why-referral-out = Оплата, за которую была награда, возвращена, вместе с ней и награда.
wallet-why-subscription-in = Очередной период подписки оплачен.
wallet-why-subscription-out = Оплата подписки возвращена, вместе с ней и начисление.
