### История: галерея заказов, поиск и удаление.
gallery-head = 🗂 <b>{ $model }</b> · { $state }
    { $when }
gallery-price = { $price }
gallery-gift = 🎁 бесплатно
gallery-filter-all = Все
gallery-filter-image = 🖼
gallery-filter-video = 🎬
gallery-filter-audio = 🎵
gallery-filter-fav = ❤️
gallery-filter-find = 🔎
gallery-filter-on = ·{ $only }·
gallery-nothing-here = Здесь пока пусто
gallery-nothing-found = 🔎 Ничего не нашлось: «{ $words }». Попробуйте другие слова.
gallery-search-bound = Ищу по вашим запросам среди последних { $count } заказов.
gallery-ask-words = 🔎 Какие слова искать в ваших запросах?
gallery-words-gone = Этот поиск уже закрыт. Нажмите 🔎 ещё раз
gallery-asks-to-hide = 🗑 <b>Удалить из истории?</b> Вернуть будет нельзя.
gallery-hide = 🗑 Удалить
gallery-keep = Оставить
gallery-hidden = Удалено из истории
gallery-pick = ✅ Выбрать
gallery-pick-ask = 🗂 <b>Взять этот результат?</b>
