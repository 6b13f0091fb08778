"""An evening: rounds of matches at several tables at once."""
