"""The engine: states, rules, chance, matches and records. It is independent of any particular game."""
