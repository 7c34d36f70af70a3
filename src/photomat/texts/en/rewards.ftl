## Promo codes, invitations, gifts
command-promo = Enter a promo code
command-invite = Invite a friend
command-gift = Give money to a friend
rewards-promo = 🎟 Promo code
rewards-gift = 🎁 Give
rewards-invite = 👥 Invite a friend
why-pass = • Promo code { $code }: free instead of { $price }.

## Promo codes
promo-ask = 🎟 Send the promo code as one message.
promo-sum = 🎟 Promo code { $code } accepted: +{ $amount } on your balance.
promo-percent = 🎟 Promo code { $code } accepted: your next top-up gets { $percent } % more.
promo-percent-most = 🎟 Promo code { $code } accepted: your next top-up gets { $percent } % more, up to { $most }.
promo-free = 🎟 Promo code { $code } accepted: { $count } free { $count ->
        [one] generation
       *[other] generations
    }, each worth up to { $most }.
promo-refused-unknown = There is no promo code “{ $code }”. Check how it is written.
promo-refused-expired = Promo code “{ $code }” is no longer valid.
promo-refused-used_up = Promo code “{ $code }” has been used as often as it could be.
promo-refused-yours = You have used promo code “{ $code }” already.
promo-refused-only_new = Promo code “{ $code }” is only for those who have not ordered or paid anything yet.
promo-once-more = Your money and orders are untouched. Send another code, or choose:
promo-again = 🔄 Try again
promo-refused-slowly = Too many wrong promo codes. Try again in { $wait }.

## Invitations
invite-title = 👥 <b>Invite a friend</b>
invite-you = • You get { $reward } after the first order your friend pays for with their own money.
invite-friend = • Your friend gets { $reward } then, too.
invite-percent = • And { $percent } % of each of your friend's top-ups.
invite-link = Your link: { $link }
invite-brought = Came by your link: { $friends }, of them paid for an order: { $rewarded }. You have earned { $earned }.
invite-share = 📨 Send to a friend
invite-share-text = AI pictures, video and music right in Telegram
invited = 👥 A friend has invited you. Welcome!
invited-reward = 👥 A friend has invited you. After the first order you pay for with your own money you get { $reward }.
invite-unknown = There is no such invitation, but you are welcome all the same.
invite-own = This is your own link: send it to a friend.
invite-only-new = You are with us already, and an invitation counts for newcomers only. Invite a friend yourself: /invite
notice-referral-inviter = 👥 Your friend has paid for a first order. You get { $amount }. Thank you!
notice-referral-friend = 👥 You came by a friend's invitation and have paid for your first order: you get { $amount }.
notice-referral-percent = 👥 Your friend has topped up. You get { $amount }.
notice-referral-back = 👥 The payment behind a reward for an invitation was returned. The reward of { $amount } is taken back.

## Gifts
gift-ask = 🎁 How much do you want to give? Send a sum, for example 100. { $available } available.
gift-nothing = 🎁 There is nothing to give now: your balance is empty. Top it up, and a gift takes a minute.
gift-not-a-sum = This does not look like a sum. Send a number, for example 100 or 99.50.
gift-too-small = The smallest gift is { $least }. Send another sum.
gift-not-enough = There is not that much: { $available } available. Send another sum.
gift-made =
    🎁 <b>Your gift of { $amount } is ready.</b>

    Send this link to a friend: { $link }

    Whoever opens it first gets the money. If nobody does within 14 days, it comes back to you.
gift-share = 📨 Send to a friend
gift-share-text = 🎁 A gift for you: { $amount }. Open the link to get it.
gift-back = ↩️ Take { $amount } back
gift-returned = { $amount } is on your balance again
gift-returned-owing = { $amount } came back: { $paid } went into your debt, { $rest } is on your balance
gift-came-back = came back to you
gift-gone = The gift has been opened already
gift-taken = 🎁 You were given { $amount }. The money is on your balance.
gift-yours = 🎁 The gift of { $amount } is yours already, the money is on your balance.
gift-own = This is your own gift. Send the link to a friend, or take the money back: /gift
gift-own-over = This is your own gift, and it has been opened or taken back.
gift-over = This gift has been opened or taken back already.
gift-unknown = There is no such gift. Check the link.
notice-gift-taken = 🎁 Your gift of { $amount } was opened.
notice-gift-back = 🎁 Nobody has opened your gift of { $amount } for 14 days. The money is on your balance again.
