"""The hall: pages, live push, tables and store."""
