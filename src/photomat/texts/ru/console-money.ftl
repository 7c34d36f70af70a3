console-money-provider-stars = Telegram Stars
console-money-provider-yookassa = ЮKassa
console-money-provider-cryptopay = Crypto Pay
console-money-provider-transfer = Перевод
