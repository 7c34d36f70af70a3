fiscal-notice-issued = 🧾 Чек на { $amount } готов: платёж зарегистрирован в налоговой.
fiscal-notice-rest = 🧾 Новый чек на { $amount }: это остаток платежа после возврата.
fiscal-notice-annulled = 🧾 Чек на { $amount } аннулирован: деньги возвращены.
fiscal-notice-annulled-part = 🧾 Чек на { $amount } аннулирован: вернули { $refunded }. Чек на остаток придёт следом.
fiscal-notice-refund = 🧾 Чек возврата на { $amount } готов.
fiscal-open-receipt = Открыть чек
health-loop-fiscal = Чеки для налоговой
