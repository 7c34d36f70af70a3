console-reports-tab-sales = Продажи
console-reports-tab-models = По моделям
console-reports-tab-cohorts = Когорты
console-reports-tab-funnel = Воронка
console-reports-revenue = Продажи
console-reports-cost = Себестоимость
console-reports-refunds = Возвраты
console-reports-margin = Прибыль
console-reports-paid-in = Пополнения
console-reports-paid-in-hint = за вычетом возвращённых платежей
console-reports-new-users = Новые клиенты
console-reports-jobs = Заказы
console-reports-jobs-done = { $count } заказов готово
console-reports-cost-unknown = ещё { $count } без цены Kie
console-reports-done = Готово
console-reports-failed = С ошибкой
console-reports-chart-revenue = Продажи и пополнения
console-reports-chart-margin = Из чего складываются продажи
console-reports-chart-jobs = Заказы
console-reports-by-day = По дням
console-reports-day = День
console-reports-models = Продажи по моделям
console-reports-others = остальные
console-reports-nothing = За этот период ничего не продано.
console-reports-csv-by-day = CSV по моделям и дням
console-reports-what-active = Возвращаются
console-reports-what-payers = Платят
console-reports-what-revenue = Деньги
console-reports-cohorts-explained = Строка — неделя первого /start, столбец — сколько недель прошло. Деньги относим к тому, кто их заплатил, за вычетом возвратов.
console-reports-cohort = Неделя
console-reports-people = Людей
console-reports-ever-paid = Платили
console-reports-brought = Принесли
console-reports-brought-hint = пополнения этих людей по сегодня
console-reports-per-person = С одного пришедшего
console-reports-per-person-hint = в среднем на каждого, кто нажал /start
console-reports-cell = заказывали { $active }, платили { $payers }, принесли { $money }
console-reports-funnel-explained = Люди, чей первый /start пришёлся на этот период, и как далеко они дошли к сегодняшнему дню. Неоплаченные карточки хранятся 30 дней, поэтому в старых периодах их видно меньше.
console-reports-step-started = Нажали /start
console-reports-step-card = Открыли первую карточку
console-reports-step-order = Сделали первый заказ
console-reports-step-payment = Заплатили
console-reports-step-second = Заплатили снова
console-reports-of-before = { $percent } % от предыдущего шага
console-reports-days = { $count ->
    [one] { $count } день
    [few] { $count } дня
   *[many] { $count } дней
}
console-reports-weeks = { $count ->
    [one] { $count } неделя
    [few] { $count } недели
   *[many] { $count } недель
}
