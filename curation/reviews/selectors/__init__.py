"""Read queries of the review loop."""
