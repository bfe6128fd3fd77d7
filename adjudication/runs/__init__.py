"""Submissions, the runs that grade them, and what became of each spec."""
