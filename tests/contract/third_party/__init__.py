"""The simulators and the bot against software and specifications that other people wrote."""
