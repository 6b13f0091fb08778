"""What the bots know about Dungeon Allies: what a fight, a treasure, a card, an ally is worth, and what else a die could do."""

from meadhall.games.dungeon_allies.heuristics.policy import greedy as greedy
