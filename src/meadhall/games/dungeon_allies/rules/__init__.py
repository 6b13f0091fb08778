"""The rules of Dungeon Allies, a module for each step of the turn. Ids like DA-4.1 are those of ``rulebook.md``."""

from meadhall.games.dungeon_allies.hidden import conceal as conceal
from meadhall.games.dungeon_allies.hidden import redeal as redeal
from meadhall.games.dungeon_allies.rules.scoring import score as score
from meadhall.games.dungeon_allies.rules.setup import setup as setup
from meadhall.games.dungeon_allies.rules.turn import legal as legal
from meadhall.games.dungeon_allies.rules.turn import play as play
