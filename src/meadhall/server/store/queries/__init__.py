"""Queries, one module for each subject. Every function runs within the transaction of its connection."""
