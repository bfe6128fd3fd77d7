"""A Lean as elan installs it: its own `lean`, `leanchecker` and library; `lake` only says where packages are."""
