"""The games of the hall, each in a self-contained folder."""
