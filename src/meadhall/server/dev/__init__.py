"""Development mode, ``meadhall serve --dev``: games are reloaded when their files change, and tables have a debug panel.

Nothing outside this package imports it, except the application when it is built for development. So without ``--dev`` there are
no routes, templates or scripts of it.
"""
