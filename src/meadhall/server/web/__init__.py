"""HTTP details: sessions, links, request parsing, forms, headers of proxies, the same-origin check, streams and limits."""
