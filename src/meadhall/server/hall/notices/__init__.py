"""Notices: subscribers of changes, notifications and push messages."""
