# Files people send for an order.

file-beyond-telegram = Telegram gives bots files of up to { $limit } MB, and this one is larger. Send a smaller file or a link to it (https).
file-broken = The file cannot be read: it seems to be damaged or cut off. Send another one.
file-gone = There is no file to be had at this link. See that it opens without signing in, or send the file itself.
file-later = This file cannot be had right now. Try a little later, or send another one.
file-link-https = A link is needed that begins with https:// and has no more than 2000 characters.
file-link-page = This link leads to a page and not to a file. A direct link to the file is needed, or send the file itself.
file-link-refused = The file cannot be taken from this link: a public https address is needed. Send another link or the file itself.
file-lost = This file is not there any more. Send it again.
file-not-now = Files are not taken right now. Try a little later.
file-not-converted = This file could not be converted. Send it in one of these formats: { $formats }.
file-slow = The file takes too long to download. Send a smaller file or another link.
