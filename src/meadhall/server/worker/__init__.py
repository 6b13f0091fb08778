"""The worker process, which runs bots, hints and charts beside the server."""
