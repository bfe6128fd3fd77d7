"""Read queries for the instance pages; each says how many SQL queries it costs."""
