"""Programs that do the sends of a flow without a ledger: bare, or through another job engine.

They run as scripts in an environment of their own and import nothing of ours: no engine is a dependency of the product.
"""
