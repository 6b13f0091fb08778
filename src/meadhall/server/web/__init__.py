"""HTTP details: sessions, request parsing, forms, the Host header, the same-origin check, event streams and their limit."""
