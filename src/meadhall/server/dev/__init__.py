"""Development mode, ``meadhall serve --dev``: the hall starts again when a file of a game changes, and tables have a debug panel.

Nothing outside this package imports it, except the application and its start when they are for development. So without ``--dev``
there are no routes of it.
"""
