"""Pictures of a board as SVG, with their tables, sentences and CSV. Pure: no Django, no database."""
