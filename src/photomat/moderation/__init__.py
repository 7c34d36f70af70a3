"""Content rules: what may be ordered, decided before money is held; strikes and appeals."""
