"""The database: schema, rows, queries and migrations."""
