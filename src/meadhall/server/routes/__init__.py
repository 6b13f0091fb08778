"""Routes: thin handlers that parse a request, call the hall, and return a page, a frame or JSON."""
