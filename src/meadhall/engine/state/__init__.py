"""The state of a match: its fields, chance and events."""
