### Ideas: templates with questions, and examples.

## Lists and questions
ideas-title = ✨ <b>Ideas</b>
ideas-choose = Choose one: only what matters is asked, and the price is shown at once.
ideas-none = There is nothing here yet. Please look at the other sections.
template-ask = ✨ <b>{ $title }</b>{ $steps ->
        [one] {""}
       *[other] {" "}· { $step } of { $steps }
    }

    { $ask }
template-back = ◀️ Ideas
template-result = 🗂 { $words }
template-gone = This idea is gone. Choose another one: /start

## Examples
example-title = Example: <b>{ $title }</b>
example-title-drawn = Example: <b>{ $title }</b> · a drawing
example-same = Make one like this
