"""The review loop: who decides on which translation, on what content, and what makes a decision fall."""
