"""A model's inputs as a conversation: one engine for every model of the catalogue, no code for a single one.

Promises: every input is asked for in words, within its limits, and answered as people like; nothing a question does not offer
can be done with it; what cannot be ordered gets no card. `form` is the state and its moves, `gathering` those of answers that
come bit by bit; `understand`, `brought` and `attachments` read what people say and send, `said` puts it together; `questions`,
`keyboard` and `wording` show a question; `composing` goes from one to the next, and `order` from the last to the card.
"""
