### Идеи: шаблоны с вопросами и примеры.

## Списки и вопросы
ideas-title = ✨ <b>Идеи</b>
ideas-choose = Выберите: спрошу только самое нужное и сразу покажу цену.
ideas-none = Здесь пока ничего нет. Посмотрите другие разделы.
template-ask = ✨ <b>{ $title }</b>{ $steps ->
        [one] {""}
       *[other] {" "}· { $step } из { $steps }
    }

    { $ask }
template-back = ◀️ Идеи
template-result = 🗂 { $words }
template-gone = Этой идеи больше нет. Выберите другую: /start

## Примеры
example-title = Пример: <b>{ $title }</b>
example-title-drawn = Пример: <b>{ $title }</b> · рисунок
example-same = Сделать такое же
