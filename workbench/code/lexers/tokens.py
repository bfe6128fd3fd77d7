"""Token types of our own, below Pygments' so that every tool that knows those still works."""

from __future__ import annotations

from pygments.token import Comment, Keyword, Name

Danger = Name.Danger  # leaves something unproved, or goes round the kernel
Marker = Comment.Marker  # a line that the instance format reads
Tactic = Keyword.Tactic
