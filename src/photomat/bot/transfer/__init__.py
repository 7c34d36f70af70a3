"""Manual transfers: the customer's receipt and the operator's decision."""
