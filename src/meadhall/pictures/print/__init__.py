"""A game on paper: its rulebook and all of its pieces as a PDF, to be cut out and played with.

The pieces are drawn by the game's ``printed.html`` with the signs and colours of its page. Typst lays out the pages
(the extra ``print``); only ``document`` needs it.
"""
