"""The form: a model's inputs asked one by one until they are a draft."""
