"""The life of one generation, from purchase to settled; the only slice that knows the sequence."""
