"""The engine: states, rules, chance, matches and records. It knows no game."""
