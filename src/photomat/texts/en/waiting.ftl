### Waiting for a result: the queue, the usual time, longer than usual.
card-accepted =
    ⏳ <b>{ $model }</b> · { $price }
    { $inputs }

    { $wait }
card-running =
    { $kind ->
        [video] 🎬
        [audio] 🎧
        [text] 📝
       *[image] 🎨
    } <b>{ $model }</b> · { $price }
    { $inputs }

    { $wait }
card-overdue =
    🕰 <b>{ $model }</b> · { $price }
    { $inputs }

    Much longer than usual, though it has not failed. The money is set aside, not charged. You may wait: the result will come here by itself. Or cancel: the sum is back at once.
wait-sending = Order accepted, the sum is set aside. Sending it to work; usually about { $usual }.
wait-place = 🕓 Many orders right now. Your place in the queue: { $place }, it starts in about { $starts }. The sum is set aside, not charged.
wait-far = 🕓 Very many orders right now: more than { $most } before yours. It starts in { $starts } at the earliest. The sum is set aside, not charged.
wait-paused = 🕓 The generation service takes no orders right now. Yours is queued and starts by itself as soon as the service answers; how long that takes is unknown. The sum is set aside, not charged: you may wait or cancel.
wait-running = Generating, usually about { $usual }.
wait-slow = Longer than usual: more than { $passed } so far, usually about { $usual }. Still waiting; the result will come here by itself. If it drags on, a button to cancel with your money back appears here.
