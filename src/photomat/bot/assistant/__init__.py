"""The optional chat model in the conversation: a better card, a better prompt, a voice message in words."""
