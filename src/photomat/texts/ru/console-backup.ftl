### Резервные копии на странице «Состояние» и в журнале.
did-restore = восстановление из копии
did-submit-again = отправить неясный заказ
health-figure-backup = Резервная копия
health-figure-backup-none = нет
health-figure-backup-good = проверена
health-figure-backup-bad = не проверена
health-restored = База восстановлена из { $file } по состоянию на { $snapshot }; магазин на паузе. Заказов с неизвестной судьбой: { $jobs }. Платежи { $read ->
    [yes] прочитаны заново у провайдеров
   *[no] ещё читаются заново
}. Проверьте: photomat restore status, затем снимите паузу «{ restore-title }».
