"""What wakes an operator: incidents, opened and ended by watches, each told once to everybody in ADMIN_IDS."""
