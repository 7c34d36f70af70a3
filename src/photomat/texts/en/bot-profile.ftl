# What Telegram shows of the bot: its description, the line of its profile, the settings of these.
profile-description =
    Hello! Pictures, videos, music and voices are made here by the best AI models.

    Write what you want, send a photo or choose an idea. You see the price before you buy, and a failure costs nothing.
profile-about = Pictures, videos, music and voices by the best AI models. The price is known beforehand.
console-settings-group-profile = The bot's profile
setting-about-bot-name = The bot's name. Empty: as in @BotFather. Telegram allows few changes of a name.
setting-about-bot-name-en = The name where Telegram speaks English. Empty: as BOT_NAME.
setting-about-bot-description = The text of an empty chat, up to 512 characters. Empty: our text, unless the bot has its own.
setting-about-bot-description-en = The same in English. Empty: as BOT_DESCRIPTION.
setting-about-bot-about = The line on the profile page, up to 120 characters. Empty: our text, unless the bot has its own.
setting-about-bot-about-en = The same in English. Empty: as BOT_ABOUT.
setting-about-bot-picture = A JPEG or PNG file that becomes the bot's picture. Empty: the picture stays.
