"""Checks of a hall and of what it needs. Each says what it found and what to do about it."""
