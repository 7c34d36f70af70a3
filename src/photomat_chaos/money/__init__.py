"""Money traffic of every kind while everything breaks; then our books against all others."""
