### Паузы, которые ставит оператор: бот, сервис генерации, модель.
controls-until = Ориентировочно до { $until } UTC.
controls-until-unknown = Точного времени пока нет.
controls-bot-paused =
    🛠 <b>Технический перерыв</b>

    { $why }
    Деньги на балансе в безопасности, начатые генерации идут дальше и придут сюда сами.
controls-bot-tap = 🛠 Технический перерыв. { $why } Деньги и начатые генерации в безопасности.
controls-checkout = Технический перерыв, оплата сейчас не принимается. { $why } С вас ничего не списано.
controls-model-paused = ⏸ { $model }: модель временно недоступна. { $why }
controls-model-button = ⏸ { $title } · временно недоступна
controls-provider-note = 🕓 Генерация сейчас на паузе. { $why } Заказ можно оформить: сумма будет отложена, а начнётся он сам, как только пауза закончится.
controls-waiting = 🕓 Генерация сейчас на паузе. { $why } Ваш заказ в очереди и начнётся сам. Сумма отложена, не списана: можно подождать или отменить.

## Операторам: что сделано и почему нет.
controls-title-bot = Бот
controls-title-provider = Сервис генерации { $name }
controls-title-model = Модель { $name }
controls-paused = { $what }: на паузе.
controls-paused-already = Уже на паузе. Чтобы что-то изменить, сначала снимите её.
controls-resumed = { $what }: снова работает.
controls-not-paused = Это не на паузе.
controls-notice-long = Слишком длинный текст для клиентов: можно не больше { $longest } знаков.
controls-lasts-wrong = Пауза длится от минуты до года.
controls-draining = { $instance } больше ничего не берёт и доделывает начатое; работу возьмёт другой экземпляр.
controls-draining-already = Этот экземпляр уже выводится из работы.
controls-undrained = { $instance } снова работает.
controls-not-draining = Этот экземпляр и так работает.
controls-no-such-instance = Такого экземпляра нет среди живых.
controls-last-instance = Это последний работающий экземпляр. Сначала запустите другой или поставьте на паузу бота.
controls-paused-by = пауза от { $operator } ({ $reason })
controls-banner = ⏸ { $what }: пауза{ $lasts ->
    [until] { " " }до { $until }
   *[open] { "" }
}. Причина: { $reason } ({ $operator }).
