console-money-provider-stars = Telegram Stars
console-money-provider-yookassa = YooKassa
console-money-provider-cryptopay = Crypto Pay
console-money-provider-transfer = Bank transfer
