"""People: guests, accounts, names and acquaintances."""
