"""Language models as players: a server of the Model Context Protocol, ``meadhall mcp``.

Its tools are operations of a hall's API (``tools.py``). Without a hall the command starts one (``own_hall.py``). It needs the
extra ``mcp``.
"""
