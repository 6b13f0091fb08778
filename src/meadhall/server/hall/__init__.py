"""Tables, seats, bots, hints, subscriptions, uploads and the daily puzzle."""
