"""Sets of instances, the cells of their boards, and reported results."""
