# Рассылки: ответы оператору и то, что видит клиент под рассылкой.

broadcast-offer-gone = Этого предложения больше нет. Вот что есть сейчас.

broadcast-no-such = Такой рассылки нет.
broadcast-created = Рассылка { $id } сохранена. Посмотрите её у себя в чате, потом запускайте.
broadcast-changed = Сохранено. Посмотрите её у себя в чате ещё раз: без этого её не запустить.
broadcast-deleted = Рассылка удалена.
broadcast-not-open = Её уже запускали: изменить, удалить или запустить ещё раз нельзя. Сделайте новую.
broadcast-preview-asked = Сейчас она придёт в чат { $chat } ровно такой, какой её увидят клиенты.
broadcast-not-previewed = Сначала посмотрите её у себя в чате: так видно, что Telegram её принимает.
broadcast-reaches-nobody = Под эти условия не подходит никто.
broadcast-reach-differs = Вы видели охват { $seen }, а сейчас он { $now }: разница больше 10 %. Проверьте условия и запустите с новым числом.
broadcast-started = Рассылка пошла: { $reach ->
    [one] { $reach } получатель
    [few] { $reach } получателя
   *[other] { $reach } получателей
}. Результаты клиентов идут впереди неё.
broadcast-stopped = Остановлена: больше никому не уйдёт. Что уже ушло, не вернуть.
broadcast-not-sending = Она сейчас не отправляется, останавливать нечего.
broadcast-resumed = Продолжена: уйдёт тем, кто её ещё не получил.
broadcast-not-resumable = Продолжить нельзя: она не остановлена или её получили все.

broadcast-text-empty = Текст пустой.
broadcast-text-long = Текст длиннее, чем принимает Telegram: { $length } знаков, а можно { $limit }.
broadcast-tag-unknown = Telegram не знает разметку «{ $near }». Можно b, i, u, s, a, code, pre, blockquote и tg-spoiler.
broadcast-loose-bracket = Знак «<» без тега: «{ $near }». Напишите &lt; вместо него.
broadcast-tag-not-opened = Тег </{ $tag }> закрыт, но не открыт.
broadcast-tag-not-closed = Тег <{ $tag }> открыт, но не закрыт.
broadcast-tag-crossed = Тег </{ $tag }> закрыт раньше того, что внутри него.
broadcast-link-bad = Ссылка «{ $link }» не подходит: она начинается с https://, http:// или tg://.
broadcast-media-one = Нужен или file_id из Telegram, или файл — что-то одно.
broadcast-media-large = Файл пустой или больше { $limit } МБ.
broadcast-button-title = Надпись на кнопке — от 1 до { $limit } знаков.
broadcast-button-one = Кнопка ведёт или по ссылке, или внутрь бота — что-то одно.
broadcast-button-opens = Кнопка не может открыть «{ $opens }»: только topup, model:… или template:….

broadcast-segment-language = Язык — ru или en.
broadcast-segment-days = Дней — от 1 до 3650.
broadcast-segment-contradiction = «Ни разу не заказывали» нельзя сочетать с условиями о заказах: не подойдёт никто.
broadcast-segment-ids = Номеров в списке — от 1 до 10 000.

broadcast-to-everyone = все
broadcast-to-language = язык: { $language ->
    [en] английский
   *[ru] русский
}
broadcast-to-payers = пополняли хотя бы раз
broadcast-to-unpaid = ни разу не пополняли
broadcast-to-active = { $days ->
    [one] заказывали за последний { $days } день
    [few] заказывали за последние { $days } дня
   *[other] заказывали за последние { $days } дней
}
broadcast-to-sleeping = { $days ->
    [one] заказывали, но не последний { $days } день
    [few] заказывали, но не последние { $days } дня
   *[other] заказывали, но не последние { $days } дней
}
broadcast-to-rich = баланс от { $amount }
broadcast-to-newcomers = ни разу не заказывали
broadcast-to-kind = заказывали: { $kind ->
    [image] картинки
    [video] видео
    [audio] звук
    [text] тексты
   *[other] { $kind }
}
broadcast-to-model = заказывали модель { $model }
broadcast-to-listed = список: { $count ->
    [one] { $count } номер
    [few] { $count } номера
   *[other] { $count } номеров
}

broadcast-aimed = Теперь рассылка для них.

admin-page-cast = 📣 Рассылка
admin-cast-none =
    📣 <b>Рассылки</b>

    Пока ни одной. Сообщение, которое вы пришлёте, сначала увидите только вы.
admin-cast-list = 📣 <b>Рассылки</b>
admin-cast-new = ➕ Новая рассылка
admin-cast-ask-message =
    📣 <b>Новая рассылка</b>

    Пришлите сообщение так, как его увидят клиенты: текст, фото, видео или GIF с подписью. Жирный, курсив и ссылки сохранятся. Пока ничего никому не уйдёт.
admin-cast-refused =
    { $why }

    Пришлите исправленное сообщение.
admin-cast-head = 📣 <b>Рассылка { $id }</b> · { $state }
admin-cast-to = Кому: <b>{ $conditions }</b>
admin-cast-reach = { $reach ->
    [one] Охват: <b>{ $reach }</b> человек.
    [few] Охват: <b>{ $reach }</b> человека.
   *[other] Охват: <b>{ $reach }</b> человек.
} Ещё { $blocked } заблокировали бота.
admin-cast-step-draft = Посмотрите её у себя: без этого её не запустить.
admin-cast-looking = 👇 Рассылка сейчас придёт отдельным сообщением — ровно такой, какой её увидят клиенты. Посмотрите и нажмите «Дальше».
admin-cast-next = Дальше
admin-cast-step-ready = ✅ Вы её видели. Можно запускать.
admin-cast-segment-all = Все
admin-cast-segment-paid = Пополняли
admin-cast-segment-unpaid = Не пополняли
admin-cast-segment-active = Активные 30 дней
admin-cast-segment-sleep = Спят 30 дней
admin-cast-segment-new = Без заказов
admin-cast-look = 👁 Прислать мне
admin-cast-start = 🚀 Запустить: { $reach }
admin-cast-stop = ⏹ Остановить
admin-cast-resume = ▶️ Продолжить
admin-cast-delete = 🗑 Удалить
admin-cast-refresh = 🔄 Обновить
admin-cast-progress =
    { $bar } { $ended } из { $recipients }

    Доставлено: <b>{ $sent }</b>
    Ещё не ушло: { $waiting }
    Заблокировали бота: { $blocked } и { $known } раньше
    Неизвестно: { $unknown }
    Отказ Telegram: { $refused }
admin-cast-ask-start =
    Запустить рассылку { $id } на <b>{ $reach }</b>? Каждый получит её один раз, вернуть ушедшее нельзя.

    Причина — кнопкой или словами. Ответ запустит рассылку.
admin-cast-ask-resume =
    Продолжить рассылку { $id }?

    Причина — кнопкой или словами.
admin-cast-ask-delete =
    Удалить рассылку { $id }?

    Причина — кнопкой или словами.
admin-cast-reason-offer = Акция
admin-cast-reason-news = Новости
admin-cast-reason-fix = Исправление
admin-cast-reason-stop = Остановлено с телефона
