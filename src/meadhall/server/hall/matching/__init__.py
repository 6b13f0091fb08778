"""Matching: quick match, the list of tables and choices of a new table."""
