### Заказ словами: на карточке, под результатом, в истории.
order-yes = да
order-no = нет
order-files-image = { $count ->
        [one] { $count } картинка
        [few] { $count } картинки
       *[many] { $count } картинок
    }
order-files-video = { $count } видео
order-files-audio = { $count ->
        [one] { $count } запись
        [few] { $count } записи
       *[many] { $count } записей
    }
order-files-document = { $count ->
        [one] { $count } файл
        [few] { $count } файла
       *[many] { $count } файлов
    }
order-more-lines = и ещё { $count }
order-earlier = заказ № { $job }
order-earlier-track = заказ № { $job }, трек { $track }
fail-input = Файл или прежний результат, из которого делался заказ, больше недоступен. Пришлите его снова.
history-fail-input = файл для заказа больше недоступен
