"""Run one program so that it can read what it was given, write one folder, and end; nothing else.

Pure: no Django, no package beyond the standard library. `box` has the words, `choose` finds what this machine
can do, `probe` shows that it holds. See docs/developer/sandbox.md.
"""
