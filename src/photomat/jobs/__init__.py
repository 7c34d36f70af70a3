"""The life of one generation somebody bought; the only place that knows its sequence."""
