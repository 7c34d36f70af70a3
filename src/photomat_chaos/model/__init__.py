"""The product in small, as states; every one of them is visited."""
