"""A match: its steps, its views, and who decides."""
