"""What is for sale: the models, what each asks of a customer, and how its price is made."""
