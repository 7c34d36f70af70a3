"""Money traffic of every kind while everything breaks; then our books against everybody else's."""
