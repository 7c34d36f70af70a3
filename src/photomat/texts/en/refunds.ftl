### Money given back for an order.

job-refunded = ↩️ Your order was refunded: <b>{ $amount }</b> is back on your balance.
job-undelivered = ↩️ For days we could not show you a finished result, so we gave the money back: <b>{ $amount }</b> is on your balance again. Should it still arrive, it is a gift.
