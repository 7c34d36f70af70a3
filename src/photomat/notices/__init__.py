"""What the bot says by itself, outside a conversation: each thing once, in the language of whoever reads it."""
