"""Money coming in and going back: offers, payments credited once by their own id, refunds. The books are `wallet`'s."""
