"""Frozen, reproducible exports of a set."""
