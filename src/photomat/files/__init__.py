"""Files customers bring to an order: taken, looked into, remembered by where they come from, brought to Kie when needed.

No copy is kept. What a file is, is told by its bytes; `sha256` says later that they are still the ones that were priced.
"""
