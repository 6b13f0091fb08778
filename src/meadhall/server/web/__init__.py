"""HTTP details: sessions, request parsing, forms, the Host header, CSRF protection, the limit on streams."""
