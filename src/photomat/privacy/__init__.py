"""What a user may ask about their data: consent, export and erasure."""
