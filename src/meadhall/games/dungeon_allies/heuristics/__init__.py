"""Heuristics for the bots of Dungeon Allies: the greedy player, and an evaluation of positions between two turns."""

from meadhall.games.dungeon_allies.heuristics.policy import greedy as greedy
