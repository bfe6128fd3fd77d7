"""Sources: what an upstream repository contains, found without a language model.

PURE: imports no Django. One folder a language; see docs/developer/sources.md.
"""
