"""Language models as players: a server of the Model Context Protocol, ``meadhall mcp``.

Its tools open tables, tell what a seat may know as text, play actions, and explain refusals with the rule. Matches run in this
process against bots (``local.py``), or in a hall (``hall.py``) as one of its guests. It needs the extra ``mcp``.
"""
