"""Lean 4 for people who do not trust what it prints.

Pure: no Django, nothing of the project. `lexer` and `declarations` know text, `uses` draws dependencies
between declarations; the rest runs a real Lean in a sandbox and reads what it compiled.
"""
