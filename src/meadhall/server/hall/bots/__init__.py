"""The bots of a table: play, hints, stand-ins and charts."""
