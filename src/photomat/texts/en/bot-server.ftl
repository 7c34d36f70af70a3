# A Bot API server of one's own.
setting-about-telegram-local-dir = The working folder of your own Bot API server (run with --local), as mounted here: files up to 2000 MB.
setting-about-telegram-webhook-url = Where your own Bot API server reaches the bot, such as http://bot:8080. Empty: PUBLIC_URL.
