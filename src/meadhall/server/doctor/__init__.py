"""Checks of a hall and its surroundings. Each reports its result, and a remedy."""
