"""The laws that every game keeps, and the search for a violation."""
