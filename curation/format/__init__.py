"""Instances on disk: read, checked, rendered, written. Pure; docs/developer/format.md is the way in."""
