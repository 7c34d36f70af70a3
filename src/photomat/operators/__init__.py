"""What an operator may do, from the terminal, a chat or a console: each act with its row in the journal."""
