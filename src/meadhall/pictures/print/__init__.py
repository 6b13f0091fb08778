"""A game on paper: its rulebook and all of its pieces as a PDF, to be cut out and played with.

The pieces are drawn by the game's ``printed.html`` with the signs and colours of its page. Typst lays out the pages
(``meadhall[print]``).
"""

from meadhall.pictures.print.document import game_pdf
from meadhall.pictures.print.pieces import BadPiece, Piece, printed_pieces
from meadhall.pictures.print.sheets import PAPERS, Paper

__all__ = ["PAPERS", "BadPiece", "Paper", "Piece", "game_pdf", "printed_pieces"]
