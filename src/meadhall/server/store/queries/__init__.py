"""Queries, by what they are about. Each function runs within a transaction on the connection it is given."""
