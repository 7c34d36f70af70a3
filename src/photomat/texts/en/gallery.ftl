### History: the gallery of orders, search and deletion.
gallery-head = 🗂 <b>{ $model }</b> · { $state }
    { $when }
gallery-price = { $price }
gallery-gift = 🎁 free
gallery-filter-all = All
gallery-filter-image = 🖼
gallery-filter-video = 🎬
gallery-filter-audio = 🎵
gallery-filter-fav = ❤️
gallery-filter-find = 🔎
gallery-filter-on = ·{ $only }·
gallery-nothing-here = Nothing here yet
gallery-nothing-found = 🔎 Nothing found: “{ $words }”. Try other words.
gallery-search-bound = I search your prompts among your last { $count } orders.
gallery-ask-words = 🔎 Which words should I look for in your prompts?
gallery-words-gone = This search is closed. Tap 🔎 again
gallery-asks-to-hide = 🗑 <b>Delete from the history?</b> This cannot be undone.
gallery-hide = 🗑 Delete
gallery-keep = Keep
gallery-hidden = Deleted from the history
gallery-pick = ✅ Choose
gallery-pick-ask = 🗂 <b>Use this result?</b>
