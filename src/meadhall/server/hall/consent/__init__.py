"""Proposals: undo, draw and other changes that players agree on."""
