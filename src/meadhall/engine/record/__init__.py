"""Match records, format ``meadhall-match/1``: one JSON object from which a match is replayed and every die verified."""
