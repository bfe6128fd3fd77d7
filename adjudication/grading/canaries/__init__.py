"""Cheats that must fail for the expected reason, and honest neighbours that must pass: the grader's own alarm system.

`ground.py` is the small instance that they are about, `cheats.py` and `honest.py` are the canaries, `run.py` grades them.
"""
