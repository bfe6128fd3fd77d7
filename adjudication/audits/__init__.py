"""Closures, the findings they are grouped into, rulings and repairs."""
