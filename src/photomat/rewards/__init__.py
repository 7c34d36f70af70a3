"""What is given away: promo codes, rewards for invitations, gifts. Each is given once, and taken back with its cause."""
