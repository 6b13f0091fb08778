"""Compiling rules: the decorator, the loops and their cache."""
