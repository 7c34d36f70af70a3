"""/privacy, /export, /forget, and the question for consent."""
