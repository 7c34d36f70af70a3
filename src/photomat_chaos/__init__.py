"""The crash lab: it proves the promise of the product by model, by mutation and by storm."""
