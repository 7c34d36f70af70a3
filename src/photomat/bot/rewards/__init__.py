"""Promo codes, invitations and gifts."""
