"""Dungeon Allies: the rules, a file for each step of the turn. Ids are those of the rulebook beside this folder."""

from meadhall.games.dungeon_allies.hidden import conceal as conceal
from meadhall.games.dungeon_allies.hidden import redeal as redeal
from meadhall.games.dungeon_allies.rules.scoring import score as score
from meadhall.games.dungeon_allies.rules.setup import setup as setup
from meadhall.games.dungeon_allies.rules.turn import legal as legal
from meadhall.games.dungeon_allies.rules.turn import play as play
