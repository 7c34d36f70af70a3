## What cannot be ordered: a refusal before payment, strikes, an appeal

content-refused = 🚫 <b>{ $model }: this cannot be ordered</b>
content-no-money = No money was taken. Change the description: the rest of the order stays as it is.
content-toast = This cannot be ordered, no money was taken. The card says why.
content-change = ✏️ Change the text
content-appeal = 🙋 This is a mistake
content-check-unavailable = The check of orders does not answer right now. No money was taken and your order is kept: try again in a minute.
content-reason-minors-sexual = Sexual scenes with children or teenagers are forbidden by law and by every model.
content-reason-minors-nude = Models do not draw children without clothes. Say what they wear.
content-reason-undressing = People in photos must not be undressed: the models' rules forbid it.
content-reason-bestiality = Such scenes with animals are forbidden by the models' rules.
content-reason-terrorism = Calls for and advertising of terrorist organisations are forbidden by law.
content-reason-drug-trade = Advertising and selling drugs is forbidden by law.
content-reason-adult = Explicit scenes are not made here.
content-reason-own = { $reason }
content-reason-checker = The check did not pass this text.
content-strike = ⚠️ This is strike { $strikes } of { $limit } within { $days } { $days ->
        [one] day
       *[other] days
    }. With { $limit } you cannot order for { $ban } { $ban ->
        [one] day
       *[other] days
    }.
content-strike-banned = ⛔ You now have { $strikes } strikes: you cannot order until { $until }.
content-ban-reason = Too many orders were refused for their content: { $strikes } within { $days } { $days ->
        [one] day
       *[other] days
    }.
content-banned =
    ⛔ <b>You cannot order until { $until }</b>

    { $reason }
    { $jobs ->
        [0] The money in your balance stays yours.
        [one] { $jobs } queued order was canceled, its money is back in your balance.
       *[other] { $jobs } queued orders were canceled, their money is back in your balance.
    } If this is a mistake, tap “🙋 This is a mistake” below a refusal, or write to /support.
content-appeal-sent = Sent to the operator. The answer comes here, the order waits.
content-appeal-waits = 🙋 The operator takes a second look and answers here.
content-appeal-before = It was sent before: the operator has not answered yet.
content-appeal-no = The operator has looked already: the refusal stays. Change the text.
content-appeal-yes = The operator has allowed this text: open the order again.
content-appeal-accepted =
    ✅ <b>The operator has looked and allows it</b>

    <i>{ $text }</i>

    { $strike ->
        [1] The strike is taken back. You can go on with the order.
       *[other] You can go on with the order.
    }
content-appeal-accepted-anew =
    ✅ <b>The operator has looked and allows it</b>

    <i>{ $text }</i>

    { $strike ->
        [1] The strike is taken back. That order is closed or changed by now: send the text once more.
       *[other] That order is closed or changed by now: send the text once more.
    }
content-appeal-go-on = ▶️ Go on with the order
content-appeal-declined =
    🚫 <b>The operator has looked: the refusal stays</b>

    <i>{ $text }</i>

    { $answer }

    No money was taken. Change the text and order again.
content-appeal-declined-plain =
    🚫 <b>The operator has looked: the refusal stays</b>

    <i>{ $text }</i>

    No money was taken. Change the text and order again.
content-ai-mark = 🤖 Made with AI

## For operators

content-appeal-card =
    🙋 <b>Refusal { $number }: the customer objects</b>
    Customer <code>{ $user }</code> · rule { $rule } · { $model } · strikes: { $strikes }

    <blockquote>{ $text }</blockquote>
    To answer in your own words, open “Content” in the console.
content-appeal-allow = ✅ Allow
content-appeal-decline = 🚫 Keep the refusal
content-no-appeal = There is no such appeal, or it was decided before.
content-appeal-was-accepted = Refusal { $number } is taken back, the customer may order this text.{ $unbanned ->
        [1] { " " }The ban is over.
       *[0] { "" }
    }
content-appeal-was-declined = Refusal { $number } stays, the customer is told.
content-no-strikes = User { $user } has no such strikes.
content-forgiven = User { $user }: { $count } { $count ->
        [one] strike is
       *[other] strikes are
    } taken back.{ $unbanned ->
        [1] { " " }The ban is over.
       *[0] { "" }
    }
content-no-rule = There is no rule { $rule }.
content-rule-on = Rule { $rule } is on: { $action ->
        [refuse] refuse
        [strike] refuse and count a strike
       *[warn] only tell the operator
    }.
content-rule-off = Rule { $rule } is off.
content-rule-shipped = { $rule } is a shipped rule: switch it or change its action, and give words to a rule of your own.
content-rule-wrong = The rule was not saved. { $why }
content-rule-id-wrong = A name has 2 to 40 letters a–z, digits and dashes.
content-rule-reason-wrong = It needs a reason the customer reads, of at most { $most } characters.
content-rule-words-wrong = It needs words, one word or phrase a line, { $most } at most.
content-rules-full = There are { $most } rules already: delete some.
content-rule-saved = Rule { $rule } is saved, words and phrases: { $words }. It holds in a few seconds.
content-rule-deleted = Rule { $rule } is deleted; a shipped one is as it was.
alert-appeals-waiting = Customers object to a refusal
alert-appeals-waiting-now =
    Waiting for a decision: { $count }, the oldest for { $minutes } min.

    👉 Open “Content” in the console, or tap a button below the appeal in this chat. In a terminal: <code>photomat content list</code>, then <code>photomat content accept</code> or <code>decline</code>

## Settings

setting-no-choice = { $name }: one of { $choices }.
setting-about-strikes-ban = After how many strikes a user cannot order; 0: never.
setting-about-strike-days = Days a strike counts.
setting-about-strike-ban-days = Days the user then cannot order.
setting-about-provider-strikes = Count what a model itself refuses for its content as a strike, too.
setting-about-provider-checker = The models' own filters: default – as Kie sets them, on, or off.
setting-about-ai-mark = A line under results: on – “Made with AI” in the reader's language, or your own words; empty: none.
setting-about-keep-refused-texts-days = Days to keep the texts of refused orders; 0: for ever.
setting-about-keep-refusals-days = Days to keep refusals without their text; 0: for ever.
setting-about-content-rules = A TOML file with rules of your own; it is read again by itself.
setting-about-content-check-url = A checker of your own that is asked before every purchase.
setting-about-content-check-token = The secret it gets in a header.
setting-about-content-check-deadline-ms = How many milliseconds an order waits for its answer.
setting-about-content-check-fail = Without an answer: allow or refuse the order.
